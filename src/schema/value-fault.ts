import { ValueKind } from '../rows/row.ts';
import { isUtcTime, isWhole, numberKind, numbersIn } from './value-kinds.ts';

/** What the schema of a top-level field declares. */
export interface DeclaredColumn {
  readonly types: readonly string[]; // of draft-07, with separate names for times
  /** What is wrong with values of each `ValueKind`; null: nothing; undefined: it depends on the value. */
  readonly faults: readonly (string | null | undefined)[];
}

const UTC = 'date-time';
const ZONELESS = 'date-time without zone';
const TEXTS = ['string', UTC, ZONELESS];

/** Descriptions of values, and the types that accept them. */
const ACCEPTED_BY = {
  'a string': TEXTS,
  'a boolean': ['boolean'],
  'an integer': ['integer', 'number'],
  'an integer beyond 64 bits': ['number'],
  'a fraction or exponent': ['number'],
  'an object': ['object'],
  'an array': ['array'],
};
const ALL_TYPES = [...new Set(Object.values(ACCEPTED_BY).flat())];

const TIME_SAMPLES = [
  '"2000-02-30T00:00:00Z"',
  '"2000-01-01T00:00:00+01:00"',
  '"2000-01-01T00:00:00"',
  '"2000-01-01T00:00:00Z"',
];
/** Sample values of each `ValueKind`, in its order. If their faults differ, every value of the kind must be inspected. */
const SAMPLES = [
  ['null'],
  ['"x"'],
  ['"x"', ...TIME_SAMPLES],
  ...TIME_SAMPLES.map((json) => [json]),
  ['true'],
  ['1'],
  ['9223372036854775808'],
  ['0.5'],
  ['0.1234567891'],
  ['0.12345678901234567'],
  ['1e400', '1e40', '9'.repeat(40), '1e-30', '1e28'],
  ['{}'],
  ['[]'],
  ['{"a":0.12345678901234567}'],
  ['[0.12345678901234567]'],
  ['{}', '{"a":0.12345678901234567}'],
  ['[]', '[0.12345678901234567]'],
];

const MAX_FRACTION = 9; // digits after the decimal point in DECIMAL(38,9), to which loaders convert numbers
const MAX_REPRINTED = 4000; // characters of a value that can be serialized whatever its depth
const TIME_FORM = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/;
const LONG = 'holds numbers with more digits than loaders preserve';
/** Matches faults that another schema would avoid. */
export const OF_SCHEMA = /is (not )?declared/;

/** A field that is not in the catalog: any value but null is a fault. */
export const UNDECLARED: DeclaredColumn = {
  types: [],
  faults: SAMPLES.map((_, kind) => (kind === ValueKind.null ? null : 'is not declared')),
};

/** Reads the schema of a field, including `anyOf`, `oneOf` and `airbyte_type`. A schema that is not understood accepts any value. */
export function declaredColumn(schema: unknown): DeclaredColumn {
  const named = typesOf(schema).filter((type) => type !== 'null');
  const types = named.every((type) => ALL_TYPES.includes(type)) ? named : ALL_TYPES;
  const name = types.join();
  const column = columns.get(name) ?? { types, faults: SAMPLES.map((values) => sharedFault(types, values)) };
  columns.set(name, column);
  return column;
}

const columns = new Map<string, DeclaredColumn>(); // columns by their types; most tables have only a few kinds of columns

/** Returns the fault that all these values have; undefined if their faults differ. */
function sharedFault(types: readonly string[], values: readonly string[]): string | null | undefined {
  const [first = null, ...others] = values.map((json) => valueFault(types, json));
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

/** Describes what a loader may truncate, shift or reject, without quoting the value; null: nothing. `json` is its exact text. */
export function valueFault(types: readonly string[], json: string): string | null {
  if (json === 'null') return null;
  const isDeclared = (accepting: readonly string[]): boolean =>
    types.some((type) => accepting.includes(type));
  const contradiction = (found: string): string => `is declared as ${types.join(' or ')} but holds ${found}`;
  const kind = describeKind(json);
  if (!isDeclared(ACCEPTED_BY[kind])) return contradiction(kind);
  if (kind === 'a string') {
    const fault = timeFault(types, json);
    return fault === null ? null : contradiction(fault);
  }
  const isNumber = ACCEPTED_BY[kind].includes('number');
  // a shortcut: JSON.stringify writes the shortest form of each double, but recurses, so deep values would exhaust the stack
  if (!isNumber && json.length < MAX_REPRINTED && JSON.stringify(JSON.parse(json)) === json) return null;
  const isDecimal = isNumber && !isDeclared(TEXTS);
  if (isDecimal && numberKind(json) === 'huge')
    return contradiction('a number beyond the range of decimals of 38 digits');
  for (const { text } of isNumber ? [{ text: json }] : numbersIn(json))
    if (!isWhole(text) && !(keepsDouble(text) && (!isDecimal || keepsDecimal(text)))) return LONG;
  return null;
}

function describeKind(json: string): keyof typeof ACCEPTED_BY {
  const first = json.charAt(0);
  if (first === '"') return 'a string';
  if (first === '{') return 'an object';
  if (first === '[') return 'an array';
  if (first === 't' || first === 'f') return 'a boolean';
  if (!isWhole(json)) return 'a fraction or exponent';
  return numberKind(json) === 'integer' ? 'an integer' : 'an integer beyond 64 bits';
}

/** Describes a string that a time column does not preserve; null if it does, or if other types are declared as well. */
function timeFault(types: readonly string[], json: string): string | null {
  const [type, ...others] = types;
  if (type === 'string' || others.length > 0) return null;
  const text = JSON.parse(json) as string;
  // times without a zone have no `format`, but loaders convert them if a catalog declares them
  if (isUtcTime(text) || (type === ZONELESS && isUtcTime(`${text}Z`))) return null;
  const [form, day, minute, second = ':00'] = TIME_FORM.exec(text) ?? [];
  if (form === undefined) return 'a string that is not a time';
  return isUtcTime(`${day}T${minute}${second}Z`)
    ? 'a time that is not RFC 3339 in UTC, to microseconds'
    : 'a date or time that does not exist (such as February 30 or second 60)';
}

/** True if a double preserves a number exactly: its shortest form is the same number. */
const keepsDouble = (text: string): boolean => scaled(text, 0) === scaled(String(Number(text)), 0);

/** True if a decimal preserves a double: loaders multiply it by a power of ten and round. */
function keepsDecimal(text: string): boolean {
  const kept = BigInt(Math.round(Math.abs(Number(text)) * 10 ** MAX_FRACTION));
  return scaled(text, MAX_FRACTION) === scaled(String(kept), 0);
}

/** Normalizes a number without its sign, times a power of ten: digits that neither begin nor end with 0, and an exponent. */
function scaled(text: string, power: number): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)e?(.*)$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  // without the lookbehind, a number of a million digits would take hours
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) + digits.length - significant.length - fraction.length + power}`;
}
