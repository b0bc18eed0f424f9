import { ValueKind } from '../protocol/row.ts';
import { isUtcTime, isWhole, numberKind, numbersIn } from './value-kinds.ts';

/** What a schema says of a top-level field, as far as a value can contradict it. */
export interface DeclaredColumn {
  /** The types that it names (draft-07), with names of their own for texts that are times; null if it takes anything. */
  readonly types: readonly string[] | null;
  /** A bit for each `ValueKind` that it takes without a second look. */
  readonly quick: number;
}

const UTC = 'date-time';
const ZONELESS = 'date-time without zone';
const TEXTS = ['string', UTC, ZONELESS];

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

/** Types that the first character of a value tells. */
const OTHERS: Readonly<Record<string, string>> = { '{': 'object', '[': 'array', t: 'boolean', f: 'boolean' };

/** Digits behind the point in the decimals of 38 digits that loaders make of numbers. */
const MOST_FRACTION = 9;
const LONG = 'holds numbers of more digits than loaders keep';

/** How the words of faults begin that another schema would not have. */
export const OF_SCHEMA = /is (not )?declared/;

/** A field that the catalog does not know: anything but null in it is wrong. */
export const UNDECLARED: DeclaredColumn = { types: [], quick: 1 << ValueKind.null };

/** Reads the schema of a field as any catalog holds it, with `anyOf`, `oneOf`, `airbyte_type`; if it cannot, it takes anything. */
export function declaredColumn(schema: unknown): DeclaredColumn {
  const named = typesOf(schema)?.filter((type) => type !== 'null') ?? null;
  const types = named?.every((type) => Object.hasOwn(QUICK, type)) === true ? named : null;
  const quick = (types ?? Object.keys(QUICK)).flatMap((type) => QUICK[type] ?? []);
  return { types, quick: [ValueKind.null, ...quick].reduce((bits, kind) => bits | (1 << kind), 0) };
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
  const zoned = format === 'date-time' || airbyte_type === 'timestamp_with_timezone' ? UTC : 'string';
  const string = airbyte_type === 'timestamp_without_timezone' ? ZONELESS : zoned;
  const meant: Readonly<Record<string, string>> =
    airbyte_type === 'integer' ? { number: 'integer' } : { string };
  const types = [type].flat().map(String);
  return types.map((each) => meant[each] ?? each);
}

/** What a loader may cut, move or refuse of a value, given as its exact text, in words without the value; null if nothing. */
export function valueFault(column: DeclaredColumn, json: string): string | null {
  const first = json.charAt(0);
  if (first === 'n') return null;
  if (column === UNDECLARED) return 'is not declared';
  if (first === '"') return textFault(column, json);
  const type = OTHERS[first];
  if (type === undefined) return numberFault(column, json);
  if (!takes(column, type)) return contradiction(column, type === 'boolean' ? 'a boolean' : `an ${type}`);
  for (const { text } of numbersIn(json)) if (!isWhole(text) && !keepsDouble(text)) return LONG;
  return null;
}

function takes({ types }: DeclaredColumn, ...wanted: readonly string[]): boolean {
  return types === null || wanted.some((type) => types.includes(type));
}

function contradiction({ types }: DeclaredColumn, found: string): string {
  return `is declared ${types?.join(' or ') ?? ''} and holds ${found}`;
}

function textFault(column: DeclaredColumn, json: string): string | null {
  if (!takes(column, ...TEXTS)) return contradiction(column, 'a text');
  // beside other types a format is not what decides the column
  const time = column.types?.length === 1 ? column.types[0] : undefined;
  if (time !== UTC && time !== ZONELESS) return null;
  const text = JSON.parse(json) as string;
  // times without a zone have no format, but loaders make times of them where a catalog says so
  if (isUtcTime(text) || (time === ZONELESS && isUtcTime(`${text}Z`))) return null;
  return contradiction(
    column,
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
      ? 'a time that is not in UTC, or finer than a microsecond'
      : 'a text that is no such time',
  );
}

function numberFault(column: DeclaredColumn, text: string): string | null {
  const kind = numberKind(text);
  const fits = kind === 'integer' ? takes(column, 'number', 'integer') : takes(column, 'number');
  if (!fits) {
    const whole = kind === 'integer' ? 'an integer' : 'an integer beyond 64 bits';
    return contradiction(column, isWhole(text) ? whole : 'a decimal or an exponent');
  }
  const isText = takes(column, ...TEXTS);
  if (kind === 'great' && !isText)
    return contradiction(column, 'a number beyond the range of decimals of 38 digits');
  return isWhole(text) || (keepsDouble(text) && (isText || keepsDecimal(text))) ? null : LONG;
}

/** True if a double keeps a number: the shortest text of the double is the same number. */
function keepsDouble(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && scaled(text, 0) === scaled(String(value), 0);
}

/** True if a decimal keeps a number that comes to it as a double: loaders multiply by a power of ten and round. */
function keepsDecimal(text: string): boolean {
  const kept = BigInt(Math.round(Math.abs(Number(text)) * 10 ** MOST_FRACTION));
  return scaled(text, MOST_FRACTION) === scaled(String(kept), 0);
}

/** A number without its sign, times a power of ten, in the one way to write it whose digits neither begin nor end with 0. */
function scaled(text: string, power: number): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const zeros = digits.length - significant.length;
  return `${significant}e${Number(exponent) + zeros - fraction.length + power}`;
}
