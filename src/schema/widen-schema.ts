import { timeKind } from '../rows/times.ts';
import { parseSampled, sampledNumber, type SampledNumber } from '../rows/numbers.ts';

/** A draft-07 schema; `type` is a plain string, as in imported `.json` files. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

export const MAX_LEVELS = 8; // declared levels of nesting; a row is level 0
export const MAX_NAMES = 1_000; // declared fields of one object, the first ones by code units
const MAX_NAME_BYTES = 300; // size of a declared name in JSON: no loader accepts a longer one
const MAX_PLACES = 20_000; // places in one schema: if there are more, the deepest levels are omitted
const UNDECLARED: JsonSchema = { type: [] };

/** What schemas distinguish. `null` is not a kind of its own, because it is allowed everywhere. */
type Kind = SampledNumber | 'time' | 'text' | 'boolean' | 'object' | 'array';

/** Which kinds of values a place in the rows has held, but not their count or order. */
interface SeenPlace {
  readonly kinds: Set<Kind>;
  readonly members: Map<string, SeenPlace>;
  elements: SeenPlace | null; // of arrays; null before the first one
}

const newLimits = () => ({
  places: Array.from({ length: MAX_LEVELS }, () => 0), // number of places at each level
  levels: MAX_LEVELS, // included in the schema
  leftOut: new Set<string>(), // descriptions of what the schema omits
});
type Limits = ReturnType<typeof newLimits>;

const nothingSeen = (): SeenPlace => ({ kinds: new Set(), members: new Map(), elements: null });
const sortedNames = ({ members }: SeenPlace): readonly string[] => [...members.keys()].toSorted();

/**
 * Widens a shipped schema until every sampled row validates. The schema depends only on which kinds of values occur at which place,
 * so a new row can only widen it. A field in `assumed` is declared as in the base until a row contains it.
 */
