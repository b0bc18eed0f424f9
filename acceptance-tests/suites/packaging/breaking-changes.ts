import { isDeepStrictEqual } from 'node:util';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Schema } from '../conformance/schema.ts';

/** By the name of a member: whether going from one value of it to another breaks something. */
type Rules = Readonly<Record<string, (was: unknown, is: unknown) => boolean>>;

const differs = (was: unknown, is: unknown): boolean => !isDeepStrictEqual(was, is);
/** Some of the values that were there are there no more. */
const lacks = (was: unknown, is: unknown): boolean =>
  [was].flat().some((value) => [is].flat().every((other) => differs(value, other)));
const takesFewer = (was: unknown, is: unknown): boolean => is !== undefined && lacks(was, is);
const takesOther = (was: unknown, is: unknown): boolean => is !== undefined && differs(was, is);
const isRaised = (was: unknown, is: unknown): boolean => Number(is) > Number(was ?? -Infinity);
const isLowered = (was: unknown, is: unknown): boolean => Number(is) < Number(was ?? Infinity);

/** What a saved config holds is refused, or passed over in silence. Titles, descriptions and defaults break nothing. */
const CONFIG: Rules = {
  type: takesFewer,
  enum: takesFewer,
  pattern: takesOther,
  format: takesOther,
  minimum: isRaised,
  minLength: isRaised,
  minItems: isRaised,
  maximum: isLowered,
  maxLength: isLowered,
  maxItems: isLowered,
  required: (was, is) => is !== undefined && lacks(is, was ?? []),
  additionalProperties: (was, is) => is === false && was !== false,
  oneOf: (was, is) => was === undefined && is !== undefined,
};

const kinds = (type: unknown): unknown => new Set([type].flat().filter((kind) => kind !== 'null'));

/** What decides on the type of a column. That it may be null does not: each may. */
const COLUMN: Rules = {
  type: (was, is) => differs(kinds(was), kinds(is)),
  format: differs,
  airbyte_type: differs,
};

const STREAM: Rules = {
  supported_sync_modes: lacks,
  source_defined_primary_key: differs,
  default_cursor_field: differs,
  source_defined_cursor: differs,
  namespace: differs,
};

/** What in a new config schema could refuse, or pass over in silence, what a saved config holds. */
export function breakingSpecChanges(before: Schema, after: Schema): string[] {
  return schemaChanges(CONFIG, before, after, 'config');
}

/** What in a new catalog breaks connections that were made with the old one. What is new in it does not. */
export function breakingCatalogChanges(
  before: readonly AirbyteStream[],
  after: readonly AirbyteStream[],
): string[] {
  return before.flatMap((stream) => {
    const now = after.find(({ name }) => name === stream.name);
    if (now === undefined) return [`${stream.name} was removed`];
    return [
      ...memberChanges(STREAM, stream, now, stream.name),
      ...schemaChanges(COLUMN, stream.json_schema as Schema, now.json_schema as Schema, stream.name),
    ];
  });
}

function schemaChanges(rules: Rules, before: Schema, after: Schema, path: string): string[] {
  const now = partsOf(after);
  const inner = [...partsOf(before)].flatMap(([name, part]) => {
    const is = now.get(name);
    return is === undefined
      ? [`${path}${name} was removed`]
      : schemaChanges(rules, part, is, `${path}${name}`);
  });
  return [...memberChanges(rules, valuesAsEnum(before), valuesAsEnum(after), path), ...inner];
}

function memberChanges(rules: Rules, before: object, after: object, path: string): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return Object.entries(rules).flatMap(([name, isBroken]) => {
    const [was, is]: unknown[] = [old.get(name), now.get(name)];
    return isBroken(was, is) ? [`${path}: ${name} ${words(was)} → ${words(is)}`] : [];
  });
}

/** Keys, variants and items. Variants are told apart by the constants in them, so their order does not matter. */
function partsOf({ properties = {}, oneOf = [], items = [] }: Schema): Map<string, Schema> {
  return new Map([
    ...Object.entries(properties).map(([name, part]) => [`.${name}`, part] as const),
    ...oneOf.map((part) => [`(${constantsOf(part)})`, part] as const),
    ...[items].flat().map((part, index) => [`[${index}]`, part] as const),
  ]);
}

function constantsOf({ properties = {} }: Schema): string {
  const constants = Object.entries(properties).filter(([, part]) => 'const' in part);
  return constants.map(([name, part]) => `${name}=${String(part.const)}`).join();
}

const valuesAsEnum = (schema: Schema): Schema =>
  'const' in schema ? { ...schema, enum: [schema.const] } : schema;

const words = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));
