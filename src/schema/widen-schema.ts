import type { JsonSchema } from './json-schema.ts';
import { parseNumberKinds, type SampledValue } from './number-kinds.ts';
import { matchesFormat } from './string-format.ts';
import { timeKeywords } from './time-keywords.ts';
import { growTypes, shownTypes } from './type-union.ts';

/** Levels of nesting that inference declares: what an object or array holds at this level (a row is level 0) stays open. */
export const maxLevels = 8;

/** Properties of one object up to which inference adds new ones: those in most rows first, then by name. */
export const maxProperties = 1_000;

type Members = { readonly [name: string]: SampledValue };

/**
 * The shipped schema `base`, widened by what sampled rows show. A place that `base` declares keeps all that is said of it,
 * and its type list grows by what the rows show beside it; only a `format` that a row breaks goes. A place it does not
 * declare is added, nullable, with the union of the types shown (`number` where any number has a fraction or exponent),
 * nested objects and arrays included, and as a time where `timeKeywords` says so. Everything stays open:
 * `additionalProperties` is true in every object.
 *
 * Guaranteed, for every list of rows:
 * - every row validates (draft-07, formats on), and the order of rows does not show;
 * - more rows only widen: a type that the schema from fewer rows names at a place is accepted there by the schema from more.
 *   Three things are no promise and may be taken back. A field of which only nulls were seen is named a string until a
 *   value appears, since a warehouse may lose the column if it is undeclared, `["null"]` or `{}`. The time keywords of a new
 *   field come with the twentieth time and go with the first other value. Beyond `maxProperties`, a rarer new property
 *   gives way to a more frequent one and is then undeclared, which accepts everything;
 * - base properties stand first, as they stood, then new ones sorted by code units (names that are array indexes, like
 *   `7`, come before all others in every JavaScript object).
 *
 * A conflict of any types is a union of them, never `{}`: warehouses take `{}` for an object and put null in the place of
 * other values. The one exception are names that every JavaScript object inherits (`constructor`, `toString`): validators
 * written in JavaScript see the inherited function in a row without them, so no type could hold.
 *
 * `base` may use `type`, `properties`, `items` (one schema), `additionalProperties`, `format` and annotations; a place in it
 * without `type` accepts everything and stays as it is. It is not changed. `rows` are the exact JSON texts.
 *
 * @throws {SyntaxError} a row is not JSON
 * @throws {TypeError} a row is not an object
 */
export function widenSchema(base: JsonSchema, rows: readonly string[]): JsonSchema {
  const objects = rows.map((row) => {
    const value = parseNumberKinds(row);
    if (!isMembers(value)) throw new TypeError('a sampled row is not a JSON object');
    return value;
  });
  return { type: 'object', ...base, ...objectKeywords(base, objects, 0) };
}

function widenDeclared(base: JsonSchema, values: readonly SampledValue[], level: number): JsonSchema {
  if (base.type === undefined) return base;
  const type = growTypes([base.type].flat(), shownTypes(values));
  const { format, ...unformatted } = base;
  const broken = format !== undefined && !values.filter(isText).every((text) => matchesFormat(format, text));
  return { ...(broken ? unformatted : base), type, ...nestedKeywords(type, base, values, level) };
}

function inferPlace(values: readonly SampledValue[], level: number): JsonSchema {
  const shown = shownTypes(values);
  if (shown.size === 0) return { type: ['null', 'string'] };
  const type = growTypes([], shown);
  const times = shown.size === 1 ? timeKeywords(values.filter(isText)) : {};
  return { type, ...times, ...nestedKeywords(type, {}, values, level) };
}

function nestedKeywords(
  type: readonly string[],
  base: JsonSchema,
  values: readonly SampledValue[],
  level: number,
): JsonSchema {
  return {
    ...(type.includes('object') ? objectKeywords(base, values.filter(isMembers), level) : {}),
    ...(type.includes('array') ? arrayKeywords(base, values.filter(Array.isArray), level) : {}),
  };
}

function objectKeywords(base: JsonSchema, objects: readonly Members[], level: number): JsonSchema {
  const declared = base.properties ?? {};
  const columns = new Map<string, SampledValue[]>();
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const column = columns.get(name);
      if (column === undefined) columns.set(name, [value]);
      else column.push(value);
    }
  }
  const kept = Object.entries(declared).map(([name, schema]): [string, JsonSchema] => [
    name,
    widenDeclared(schema, columns.get(name) ?? [], level + 1),
  ]);
  const room = level < maxLevels ? Math.max(0, maxProperties - kept.length) : 0;
  const added = [...columns]
    .filter(([name]) => !Object.hasOwn(declared, name))
    .toSorted(([a, inA], [b, inB]) => inB.length - inA.length || byCodeUnits(a, b))
    .slice(0, room)
    .toSorted(([a], [b]) => byCodeUnits(a, b))
    .map(([name, values]): [string, JsonSchema] => [
      name,
      name in Object.prototype ? {} : inferPlace(values, level + 1),
    ]);
  // `fromEntries` makes `__proto__` a property like any other.
  return { properties: Object.fromEntries([...kept, ...added]), additionalProperties: true };
}

// Without a value to go by, `items` stays out: unlike an undeclared property, an undeclared element is lost nowhere.
function arrayKeywords(base: JsonSchema, arrays: readonly SampledValue[][], level: number): JsonSchema {
  const elements = arrays.flat();
  if (base.items !== undefined) return { items: widenDeclared(base.items, elements, level + 1) };
  const known = level < maxLevels && elements.some((element) => element !== null);
  return known ? { items: inferPlace(elements, level + 1) } : {};
}

const isText = (value: SampledValue) => typeof value === 'string';
const isMembers = (value: SampledValue): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const byCodeUnits = (a: string, b: string) => (a < b ? -1 : 1);
