import type { ErrorObject } from 'ajv';
import { alternatives, quoted } from '../protocol/messages.ts';
import { locateJsonFault, type JsonFault } from '../rows/json-fault.ts';
import { explained } from './json-habits.ts';
import { validatorOf } from './validator.ts';
import { quotesHint, valueHint } from './value-hint.ts';

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
  // a question ends a sentence
  return listed.join('; ').replaceAll('?; ', '? ');
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
  pattern: (_, { pattern_descriptor: form }) =>
    typeof form === 'string' ? `must be written as ${form}` : 'is not written as it must be',
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
  const types = oneOf === undefined ? [(params as Members)['type']].flat() : ['object'];
  const hint = typeof data === 'string' ? (quotesHint(data, types) ?? valueHint(data)) : null;
  const advice = hint === null ? '' : `; it ${hint}`;
  if (oneOf === undefined)
    return `${EXPECTATIONS[keyword]?.(params, parentSchema, data) ?? 'is not valid'}${advice}`;
  // the constants that distinguish the variants, such as {"kind":"general"}; JSON omits what is undefined
  const variants = oneOf.map(({ properties = {} }) => {
    const constants = Object.entries(properties).map(([name, inner]) => [name, inner.const]);
    return JSON.stringify(Object.fromEntries(constants));
  });
  return `must contain ${alternatives(variants)}${advice}`;
}
