import { MAY_BE, ValueKind, type ValueKindName } from '../rows/value-kind.ts';

/** What is wrong with values of each `ValueKind` in a column; null: nothing; undefined: it depends on the exact kind of the value. */
export type ColumnFaults = readonly (string | null | undefined)[];

const UTC = 'date-time';
const ZONELESS = 'date-time without zone';
const TEXTS = ['string', UTC, ZONELESS];
const TEXT = { words: 'a string', types: TEXTS };
const BIG = { words: 'an integer beyond 64 bits', types: ['number'] };
const FRACTION = { words: 'a fraction or exponent', types: ['number'] };
const OBJECT = { words: 'an object', types: ['object'] };
const ARRAY = { words: 'an array', types: ['array'] };

/** How messages call values of each kind, and the types that accept them, of draft-07 with separate names for times. */
const VALUES: Readonly<Partial<Record<ValueKindName, { words: string; types: readonly string[] }>>> = {
  text: TEXT,
  unrealTime: TEXT,
  otherTime: TEXT,
  localTime: TEXT,
  utcTime: TEXT,
  boolean: { words: 'a boolean', types: ['boolean'] },
  integer: { words: 'an integer', types: ['integer', 'number'] },
  largeInteger: BIG,
  hugeInteger: BIG,
  decimal: FRACTION,
  double: FRACTION,
  hugeDouble: FRACTION,
  longNumber: FRACTION,
  hugeNumber: FRACTION,
  object: OBJECT,
  objectWithLong: OBJECT,
  array: ARRAY,
  arrayWithLong: ARRAY,
};
const ALL_TYPES = [...new Set(Object.values(VALUES).flatMap(({ types }) => types))];
const KINDS = Object.keys(ValueKind) as ValueKindName[];

/** What a time column does not preserve. */
const TIME_FAULTS: Readonly<Partial<Record<ValueKindName, string>>> = {
  text: 'a string that is not a time',
  unrealTime: 'a date or time that does not exist (such as February 30 or second 60)',
  otherTime: 'a time that is not RFC 3339 in UTC, to microseconds',
  localTime: 'a time that is not RFC 3339 in UTC, to microseconds',
};
const HUGE = 'a number beyond the range of decimals of 38 digits';
const LONG = 'holds numbers with more digits than loaders preserve';
/** Matches faults that another schema would avoid. */
export const OF_SCHEMA = /is (not )?declared/;

/** A field that is not in the catalog: any value but null is a fault. */
export const UNDECLARED: ColumnFaults = KINDS.map((kind) => (kind === 'null' ? null : 'is not declared'));

/** The faults of a column with the schema of a field, including `anyOf`, `oneOf` and `airbyte_type`. A schema that is not understood accepts any value. */
export function declaredFaults(schema: unknown): ColumnFaults {
  const named = typesOf(schema).filter((type) => type !== 'null');
  const types = named.every((type) => ALL_TYPES.includes(type)) ? named : ALL_TYPES;
  const name = types.join();
  const faults = known.get(name) ?? KINDS.map((kind) => sharedFault(types, kind));
  known.set(name, faults);
  return faults;
}

const known = new Map<string, ColumnFaults>(); // by types; most tables have only a few kinds of columns

/** Returns what is wrong with values of a kind; undefined if it depends on what the scanner leaves open. */
function sharedFault(types: readonly string[], kind: ValueKindName): string | null | undefined {
  const [first = null, ...others] = (MAY_BE[kind] ?? [kind]).map((each) => faultOf(types, each));
  return others.every((fault) => fault === first) ? first : undefined;
}

/** Returns the types that a schema names, or an unknown name if it accepts any value. */
function typesOf(schema: unknown): readonly string[] {
  const { type, format, airbyte_type, anyOf, oneOf } = Object(schema) as Readonly<Record<string, unknown>>;
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) return variants.flatMap(typesOf);
  const zoned = format === 'date-time' || airbyte_type === 'timestamp_with_timezone' ? UTC : 'string';
  const string = airbyte_type === 'timestamp_without_timezone' ? ZONELESS : zoned;
  const number = airbyte_type === 'integer' ? 'integer' : 'number';
  const renamed = new Map(Object.entries({ string, number }));
  return [type].flat().map((each) => renamed.get(String(each)) ?? String(each));
}

/** Describes what a loader may truncate, shift or reject in values of a kind; null: nothing. */
function faultOf(types: readonly string[], kind: ValueKindName): string | null {
  const value = VALUES[kind];
  if (value === undefined) return null;
  const contradiction = (found: string): string => `is declared as ${types.join(' or ')} but holds ${found}`;
  if (!types.some((type) => value.types.includes(type))) return contradiction(value.words);
  if (value === TEXT) {
    const fault = timeFault(types, kind);
    return fault === null ? null : contradiction(fault);
  }
  // a column that accepts texts too is one of texts
  const isDecimal = !types.some((type) => TEXTS.includes(type));
  if (isDecimal && kind.startsWith('huge')) return contradiction(HUGE);
  const isLong = kind.endsWith('WithLong') || kind === 'longNumber' || kind === 'hugeNumber';
  return isLong || (isDecimal && kind === 'double') ? LONG : null;
}

/** Describes a string that a time column does not preserve; null if it does, or if other types are declared as well. */
function timeFault([type, ...others]: readonly string[], kind: ValueKindName): string | null {
  if (type === 'string' || others.length > 0) return null;
  return type === ZONELESS && kind === 'localTime' ? null : (TIME_FAULTS[kind] ?? null);
}
