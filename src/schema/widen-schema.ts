import { isUtcTime, parseNumberKinds, sampledKind } from './value-kinds.ts';
import type { NumberKind } from './value-kinds.ts';

/** A draft-07 schema: the named keywords lead further; `type` is a plain string, as in imported `.json` files. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

export const maxLevels = 8; // of nesting that are looked at: what stands deeper is not, and a row is level 0
export const maxNames = 1_000; // of one object that are kept: of more, the first ones by code units
const MAX_NAME_BYTES = 300; // of a name in JSON that is kept: no loader takes a longer one
const MAX_PLACES = 20_000; // of one schema: with more the deepest levels are left out
/** Of a field that is not declared. */
const NOTHING: JsonSchema = { type: [] };

/** What a value can be, as far as schemas tell. `null` is not among them: every place may hold it. */
type Kind = NumberKind | 'time' | 'text' | 'boolean' | 'object' | 'array';

/** Which kinds of values a place of the rows has held; never how often, or in which order. */
interface SeenPlace {
  readonly kinds: Set<Kind>;
  readonly members: Map<string, SeenPlace>;
  /** What arrays held; null while there was nothing in any. */
  elements: SeenPlace | null;
}

const nothingSeen = (): SeenPlace => ({ kinds: new Set(), members: new Map(), elements: null });
const sortedNames = ({ members }: SeenPlace): readonly string[] => [...members.keys()].toSorted();

/**
 * Widens a shipped schema by what rows show, in memory that does not grow with their number, until every row validates. It
 * depends on which kinds stand at which place, and on nothing else: new rows change it only if they show something new in
 * kind, and then they only widen it. A field of `assumed` is as the base has it only until rows show it.
 */
