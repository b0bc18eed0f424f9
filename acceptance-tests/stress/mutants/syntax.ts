import { parseAst } from 'vitest/node';

/** A node of a syntax tree; offsets are in UTF-16 units. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

/** A node with what contains it. */
export interface Place {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | null;
  readonly property: string; // of the parent
}

/** Expressions with a type; the type is not part of what runs. */
const TYPED = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

/** Returns all nodes of TypeScript code that run, in the order of the source: no types, imports or names of properties. */
export function placesIn(source: string): readonly Place[] {
  return placesBelow({ node: parse(source), parent: null, property: '' });
}

/** Parses TypeScript. Throws if it is not valid. */
export function parse(source: string): SyntaxNode {
  return parseAst(source, { lang: 'ts' }) as unknown as SyntaxNode;
}

function placesBelow(place: Place): readonly Place[] {
  const { node, parent, property } = place;
  const isType = node.type.startsWith('TS') && !TYPED.has(node.type);
  const isName =
    (property === 'key' || (property === 'property' && parent?.type === 'MemberExpression')) &&
    parent?.['computed'] === false;
  if (isType || isName || node.type === 'ImportDeclaration') return [];
  const below = Object.entries(node).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (isNode(one) ? [{ node: one, parent: node, property: name }] : [])),
  );
  return [place, ...below.toSorted((a, b) => a.node.start - b.node.start).flatMap(placesBelow)];
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Returns a node below another. Throws if there is none. */
export function childOf(node: SyntaxNode, property: string): SyntaxNode {
  const child = node[property];
  if (!isNode(child)) throw new Error(`${node.type} has no ${property}`);
  return child;
}

/** Returns where a token is between two offsets, apart from comments. */
export function tokenIn(source: string, token: string, from: number, until: number) {
  const text = source
    .slice(from, until)
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => ' '.repeat(comment.length));
  const at = text.indexOf(token);
  if (at === -1) throw new Error(`no ${token} in ${source.slice(from, until)}`);
  return { start: from + at, end: from + at + token.length };
}
