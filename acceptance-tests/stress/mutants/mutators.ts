import { childOf, isNode, tokenIn, type Place, type SyntaxNode } from './syntax.ts';

/** A replacement of part of a source. */
export interface Edit {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Mutator = (place: Place, source: string) => readonly Edit[];

/** Operators and what they are replaced with. Comparisons get the neighboring one and the opposite one. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '|=': ['&='],
  '&=': ['|='],
  '&&=': ['||='],
  '||=': ['&&='],
};
const COMPARISONS = new Set(['<', '<=', '>', '>=', '===', '!==']);

/** Methods that are replaced with each other. */
const METHODS = pairs(
  'some every, startsWith endsWith, padStart padEnd, indexOf lastIndexOf, find findLast, findIndex findLastIndex',
);
const MATH = pairs('min max, floor ceil');
/** Methods whose result is replaced with the object. */
const OMITTED = new Set(
  'filter toSorted sort toReversed reverse slice trim trimEnd toLowerCase replace replaceAll'.split(' '),
);
/** Functions of the project that are replaced with each other. */
const FUNCTIONS = pairs('later earliest');
const EXITS = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);
const ACTIONS = new Set(['CallExpression', 'AssignmentExpression', 'UpdateExpression', 'YieldExpression']);

function pairs(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(', ').flatMap((pair) => {
      const [one = '', other = ''] = pair.split(' ');
      return [[one, other] as const, [other, one] as const];
    }),
  );
}

/** What is done to nodes, by their type. */
export const MUTATORS: Readonly<Record<string, Mutator>> = {
  BinaryExpression: operators,
  AssignmentExpression: operators,
  LogicalExpression: logic,
  UnaryExpression: omittedOperator,
  UpdateExpression: ({ node }, source) => {
    const operator = String(node['operator']);
    return [
      edit('arithmetic', tokenIn(source, operator, node.start, node.end), operator === '++' ? '--' : '++'),
    ];
  },
  Literal: literals,
  Identifier: functions,
  CallExpression: calls,
  MemberExpression: optional,
  SpreadElement: ({ node, parent }) => [
    edit('spread', childOf(node, 'argument'), parent?.type === 'ObjectExpression' ? '{}' : '[]'),
  ],
  AssignmentPattern: ({ node }) => [edit('default', { start: childOf(node, 'left').end, end: node.end }, '')],
  ConditionalExpression: negated,
  IfStatement: (place, source) => [...negated(place, source), ...guard(place.node)],
  WhileStatement: negated,
  DoWhileStatement: negated,
  ForStatement: negated,
  ExpressionStatement: ({ node }) => {
    const expression = childOf(node, 'expression');
    const action = expression.type === 'AwaitExpression' ? childOf(expression, 'argument') : expression;
    return ACTIONS.has(action.type) ? [edit('statement', node, ';')] : [];
  },
};

function edit(
  kind: string,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
): Edit {
  return { kind, start, end, text };
}

function isText(node: SyntaxNode): boolean {
  return node.type === 'TemplateLiteral' || typeof node['value'] === 'string';
}

function operators({ node }: Place, source: string): readonly Edit[] {
  const operator = String(node['operator']);
  const [left, right] = [childOf(node, 'left'), childOf(node, 'right')];
  if (operator.startsWith('+') && (isText(left) || isText(right))) return [];
  const kind = COMPARISONS.has(operator) ? 'comparison' : 'arithmetic';
  const at = tokenIn(source, operator, left.end, right.start);
  return (OPERATORS[operator] ?? []).map((other) => edit(kind, at, other));
}