export function createSchemaWidener(base: JsonSchema, assumed: readonly string[]) {
  const rows = nothingSeen();
  const limits = newLimits();
  const schemaOf = (levels: number): JsonSchema => {
    const isShown = (name: string): boolean => (rows.members.get(name)?.kinds.size ?? 0) > 0;
    const properties = Object.entries(base.properties ?? {});
    const kept = properties.filter(([name]) => !assumed.includes(name) || !isShown(name));
    return { ...base, type: 'object', ...objectKeywords(kept, rows, levels) };
  };
  return {
    /** Adds a row, given as its exact JSON text; throws SyntaxError if it is not JSON, TypeError if it is not an object. */
    add: (text: string): void => {
      const value = parseSampled(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new TypeError('a sampled row is not a JSON object');
      see(rows, value, 0, limits);
    },
    /** Returns the schema, widened by all rows so far. Its deepest levels are dropped until it fits into `maxBytes`. */
    schema: (maxBytes: number): JsonSchema => {
      let schema = schemaOf(limits.levels);
      while (limits.levels > 1 && Buffer.byteLength(JSON.stringify(schema)) > maxBytes) {
        limits.levels--;
        schema = schemaOf(limits.levels);
      }
      return schema;
    },
    /** Describes what rows contain and the schema omits. */
    leftOut: (): readonly string[] => {
      const { leftOut, levels } = limits;
      return levels < MAX_LEVELS ? [...leftOut, `fields below level ${levels}`] : [...leftOut];
    },
  };
}

/** Records a value of a place at a `level` of nesting. */
function see(place: SeenPlace, value: unknown, level: number, limits: Limits): void {
  if (value === null) return;
  place.kinds.add(kindOf(value));
  if (typeof value !== 'object' || level >= limits.levels) return;
  if (Array.isArray(value)) {
    place.elements ??= nothingSeen();
    for (const element of value) see(place.elements, element, level + 1, limits);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const inside = place.members.get(name) ?? newPlace(place, name, level, limits);
    if (inside !== null) see(inside, member, level + 1, limits);
    // names that sort first at the end also sort first so far, so nothing about them is lost
    if (place.members.size <= 2 * MAX_NAMES) continue;
    limits.leftOut.add(`fields after the first ${MAX_NAMES} of an object`);
    for (const last of sortedNames(place).slice(MAX_NAMES)) place.members.delete(last);
  }
}

/** Returns a place for a new name; null if the name is too long. */
function newPlace({ members }: SeenPlace, name: string, level: number, limits: Limits): SeenPlace | null {
  if (Buffer.byteLength(JSON.stringify(name)) > MAX_NAME_BYTES) {
    limits.leftOut.add(`fields whose names exceed ${MAX_NAME_BYTES} bytes`);
    return null;
  }
  // names beyond the limit of an object replace others
  if (members.size < MAX_NAMES) limits.places[level] = (limits.places[level] ?? 0) + 1;
  const total = (): number => limits.places.slice(0, limits.levels).reduce((sum, count) => sum + count, 0);
  while (limits.levels > 1 && total() > MAX_PLACES) limits.levels--;
  const place = nothingSeen();
  members.set(name, place);
  return place;
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return timeKind(value) === 'utcTime' ? 'time' : 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return sampledNumber(value);
  return Array.isArray(value) ? 'array' : 'object';
}

type Property = readonly [name: string, schema: JsonSchema];

/** Declares at most `levels` levels from this one on. */
function objectKeywords(declared: readonly Property[], place: SeenPlace, levels: number): JsonSchema {
  const known = new Set(declared.map(([name]) => name));
  const added = sortedNames(place).filter((name) => !known.has(name));
  // validators in JavaScript find inherited members such as `constructor` in every row, so no type would be valid for all rows
  const undeclared = added.map((name): Property => [name, name in Object.prototype ? {} : UNDECLARED]);
  const properties = [...declared, ...undeclared.slice(0, MAX_NAMES)].map(([name, schema]): Property => {
    return [name, widened(schema, place.members.get(name) ?? nothingSeen(), levels - 1)];
  });
  // `fromEntries` treats `__proto__` like any other name
  return { properties: Object.fromEntries(properties), additionalProperties: true };
}

/**
 * Widens a declared field by its values; without types, it accepts every value already. A new field is a time only if time columns
 * preserve each of its values exactly, and a string if all of them are null: otherwise, values might be lost.
 */
function widened(declared: JsonSchema, place: SeenPlace, levels: number): JsonSchema {
  if (declared.type === undefined) return declared;
  const { kinds, elements } = place;
  const before = [declared.type].flat().filter((type) => type !== 'null');
  const isCovered = (type: string): boolean =>
    before.includes(type) || (type === 'integer' && before.includes('number'));
  const shown = kinds.size === 0 && before.length > 0 ? [] : typesOf(kinds);
  const types = [...before, ...shown.filter((type) => !isCovered(type))];
  const isUnion = types.length > 1 && !types.includes('string');
  const isTime = before.length === 0 && kinds.size === 1 && kinds.has('time');
  return {
    ...declared,
    type: ['null', ...(isUnion ? ['string'] : []), ...types],
    ...(isTime ? { format: 'date-time', airbyte_type: 'timestamp_with_timezone' } : {}),
    ...(kinds.has('object') ? objectKeywords([], levels > 0 ? place : nothingSeen(), levels) : {}),
    // omitted without a value: loaders do not drop undeclared elements, unlike undeclared properties
    ...(elements !== null && elements.kinds.size > 0 && levels > 0
      ? { items: widened(UNDECLARED, elements, levels - 1) }
      : {}),
  };
}

/**
 * Returns the narrowest types that accept all kinds, in a fixed order. If kinds are not compatible, or numbers do not fit
 * DECIMAL(38,9), `string` is among the types, and loaders treat the union as text.
 */
function typesOf(kinds: ReadonlySet<Kind>): readonly string[] {
  const isNumber = kinds.has('number') || kinds.has('huge');
  const plain = (['integer', 'boolean', 'object', 'array'] as const).filter((type) => kinds.has(type));
  const types = isNumber ? ['number', ...plain.filter((type) => type !== 'integer')] : plain;
  const isText = kinds.has('text') || kinds.has('time') || kinds.has('huge') || types.length !== 1;
  return isText ? ['string', ...types] : types;
}
