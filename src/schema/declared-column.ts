import { ValueKind } from '../protocol/row.ts';

/** What a schema says of a top-level field, as far as a value can contradict it. */
export interface DeclaredColumn {
  /** The types that it names (draft-07), with names of their own for texts that are times; null if it takes anything. */
  readonly types: readonly string[] | null;
  /** Of numbers it takes integers only. */
  readonly isInteger: boolean;
  /** Of texts it takes only times in UTC, with `zoneless` those without a zone too; null for any text. */
  readonly time: 'utc' | 'zoneless' | null;
  /** A bit for each `ValueKind` that it takes without a second look. */
  readonly quick: number;
}

const UTC = 'date-time';
const ZONELESS = 'date-time without zone';

const QUICK: Readonly<Record<string, readonly number[]>> = {
  string: [ValueKind.text, ValueKind.utcTime],
  [UTC]: [ValueKind.utcTime],
  [ZONELESS]: [ValueKind.utcTime],
  integer: [ValueKind.integer],
  number: [ValueKind.integer, ValueKind.decimal],
  boolean: [ValueKind.boolean],
  object: [ValueKind.object],
  array: [ValueKind.array],
};

/**
 * Reads the schema of a field as catalogs hold it, whoever wrote it: `type`, alone or in `anyOf` or `oneOf`, `format` and
 * `airbyte_type`. What it cannot read takes anything.
 */
export function declaredColumn(schema: unknown): DeclaredColumn {
  const named = typesOf(schema)?.filter((type) => type !== 'null') ?? null;
  const types = named?.every((type) => Object.hasOwn(QUICK, type)) === true ? named : null;
  // beside other types a format is not what decides the column
  const [only] = types?.length === 1 ? types : [];
  const quick = (types ?? Object.keys(QUICK)).flatMap((type) => QUICK[type] ?? []);
  return {
    types,
    isInteger: types !== null && types.includes('integer') && !types.includes('number'),
    time: only === UTC ? 'utc' : only === ZONELESS ? 'zoneless' : null,
    quick: [ValueKind.null, ...quick].reduce((bits, kind) => bits | (1 << kind), 0),
  };
}

/** True if a column takes values of one of the types. */
export function takes({ types }: DeclaredColumn, ...wanted: readonly string[]): boolean {
  return types === null || wanted.some((type) => types.includes(type));
}

/** True if a column takes texts of any kind, or texts that are times. */
export function takesText(column: DeclaredColumn): boolean {
  return takes(column, 'string', UTC, ZONELESS);
}

/** The types that a schema names; null where it names none. */
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