export function createSchemaWidener(base: JsonSchema, assumed: readonly string[]) {
  const rows = nothingSeen();
  const seen: Seen = {
    places: Array.from({ length: maxLevels }, () => 0),
    levels: maxLevels,
    leftOut: new Set(),
  };
  const schemaOf = (levels: number, names: number): JsonSchema => {
    const hasShown = (name: string): boolean => (rows.members.get(name)?.kinds.size ?? 0) > 0;
    const declared = Object.entries(base.properties ?? {});
    const kept = declared.filter(([name]) => !(assumed.includes(name) && hasShown(name)));
    return { ...base, type: 'object', ...objectKeywords(kept, rows, { levels, names }) };
  };
  return {
    /** Adds a row by its exact JSON text; throws SyntaxError if it is not JSON, TypeError if it is not an object. */
    add: (text: string): void => {
      const value = parseNumberKinds(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new TypeError('a sampled row is not a JSON object');
      see(rows, value, 0, seen);
    },
    /** The schema, widened by the rows added so far as far as it has room in `maxBytes`: the deepest levels give way first. */
    schema: (maxBytes: number): JsonSchema => {
      let [levels, names] = [seen.levels, maxNames];
      let schema = schemaOf(levels, names);
      while (names > 1 && Buffer.byteLength(JSON.stringify(schema)) > maxBytes) {
        if (levels > 1) levels--;
        else names = Math.floor(names / 2);
        schema = schemaOf(levels, names);
      }
      seen.levels = levels;
      if (names < maxNames) seen.leftOut.add(`all but ${names} fields`);
      return schema;
    },
    /** Returns what rows have shown that is not in the schema, as text. */
    leftOut: (): readonly string[] => {
      const { leftOut, levels } = seen;
      return levels < maxLevels ? [...leftOut, `fields below level ${levels}`] : [...leftOut];
    },
  };
}

/** What bounds the places of a schema: how many there are at each level, how many levels are kept, and what that left out. */
interface Seen {
  readonly places: number[];
  levels: number;
  readonly leftOut: Set<string>;
}

/** Adds a value, which stands at `level`, to what was seen at a place. */
function see(place: SeenPlace, value: unknown, level: number, seen: Seen): void {
  if (value === null) return;
  place.kinds.add(kindOf(value));
  if (typeof value !== 'object' || level >= seen.levels) return;
  if (Array.isArray(value)) {
    for (const element of value) see((place.elements ??= nothingSeen()), element, level + 1, seen);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const inside = place.members.get(name) ?? newPlace(place, name, level, seen);
    if (inside !== null) see(inside, member, level + 1, seen);
    // a name among the first of all is among the first of those so far, so that nothing of it is lost here
    if (place.members.size <= 2 * maxNames) continue;
    seen.leftOut.add(`fields beyond ${maxNames} of one object`);
    for (const last of sortedNames(place).slice(maxNames)) place.members.delete(last);
  }
}

/** A place for a new name; null where the name is too long, or the schema has no room for its level any more. */
function newPlace({ members }: SeenPlace, name: string, level: number, seen: Seen): SeenPlace | null {
  if (name.length > MAX_NAME_BYTES || Buffer.byteLength(JSON.stringify(name)) > MAX_NAME_BYTES) {
    seen.leftOut.add(`fields whose names exceed ${MAX_NAME_BYTES} bytes`);
    return null;
  }
  // those of one object that are beyond the names kept take the place of others
  if (members.size < maxNames) seen.places[level] = (seen.places[level] ?? 0) + 1;
  const total = (): number => seen.places.slice(0, seen.levels).reduce((sum, count) => sum + count, 0);
  while (seen.levels > 1 && total() > MAX_PLACES) seen.levels--;
  const place = nothingSeen();
  members.set(name, place);
  return place;
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return isUtcTime(value) ? 'time' : 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return sampledKind(value);
  return Array.isArray(value) ? 'array' : 'object';
}

type Property = readonly [name: string, schema: JsonSchema];

/** How many levels, from this one on, and how many names of an object a schema has. */
type Room = Readonly<{ levels: number; names: number }>;

function objectKeywords(declared: readonly Property[], place: SeenPlace, room: Room): JsonSchema {
  const known = new Set(declared.map(([name]) => name));
  const added = sortedNames(place).filter((name) => !known.has(name));
  // validators in JavaScript see an inherited member in a row without it (`constructor`), so no type could hold
  const undeclared = added.map((name): Property => [name, name in Object.prototype ? {} : NOTHING]);
  const properties = [...declared, ...undeclared.slice(0, room.names)].map(([name, schema]): Property => {
    return [
      name,
      widened(schema, place.members.get(name) ?? nothingSeen(), { ...room, levels: room.levels - 1 }),
    ];
  });
  // `fromEntries` makes `__proto__` a property like any other
  return { properties: Object.fromEntries(properties), additionalProperties: true };
}

/**
 * A field as it is declared, one without types included, which accepts everything; beyond that as its values ask. It is new as
 * a time only if each of them is one that columns of times keep whole, and of nulls alone as a text: else it might be lost.
 */
function widened(declared: JsonSchema, place: SeenPlace, room: Room): JsonSchema {
  if (declared.type === undefined) return declared;
  const { kinds, elements } = place;
  const before = [declared.type].flat().filter((type) => type !== 'null');
  const covered = (type: string): boolean =>
    before.includes(type) || (type === 'integer' && before.includes('number'));
  const shown = kinds.size === 0 && before.length > 0 ? [] : typesOf(kinds);
  const types = [...before, ...shown.filter((type) => !covered(type))];
  const isUnion = types.length > 1 && !types.includes('string');
  const isTime = before.length === 0 && kinds.size === 1 && kinds.has('time');
  return {
    ...declared,
    type: ['null', ...(isUnion ? ['string'] : []), ...types],
    ...(isTime ? { format: 'date-time', airbyte_type: 'timestamp_with_timezone' } : {}),
    ...(kinds.has('object') ? objectKeywords([], room.levels > 0 ? place : nothingSeen(), room) : {}),
    // without a value to go by it stays out: unlike an undeclared property, an undeclared element is lost nowhere
    ...(elements !== null && elements.kinds.size > 0 && room.levels > 0
      ? { items: widened(NOTHING, elements, { ...room, levels: room.levels - 1 }) }
      : {}),
  };
}

/**
 * The narrowest types of draft-07 that hold all kinds, in an order of their own. Where they do not go together, or numbers fit
 * no decimal of 38 digits, `string` is among them, and loaders take the union for text.
 */
function typesOf(kinds: ReadonlySet<Kind>): readonly string[] {
  const isNumber = kinds.has('number') || kinds.has('great');
  const types = [
    ...(isNumber ? ['number'] : kinds.has('integer') ? ['integer'] : []),
    ...(['boolean', 'object', 'array'] as const).filter((type) => kinds.has(type)),
  ];
  const isText = kinds.has('text') || kinds.has('time') || kinds.has('great') || types.length !== 1;
  return isText ? ['string', ...types] : types;
}
