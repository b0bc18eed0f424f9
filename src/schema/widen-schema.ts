import type { JsonSchema } from './json-schema.ts';
import { parseNumberKinds } from './number-kinds.ts';
import { maxNames, nothingSeen, see, sortedNames } from './seen-place.ts';
import type { Kind, SeenPlace } from './seen-place.ts';

/** Rows as they come, and the schema that they show. */
export interface SchemaWidener {
  /**
   * Adds a row by its exact JSON text.
   *
   * @throws {SyntaxError} it is not JSON
   * @throws {TypeError} it is not an object
   */
  readonly add: (row: string) => void;
  /** The top-level fields that have held anything but null. */
  readonly hasShown: (field: string) => boolean;
  /** The schema `base`, widened by the rows added so far; `base` is not changed. */
  readonly schema: (base: JsonSchema) => JsonSchema;
}

/**
 * Widens a shipped schema by what rows show, in memory that does not grow with their number. A field that the base declares
 * keeps its annotations, and its types grow by what the rows show beside them. A field that it does not declare is added,
 * nullable, nested objects and arrays alike:
 *
 * - `integer` only if each value seen is an integer within 64 bits, else `number`;
 * - a date-time only if each value seen is a time in UTC to the microsecond, else a string: columns of times would cut or
 *   move what is more than that;
 * - values that do not go together (booleans and numbers, numbers and texts), and numbers beyond decimals of 38 digits: a
 *   union with `string` in it, which loaders take for text;
 * - only nulls, so far: a string, since a warehouse may lose a column that is undeclared, `["null"]` or `{}`. Names that
 *   every JavaScript object inherits (`constructor`) are `{}`: validators written in JavaScript see the inherited function in
 *   a row without them, so no type could hold.
 *
 * Everything stays open (`additionalProperties`), and every row validates (draft-07, formats on). The schema depends on which
 * kinds stand at which place, and on nothing else: not on the order of rows, nor on how many there are of a kind. New rows
 * change it only if they show something new in kind, and then they only widen it.
 */
export function createSchemaWidener(): SchemaWidener {
  const rows = nothingSeen();
  return {
    add: (text) => {
      const value = parseNumberKinds(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new TypeError('a sampled row is not a JSON object');
      see(rows, value, 0);
    },
    hasShown: (field) => (rows.members.get(field)?.kinds.size ?? 0) > 0,
    schema: (base) => ({ ...base, type: 'object', ...objectKeywords(base.properties ?? {}, rows) }),
  };
}

function objectKeywords(declared: Readonly<Record<string, JsonSchema>>, place: SeenPlace): JsonSchema {
  const kept = Object.entries(declared).map(([name, schema]): [string, JsonSchema] => [
    name,
    widened(schema, place.members.get(name) ?? nothingSeen()),
  ]);
  const added = sortedNames(place)
    .filter((name) => !Object.hasOwn(declared, name))
    .slice(0, maxNames)
    .map((name): [string, JsonSchema] => [
      name,
      name in Object.prototype ? {} : inferred(place.members.get(name) ?? nothingSeen()),
    ]);
  // `fromEntries` makes `__proto__` a property like any other.
  return { properties: Object.fromEntries([...kept, ...added]), additionalProperties: true };
}

/** A declared field says its types; one without accepts everything and stays as it is. */
function widened(declared: JsonSchema, place: SeenPlace): JsonSchema {
  if (declared.type === undefined) return declared;
  const before = [declared.type].flat().filter((type) => type !== 'null');
  const covered = (type: string): boolean =>
    before.includes(type) || (type === 'integer' && before.includes('number'));
  const shown = place.kinds.size === 0 ? [] : typesOf(place.kinds);
  const types = [...before, ...shown.filter((type) => !covered(type))];
  const isUnion = types.length > 1 && !types.includes('string');
  return { ...declared, type: ['null', ...(isUnion ? ['string'] : []), ...types], ...nestedKeywords(place) };
}

function inferred(place: SeenPlace): JsonSchema {
  const isTime = place.kinds.size === 1 && place.kinds.has('time');
  return {
    type: ['null', ...typesOf(place.kinds)],
    ...(isTime ? { format: 'date-time', airbyte_type: 'timestamp_with_timezone' } : {}),
    ...nestedKeywords(place),
  };
}

/** Without a value to go by, `items` stays out: unlike an undeclared property, an undeclared element is lost nowhere. */
function nestedKeywords(place: SeenPlace): JsonSchema {
  const hasItems = place.elements !== null && place.elements.kinds.size > 0;
  return {
    ...(place.kinds.has('object') ? objectKeywords({}, place) : {}),
    ...(hasItems && place.elements !== null ? { items: inferred(place.elements) } : {}),
  };
}

/** The types of draft-07 for kinds, in an order of their own: the narrowest ones that hold all of them. */
function typesOf(kinds: ReadonlySet<Kind>): readonly string[] {
  const isNumber = kinds.has('number') || kinds.has('great');
  const types = [
    ...(isNumber ? ['number'] : kinds.has('integer') ? ['integer'] : []),
    ...(['boolean', 'object', 'array'] as const).filter((type) => kinds.has(type)),
  ];
  const isText = kinds.has('text') || kinds.has('time') || kinds.has('great') || types.length !== 1;
  return isText ? ['string', ...types] : types;
}
