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
  return {
    /** Adds a row by its exact JSON text; throws SyntaxError if it is not JSON, TypeError if it is not an object. */
    add: (text: string): void => {
      const value = parseNumberKinds(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new TypeError('a sampled row is not a JSON object');
      see(rows, value, 0);
    },
    /** The schema, widened by the rows added so far. */
    schema: (): JsonSchema => {
      const hasShown = (name: string): boolean => (rows.members.get(name)?.kinds.size ?? 0) > 0;
      const declared = Object.entries(base.properties ?? {});
      const kept = declared.filter(([name]) => !(assumed.includes(name) && hasShown(name)));
      return { ...base, type: 'object', ...objectKeywords(kept, rows) };
    },
  };
}

/** Adds a value, which stands at `level`, to what was seen at a place. */
function see(place: SeenPlace, value: unknown, level: number): void {
  if (value === null) return;
  place.kinds.add(kindOf(value));
  if (typeof value !== 'object' || level >= maxLevels) return;
  if (Array.isArray(value)) {
    for (const element of value) see((place.elements ??= nothingSeen()), element, level + 1);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const inside = place.members.get(name) ?? nothingSeen();
    place.members.set(name, inside);
    see(inside, member, level + 1);
  }
  // a name among the first of all is among the first of those so far, so that nothing of it is lost here
  if (place.members.size > 2 * maxNames)
    for (const name of sortedNames(place).slice(maxNames)) place.members.delete(name);
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return isUtcTime(value) ? 'time' : 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return sampledKind(value);
  return Array.isArray(value) ? 'array' : 'object';
}

type Property = readonly [name: string, schema: JsonSchema];

function objectKeywords(declared: readonly Property[], place: SeenPlace): JsonSchema {
  const added = sortedNames(place).filter((name) => declared.every(([known]) => known !== name));
  // validators in JavaScript see an inherited member in a row without it (`constructor`), so no type could hold
  const undeclared = added.map((name): Property => [name, name in Object.prototype ? {} : NOTHING]);
  const properties = [...declared, ...undeclared.slice(0, maxNames)].map(([name, schema]): Property => {
    return [name, widened(schema, place.members.get(name) ?? nothingSeen())];
  });
  // `fromEntries` makes `__proto__` a property like any other
  return { properties: Object.fromEntries(properties), additionalProperties: true };
}

/**
 * A field as it is declared, one without types included, which accepts everything; beyond that as its values ask. It is new as
 * a time only if each of them is one that columns of times keep whole, and of nulls alone as a text: else it might be lost.
 */
function widened(declared: JsonSchema, place: SeenPlace): JsonSchema {
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
    ...(kinds.has('object') ? objectKeywords([], place) : {}),
    // without a value to go by it stays out: unlike an undeclared property, an undeclared element is lost nowhere
    ...(elements !== null && elements.kinds.size > 0 ? { items: widened(NOTHING, elements) } : {}),
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
