import { ValueKind } from '../rows/row.ts';
import { isUtcTime, isWhole, numberKind, numbersIn } from './value-kinds.ts';

/** What a schema says of a top-level field, as far as a value can contradict it. */
export interface DeclaredColumn {
  /** The types that it names (draft-07), with names of their own for texts that are times; null if it takes anything. */
  readonly types: readonly string[] | null;
  /** What is wrong with a value of each `ValueKind`: null if nothing is; undefined if the value itself has to be looked at. */
  readonly faults: readonly (string | null | undefined)[];
}

const UTC = 'date-time';
const ZONELESS = 'date-time without zone';
const TEXTS = ['string', UTC, ZONELESS];

/** What values are, in words, and the types of columns that take them. */
const TAKEN_BY = {
  'a text': TEXTS,
  'a boolean': ['boolean'],
  'an integer': ['integer', 'number'],
  'an integer beyond 64 bits': ['number'],
  'a decimal or an exponent': ['number'],
  'an object': ['object'],
  'an array': ['array'],
};

const TIME_SAMPLES = [
  '"2000-02-30T00:00:00Z"',
  '"2000-01-01T00:00:00+01:00"',
  '"2000-01-01T00:00:00"',
  '"2000-01-01T00:00:00Z"',
];
/** Values of each `ValueKind`, in their order: those of one kind have the same fault, or else each has to be looked at. */
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

const MOST_FRACTION = 9; // digits behind the point in the decimals of 38 digits that loaders make of numbers
const TIME_FORM = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/;
const LONG = 'holds numbers of more digits than loaders keep';
/** How the words of faults begin that another schema would not have. */
export const OF_SCHEMA = /is (not )?declared/;

/** A field that the catalog does not know: anything but null in it is wrong. */
export const UNDECLARED: DeclaredColumn = {
  types: [],
  faults: SAMPLES.map((_, kind) => (kind === ValueKind.null ? null : 'is not declared')),
};

/** Reads the schema of a field as any catalog holds it, with `anyOf`, `oneOf`, `airbyte_type`; if it cannot, it takes anything. */
export function declaredColumn(schema: unknown): DeclaredColumn {
  const named = typesOf(schema).filter((type) => type !== 'null');
  const types = named.every((type) => Object.values(TAKEN_BY).flat().includes(type)) ? named : null;
  const name = types?.join() ?? 'any';
  const column = columns.get(name) ?? { types, faults: SAMPLES.map((values) => sharedFault(types, values)) };
  columns.set(name, column);
  return column;
}

/** Columns by their types: most tables have a few kinds of them. */
const columns = new Map<string, DeclaredColumn>();

/** Returns what is wrong with each of these values; undefined if that differs. */
function sharedFault(types: DeclaredColumn['types'], values: readonly string[]): string | null | undefined {
  const [first = null, ...others] = values.map((json) => valueFault(types, json));
  return others.every((fault) => fault === first) ? first : undefined;
}

/** The types that a schema names; one that is none where it takes anything. */
function typesOf(schema: unknown): readonly string[] {
  const { type, format, airbyte_type, anyOf, oneOf } = Object(schema) as Readonly<Record<string, unknown>>;
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) return variants.flatMap(typesOf);
  const zoned = format === 'date-time' || airbyte_type === 'timestamp_with_timezone' ? UTC : 'string';
  const string = airbyte_type === 'timestamp_without_timezone' ? ZONELESS : zoned;
  const number = airbyte_type === 'integer' ? 'integer' : 'number';
  const types = [type].flat().map(String);
  return types.map((each) => (each === 'string' ? string : each === 'number' ? number : each));
}

/** What a loader may cut, move or refuse of a value, given as its exact text, in words without the value; null if nothing. */
export function valueFault(types: DeclaredColumn['types'], json: string): string | null {
  if (json === 'null') return null;
  const takes = (wanted: readonly string[]): boolean =>
    types === null || types.some((type) => wanted.includes(type));
  const contradiction = (found: string): string =>
    `is declared ${types?.join(' or ') ?? ''} and holds ${found}`;

  const words = wordsFor(json);
  if (!takes(TAKEN_BY[words])) return contradiction(words);
  if (words === 'a text') {
    const fault = timeFault(types, json);
    return fault === null ? null : contradiction(fault);
  }
  const isNumber = TAKEN_BY[words].includes('number');
  // what JSON.stringify writes like this has the shortest texts of its doubles
  if (!isNumber && JSON.stringify(JSON.parse(json)) === json) return null;
  const isDecimal = isNumber && !takes(TEXTS);
  if (isDecimal && numberKind(json) === 'great')
    return contradiction('a number beyond the range of decimals of 38 digits');
  for (const { text } of isNumber ? [{ text: json }] : numbersIn(json))
    if (!isWhole(text) && !(keepsDouble(text) && (!isDecimal || keepsDecimal(text)))) return LONG;
  return null;
}

function wordsFor(json: string): keyof typeof TAKEN_BY {
  const first = json.charAt(0);
  if (first === '"') return 'a text';
  if (first === '{') return 'an object';
  if (first === '[') return 'an array';
  if (first === 't' || first === 'f') return 'a boolean';
  if (!isWhole(json)) return 'a decimal or an exponent';
  return numberKind(json) === 'integer' ? 'an integer' : 'an integer beyond 64 bits';
}

/** What a text is that a column of times does not keep; beside other types a format is not what decides the column. */
function timeFault(types: DeclaredColumn['types'], json: string): string | null {
  const [type = 'string', ...others] = types ?? [];
  if (type === 'string' || others.length > 0) return null;
  const text = JSON.parse(json) as string;
  // times without a zone have no format, but loaders make times of them where a catalog says so
  if (isUtcTime(text) || (type === ZONELESS && isUtcTime(`${text}Z`))) return null;
  const [form, day, minute, second = ':00'] = TIME_FORM.exec(text) ?? [];
  if (form === undefined) return 'a text that is no such time';
  return isUtcTime(`${day}T${minute}${second}Z`)
    ? 'a time that is not in UTC, or finer than a microsecond'
    : 'a date or time that does not exist (such as February 30 or second 60)';
}

/** True if a double keeps a number: the shortest text of the double is the same number. */
const keepsDouble = (text: string): boolean => scaled(text, 0) === scaled(String(Number(text)), 0);

/** True if a decimal keeps a number that comes to it as a double: loaders multiply by a power of ten and round. */
function keepsDecimal(text: string): boolean {
  const kept = BigInt(Math.round(Math.abs(Number(text)) * 10 ** MOST_FRACTION));
  return scaled(text, MOST_FRACTION) === scaled(String(kept), 0);
}

/** A number without its sign, times a power of ten, in the one way to write it whose digits neither begin nor end with 0. */
function scaled(text: string, power: number): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)e?(.*)$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  // looked for from each zero on, the last ones would take hours in a number of a million digits
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) + digits.length - significant.length - fraction.length + power}`;
}