function logic({ node, parent }: Place, source: string): readonly Edit[] {
  const operator = String(node['operator']);
  const sides = [childOf(node, 'left'), childOf(node, 'right')] as const;
  const at = tokenIn(source, operator, sides[0].end, sides[1].start);
  const [left, right] = [
    source.slice(node.start, at.start).trimEnd(),
    source.slice(at.end, node.end).trimStart(),
  ];
  if (operator === '??')
    return [
      edit('default', { start: node.start + left.length, end: node.end }, ''),
      edit('default', { start: node.start, end: node.end - right.length }, ''),
    ];
  const other = operator === '&&' ? '||' : '&&';
  // the operators bind differently
  const isNested = [parent, ...sides].some((one) => one?.type === 'LogicalExpression');
  return [isNested ? edit('logic', node, `((${left}) ${other} (${right}))`) : edit('logic', at, other)];
}

function omittedOperator({ node }: Place): readonly Edit[] {
  const { start } = node;
  const operator = String(node['operator']);
  return '!-~'.includes(operator)
    ? [edit(operator === '!' ? 'negation' : 'arithmetic', { start, end: start + 1 }, '')]
    : [];
}

/** Negates a condition, unless that equals another mutant. The branches of a ternary are swapped by it. */
function negated({ node }: Place, source: string): readonly Edit[] {
  const { test } = node;
  if (!isNode(test) || test.type === 'Literal') return [];
  if (test.type === 'UnaryExpression' && test['operator'] === '!') return [];
  if (test.type === 'BinaryExpression' && COMPARISONS.has(String(test['operator']))) return [];
  return [edit('condition', test, `!(${source.slice(test.start, test.end)})`)];
}

/** Leaves out the end of a block that runs on a condition, and the condition too if there is nothing else. */
function guard(node: SyntaxNode): readonly Edit[] {
  const consequent = childOf(node, 'consequent');
  const statements =
    consequent.type === 'BlockStatement' ? (consequent['body'] as SyntaxNode[]) : [consequent];
  const last = statements.at(-1);
  if (last === undefined || !EXITS.has(last.type)) return [];
  return [edit('guard', statements.length === 1 && node['alternate'] === null ? node : last, ';')];
}

function literals({ node }: Place): readonly Edit[] {
  const { value } = node;
  if (typeof value === 'boolean') return [edit('literal', node, String(!value))];
  if (typeof value === 'bigint') return neighbors(value).map((one) => edit('literal', node, `${one}n`));
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return [];
  return neighbors(BigInt(value)).map((one) => edit('literal', node, String(one)));
}

function neighbors(value: bigint): readonly bigint[] {
  return value === 0n ? [1n] : [value - 1n, value + 1n];
}

function functions({ node, parent, property }: Place): readonly Edit[] {
  const other = FUNCTIONS.get(String(node['name']));
  const isDeclared =
    property === 'id' ||
    property === 'params' ||
    parent?.type === 'Property' ||
    parent?.type === 'ExportSpecifier';
  return other === undefined || isDeclared ? [] : [edit('function', node, other)];
}

function calls({ node }: Place, source: string): readonly Edit[] {
  const callee = childOf(node, 'callee');
  const edits = node['optional'] === true ? [unchained(node, callee, source)] : [];
  if (callee.type !== 'MemberExpression' || callee['computed'] === true) return edits;
  const [object, method] = [childOf(callee, 'object'), childOf(callee, 'property')];
  const name = String(method['name']);
  const other = (object['name'] === 'Math' ? MATH : METHODS).get(name);
  if (other !== undefined) edits.push(edit('function', method, other));
  if (OMITTED.has(name)) {
    // parentheses of the object remain
    const { start } = tokenIn(source, '.', object.end, method.start);
    const dot = source[start - 1] === '?' ? start - 1 : start;
    edits.push(edit('function', { start: dot, end: node.end }, ''));
  }
  return edits;
}

function optional({ node }: Place, source: string): readonly Edit[] {
  return node['optional'] === true ? [unchained(node, childOf(node, 'object'), source)] : [];
}

function unchained(node: SyntaxNode, object: SyntaxNode, source: string): Edit {
  const isNamed = node.type === 'MemberExpression' && node['computed'] === false;
  return edit('default', tokenIn(source, '?.', object.end, node.end), isNamed ? '.' : '');
}
