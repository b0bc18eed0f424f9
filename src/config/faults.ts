import type { ErrorObject } from 'ajv';
import { alternatives, quoted } from '../protocol/messages.ts';
import { NUMBER } from '../rows/numbers.ts';
import { validatorOf } from './validator.ts';

/** Whitespace and the token after it, empty if there is none; for a string, only the opening quote. */
const TOKEN = new RegExp(String.raw`[ \t\n\r]*([{}[\],:"]|${NUMBER}|true|false|null|)`, 'y');
/** A part of a string: a single expression for the whole string would exhaust the stack. */
const STRING_PART = /[\u0020\u0021\u0023-\u005b\u005d-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const SCALAR = '"-0123456789tfn';
/** The first characters of the tokens that are valid at each place of the grammar. */
const STARTS = {
  'a value': `{[${SCALAR}`,
  'a value or ]': `{[]${SCALAR}`,
  'a name in double quotes': '"',
  'a name in double quotes or }': '"}',
  'a colon': ':',
  'a comma or }': ',}',
  'a comma or ]': ',]',
  'the end of the file': '',
} as const;
type Place = keyof typeof STARTS;
const MAX_DEPTH = 500; // of brackets: far more than any input needs, far less than what would exhaust the stack
const MAX_LISTED = 10; // faults in one message

/** Where a text is not valid JSON, as an index in UTF-16 units, and what is wrong there. */
export type JsonFault = Readonly<{ at: number; problem: string }>;

/** Describes the first fault of a JSON file (see `locateJsonFault`) by line and column; null if there is none. */
export function findJsonFault(text: string): string | null {
  const fault = locateJsonFault(text, MAX_DEPTH);
  return fault === null ? null : placed(text, { ...fault, problem: explained(text, fault) });
}

/** What people write instead of JSON, by what a faulty place begins with. */
const HABITS: readonly (readonly [begin: RegExp, problem: string])[] = [
  [/^\/[/*]|^#/, 'JSON has no comments; remove it, or use a key that begins with _'],
  [/^'/, 'JSON has no single quotes; write " instead of \''],
  [/^[\u201c-\u201f\u00ab\u00bb]/, 'JSON has no typographic quotes; write " instead'],
  [/^[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/, 'this is not an ordinary blank, though it looks like one'],
];
/** A key without quotes, or the mark of a document. */
const YAML = /^\s*(?:#[^\n]*\n\s*)*(?:---|[A-Za-z_][\w.-]*\s*:(?:\s|$)|- )/;

/** The problem of a fault, or the habit that explains it. */
function explained(text: string, { at, problem }: JsonFault): string {
  if (YAML.test(text)) return 'this looks like YAML; the file must be JSON';
  const habit = HABITS.find(([begin]) => begin.test(text.slice(at, at + 2)))?.[1];
  return habit ?? problem.replace(NO_COMMA, (whole) => `${whole} (a trailing comma)`);
}

const NO_COMMA = /^there must be no comma before the [}\]] that follows/;

/**
 * Returns the first place where a text is not valid JSON or has more than `maxDepth` nested brackets, and what is wrong there; null if
 * there is none. JSON.parse does not always report the place, and may quote the text, which may contain a secret.
 */
export function locateJsonFault(text: string, maxDepth: number): JsonFault | null {
  const next: Place[] = ['the end of the file']; // what is expected after the value in each open bracket, from the outside in
  let place: Place = 'a value';
  let comma: number | null = null; // the place of the token before, if it is a comma
  for (let end = 0; ;) {
    TOKEN.lastIndex = end;
    const [whole = '', token = ''] = TOKEN.exec(text) ?? [];
    const at = end + whole.length - token.length;
    const first = token.charAt(0);
    if (at === text.length && place === 'the end of the file') return null;
    if (comma !== null && (first === '}' || first === ']'))
      return { at: comma, problem: `there must be no comma before the ${first} that follows` };
    if (first === '' || !STARTS[place].includes(first)) return { at, problem: `expected ${place}` };
    const last = first === '"' ? endOfString(text, at) : at + token.length - 1;
    if (first === '"' && text[last] !== '"') return { at, problem: stringFault(text, last) };
    end = last + 1;
    comma = first === ',' ? at : null;
    if (first === '{') next.push('a comma or }');
    if (first === '[') next.push('a comma or ]');
    if (next.length > maxDepth + 1)
      return { at, problem: `expected a value or an end (at most ${maxDepth} nested brackets)` };
    if (first === '}' || first === ']') next.pop();
    place = placeAfter(first, place, next.at(-1) ?? 'the end of the file');
  }
}

/** Returns the index of the closing quote of the string that begins at `start`, or of the first character that cannot be in it. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  STRING_PART.lastIndex = end;
  while (STRING_PART.test(text)) end = STRING_PART.lastIndex;
  return end;
}

/** Why a string cannot go on at a place. */
function stringFault(text: string, at: number): string {
  const sign = text.charAt(at);
  if (sign === '') return 'the string that begins here has no closing quote';
  if (sign === '\\') return 'the string that begins here has a \\ that begins no escape; write \\\\ for a \\';
  if (sign === '\n' || sign === '\r')
    return 'the string that begins here has a line break before its closing quote; add the quote, or write \\n for a line break';
  return `the string that begins here has a control character; write ${JSON.stringify(sign).slice(1, -1)} for it`;
}

function placeAfter(token: string, before: Place, afterValue: Place): Place {
  if (token === '{') return 'a name in double quotes or }';
  if (token === '[') return 'a value or ]';
  if (token === ':') return 'a value';
  if (token === ',') return afterValue === 'a comma or }' ? 'a name in double quotes' : 'a value';
  return token === '"' && before.startsWith('a name') ? 'a colon' : afterValue;
}

/** Lines and columns count from 1, columns in UTF-16 units as in editors. */
function placed(text: string, { at, problem }: JsonFault): string {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${problem}`;
}

/**
 * Lists what is wrong with a document according to a JSON schema, by path and without values; null if it is valid. Fills in the defaults
 * of the schema.
 */
export function describeFaults(document: unknown, schema: object): string | null {
  const validate = validatorOf(schema);
  if (validate(document)) return null;
  const errors = validate.errors ?? [];
  const patterned = errors.filter(({ keyword }) => keyword === 'pattern').map((error) => error.instancePath);
  // a `format` adds nothing if a `pattern`, which is easier to read, fails as well
  const faults = errors.filter(({ keyword, instancePath }) =>
    keyword === 'format' ? !patterned.includes(instancePath) : keyword !== 'if',
  );
  const listed = faults.slice(0, MAX_LISTED).map((error) => `${pathOf(error)} ${expectation(error)}`);
  if (faults.length > MAX_LISTED) listed.push(`and ${faults.length - MAX_LISTED} more`);
  return listed.join('; ');
}

/** For example `"lists[1].base_url"` or `"streams[0].sync_mode"`. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const pointer = instancePath.split('/').slice(1);
  const steps = pointer.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') steps.push(missing);
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return path === '' ? 'the document' : quoted(path.replace(/^\./, ''));
}

type Members = Readonly<Record<string, unknown>>;

const atLeast = ({ limit }: Members): string =>
  limit === 1 ? 'must not be empty' : `must have at least ${String(limit)}`;

const withArticle = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The kind of a value of the wrong type, but not the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : withArticle(typeof value);
}

/** What is expected, by the keyword that fails. */
const EXPECTATIONS: Readonly<Record<string, (params: Members, schema: Members, data: unknown) => string>> = {
  required: () => 'is missing',
  type: ({ type }, _, data) =>
    `must be ${withArticle(alternatives([type].flat().map(String)))}, not ${kindOf(data)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: ({ allowedValues }) =>
    `must be ${alternatives([allowedValues].flat().map((value) => JSON.stringify(value)))}`,
  pattern: ({ pattern }, schema) => `must be written as ${String(schema['pattern_descriptor'] ?? pattern)}`,
  format: ({ format }) =>
    format === 'date-time' ? 'must be a date and time that exist' : `must be a valid ${String(format)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: atLeast,
  minItems: atLeast,
  uniqueItems: () => 'must not contain duplicates',
};

function expectation({ keyword, params, parentSchema = {}, data, message }: ErrorObject): string {
  const { oneOf } = parentSchema as { oneOf?: { properties?: Record<string, { const?: unknown }> }[] };
  if (oneOf === undefined)
    return EXPECTATIONS[keyword]?.(params, parentSchema, data) ?? message ?? `fails ${keyword}`;
  // the constants that distinguish the variants, such as {"kind":"general"}; JSON omits what is undefined
  const variants = oneOf.map(({ properties = {} }) => {
    const constants = Object.entries(properties).map(([name, inner]) => [name, inner.const]);
    return JSON.stringify(Object.fromEntries(constants));
  });
  return `must contain ${alternatives(variants)}`;
}
