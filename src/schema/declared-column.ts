/** What a value can be by its first byte, as bits; null is none of them. */
export const TEXT = 1;
export const OBJECT = 2;
export const ARRAY = 4;
export const BOOLEAN = 8;
export const NUMBER = 16;
const ALL = TEXT | OBJECT | ARRAY | BOOLEAN | NUMBER;

const UTC = 'date-time';
const ZONELESS = 'date-time without zone';

const BITS: Readonly<Record<string, number>> = {
  string: TEXT,
  [UTC]: TEXT,
  [ZONELESS]: TEXT,
  object: OBJECT,
  array: ARRAY,
  boolean: BOOLEAN,
  number: NUMBER,
  integer: NUMBER,
  null: 0,
};

/** What a schema says of a top-level field, as far as a value can contradict it. */
export interface DeclaredColumn {
  /** The bits that it may have. */
  readonly accepts: number;
  /** Of numbers only integers. */
  readonly isInteger: boolean;
  /** Of texts only times in UTC, with `zoneless` those without a zone too; null for any text. */
  readonly time: 'utc' | 'zoneless' | null;
  /** In words, such as `integer`. */
  readonly words: string;
}

/**
 * Reads the schema of a field as catalogs hold it, whoever wrote it: `type`, alone or in `anyOf` or `oneOf`, `format` and
 * `airbyte_type`. What it cannot read accepts everything.
 */
export function declaredColumn(schema: unknown): DeclaredColumn {
  const types = typesOf(schema);
  if (types === null) return { accepts: ALL, isInteger: false, time: null, words: 'anything' };
  const shown = types.filter((type) => type !== 'null');
  const bits = shown.map((type) => BITS[type] ?? ALL);
  // beside other types a format is not what decides the column
  const [time = ''] = shown.length === 1 ? shown : [];
  return {
    accepts: bits.reduce((sum, bit) => sum | bit, 0),
    isInteger: shown.includes('integer') && !shown.includes('number'),
    time: time === UTC ? 'utc' : time === ZONELESS ? 'zoneless' : null,
    words: shown.length === 0 ? 'null' : shown.join(' or '),
  };
}

/** The types that a schema names, with names of their own for texts that are times; null where it names none. */
function typesOf(schema: unknown): readonly string[] | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const { type, format, airbyte_type, anyOf, oneOf } = schema as Record<string, unknown>;
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) {
    const types = variants.map(typesOf);
    return types.includes(null) ? null : types.flatMap((each) => each ?? []);
  }
  if (type === undefined) return null;
  const types = [type].flat().map(String);
  if (airbyte_type === 'integer') return types.map((each) => (each === 'number' ? 'integer' : each));
  const zoned = format === 'date-time' || airbyte_type === 'timestamp_with_timezone' ? UTC : 'string';
  const time = airbyte_type === 'timestamp_without_timezone' ? ZONELESS : zoned;
  return types.map((each) => (each === 'string' ? time : each));
}
