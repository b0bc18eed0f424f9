import type { ErrorObject } from 'ajv';
import { alternatives, quoted } from '../protocol/messages.ts';
import { locateJsonFault, type JsonFault } from '../rows/json-fault.ts';
import { validatorOf } from './validator.ts';
import { valueHint } from './value-hint.ts';

const MAX_DEPTH = 500; // of brackets: far more than any input needs, far less than what would exhaust the stack
const MAX_LISTED = 10; // faults in one message

/** Describes the first fault of a JSON file (see `locateJsonFault`) by line and column; null if there is none. */
export function findJsonFault(text: string): string | null {
  const fault = locateJsonFault(text, MAX_DEPTH);
  return fault === null ? null : placed(text, { at: fault.at, problem: explained(text, fault) });
}

/** Returns the documents that follow each other in a text, objects and arrays; or where it is not valid JSON, like `findJsonFault`. */
export function jsonDocuments(text: string): readonly unknown[] | string {
  const documents: unknown[] = [];
  for (let start = 0; ;) {
    const rest = text.slice(start);
    const fault = locateJsonFault(rest, MAX_DEPTH);
    const document = fault === null ? rest : rest.slice(0, fault.at);
    const isFollowed = fault?.problem === 'expected the end of the file' && /^\s*[[{]/.test(document);
    if (fault !== null && !isFollowed)
      return placed(text, { at: start + fault.at, problem: explained(rest, fault) });
    documents.push(JSON.parse(document));
    if (fault === null) return documents;
    start += fault.at;
  }
}

/** A bracket, or a text; if it is a name, its colon, and `null` if that is its value. */
const TOKEN = /[{}[\]]|"(?:[^"\\]|\\.)*"(\s*:(\s*null\b)?)?/g;

/**
 * Returns the first name that an object of a valid JSON text has twice, and its place; null if there is none. JSON.parse drops one of the
 * values, which changes nothing if both are null.
 */
export function findRepeatedName(text: string): string | null {
  const objects: (Map<string, boolean> | null)[] = []; // whether the value of each name is null
  for (const { 0: token, 1: colon, 2: value, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') objects.push(token === '{' ? new Map() : null);
    if (token === '}' || token === ']') objects.pop();
    if (colon === undefined) continue;
    const name = JSON.parse(token.slice(0, -colon.length)) as string;
    const names = objects.at(-1);
    const isNull = value !== undefined;
    if (names?.has(name) === true && !(isNull && names.get(name) === true))
      return placed(text, { at: index, problem: `${quoted(name)} is there twice, and only one could count` });
    names?.set(name, isNull);
  }
  return null;
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
  if (habit !== undefined) return habit;
  // whatever it is, its first character is no better an explanation
  if (problem === 'expected a value' && /^\s*$/.test(text.slice(0, at)) && at < text.length) return NO_JSON;
  return problem.replace(NO_COMMA, (whole) => `${whole} (a trailing comma)`);
}

const NO_JSON = 'the file must be JSON, which begins with { or [; this is something else';

const NO_COMMA = /^there must be no comma before the [}\]] that follows/;

/** Lines and columns count from 1, columns in UTF-16 units as in editors. */
function placed(text: string, { at, problem }: Pick<JsonFault, 'at' | 'problem'>): string {
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
  const member: unknown = params['missingProperty'] ?? params['additionalProperty'];
  if (typeof member === 'string') steps.push(member);
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return path === '' ? 'the document' : quoted(path.replace(/^\./, ''));
}

type Members = Readonly<Record<string, unknown>>;

const atMost = ({ limit }: Members): string => `must have at most ${String(limit)}`;

const atLeast = ({ limit }: Members): string =>
  limit === 1 ? 'must not be empty' : `must have at least ${String(limit)}`;

const withArticle = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The kind of a value of the wrong type, but not the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : withArticle(typeof value);
}

/** What is expected, by the keyword that fails. Tests keep it complete: the words of the validator are for programmers. */
export const EXPECTATIONS: Readonly<
  Record<string, (params: Members, schema: Members, data: unknown) => string>
> = {
  required: () => 'is missing',
  dependencies: ({ property }) => `is missing next to ${quoted(String(property))}`,
  additionalProperties: () => 'is unknown',
  type: ({ type }, _, data) =>
    `must be ${withArticle(alternatives([type].flat().map(String)))}, not ${kindOf(data)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: ({ allowedValues }) =>
    `must be ${alternatives([allowedValues].flat().map((value) => JSON.stringify(value)))}`,
  pattern: (_, { pattern_descriptor: form }, data) => {
    const hint = typeof data === 'string' ? valueHint(data) : null;
    const problem = typeof form === 'string' ? `must be written as ${form}` : 'is not written as it must be';
    return hint === null ? problem : `${problem}; it ${hint}`;
  },
  format: ({ format }) =>
    format === 'date-time' ? 'must be a date and time that exist' : `must be a valid ${String(format)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: atLeast,
  minItems: atLeast,
  maxItems: atMost,
  uniqueItems: () => 'must not contain duplicates',
};

function expectation({ keyword, params, parentSchema = {}, data }: ErrorObject): string {
  const { oneOf } = parentSchema as { oneOf?: { properties?: Record<string, { const?: unknown }> }[] };
  if (oneOf === undefined) return EXPECTATIONS[keyword]?.(params, parentSchema, data) ?? 'is not valid';
  // the constants that distinguish the variants, such as {"kind":"general"}; JSON omits what is undefined
  const variants = oneOf.map(({ properties = {} }) => {
    const constants = Object.entries(properties).map(([name, inner]) => [name, inner.const]);
    return JSON.stringify(Object.fromEntries(constants));
  });
  return `must contain ${alternatives(variants)}`;
}
