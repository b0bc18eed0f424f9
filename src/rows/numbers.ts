/** A number as JSON writes it; the source of a regular expression. */
export const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;

/**
 * What a number is, by its digits; each number is of one kind:
 *
 * - `integer`: without fraction or exponent, within 64 bits
 * - `largeInteger`: the same, but beyond 64 bits and below 1e29; `hugeInteger`: the same from 1e29 on
 * - `decimal`: any other number that is preserved as a double, and as a decimal with nine digits after the point
 * - `double`: preserved only as a double; `hugeDouble`: the same from 1e29 on
 * - `longNumber`: with more digits than a double keeps; `hugeNumber`: the same from 1e29 on, or beyond all doubles
 */
export type NumberKind =
  | 'integer'
  | 'largeInteger'
  | 'hugeInteger'
  | 'decimal'
  | 'double'
  | 'hugeDouble'
  | 'longNumber'
  | 'hugeNumber';

const INTEGER_CHARS = 20; // no integer with more characters is within 64 bits
const MIN_HUGE = 1e29; // the first number that does not fit DECIMAL(38,9), the widest column
const FRACTION_DIGITS = 9; // after the point of such a decimal

/** True for a number without fraction or exponent. */
export function isWhole(number: string): boolean {
  return /^-?\d+$/.test(number);
}

/** True for a number without fraction or exponent that fits 64 bits. */
export function isInteger(number: string): boolean {
  return (
    number.length <= INTEGER_CHARS && isWhole(number) && BigInt.asIntN(64, BigInt(number)) === BigInt(number)
  );
}

/** True for a number that is too large for DECIMAL(38,9). */
export function isHuge(number: string): boolean {
  return Math.abs(Number(number)) >= MIN_HUGE;
}

/** The scanner of pages classifies numbers in the same way, or leaves them to this function. */
export function numberKind(number: string): NumberKind {
  if (isInteger(number)) return 'integer';
  if (isWhole(number)) return isHuge(number) ? 'hugeInteger' : 'largeInteger';
  const isKept = keepsDouble(number);
  if (isHuge(number)) return isKept ? 'hugeDouble' : 'hugeNumber';
  if (!isKept) return 'longNumber';
  return keepsDecimal(number) ? 'decimal' : 'double';
}

/** True if a double preserves a number exactly: its shortest form is the same number. */
function keepsDouble(number: string): boolean {
  return scaled(number, 0) === scaled(String(Number(number)), 0);
}

/** True if a decimal preserves a double: loaders multiply it by a power of ten and round. */
function keepsDecimal(number: string): boolean {
  const kept = BigInt(Math.round(Math.abs(Number(number)) * 10 ** FRACTION_DIGITS));
  return scaled(number, FRACTION_DIGITS) === scaled(String(kept), 0);
}

/** Normalizes a number without its sign, times a power of ten: digits that neither begin nor end with 0, and an exponent. */
function scaled(number: string, power: number): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)e?(.*)$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  // without the lookbehind, a number of a million digits would take hours
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) + digits.length - significant.length - fraction.length + power}`;
}

/** A quote or escape, to track strings, or a number; linear, because nothing backtracks. */
const TOKEN = new RegExp(String.raw`\\.|"|${NUMBER}`, 'g');

/** Yields the numbers in a JSON text as they are written, and their positions. Digits in strings are skipped. */
export function* numbersIn(json: string): Generator<{ readonly number: string; readonly at: number }> {
  let inString = false;
  // not `replace` with a function, which collects all matches first: too many of them crash the process
  for (const { 0: token, index: at } of json.matchAll(TOKEN)) {
    if (token === '"') inString = !inString;
    else if (!inString && !token.startsWith('\\')) yield { number: token, at };
  }
}

/** The kinds of numbers that schemas distinguish: a 64-bit integer, any other number that fits a decimal, and one that does not. */
export type SampledNumber = 'integer' | 'number' | 'huge';

// No integer equals one of these. Their exponents prevent invalid JSON such as `1e5e5` from becoming valid.
const PLACEHOLDERS = { number: '0.5e0', huge: '0.25e0' } as const;

/** Parses like `JSON.parse`, but replaces numbers that are not 64-bit integers by placeholders for `sampledNumber`. */
export function parseSampled(text: string): unknown {
  let marked = '';
  let copied = 0;
  for (const { number, at } of numbersIn(text)) {
    if (isInteger(number)) continue;
    const sign = number.startsWith('-') ? 1 : 0;
    marked += text.slice(copied, at + sign) + PLACEHOLDERS[isHuge(number) ? 'huge' : 'number'];
    copied = at + number.length;
  }
  return JSON.parse(marked + text.slice(copied));
}

/** Returns the kind of a number from `parseSampled`. */
export function sampledNumber(value: number): SampledNumber {
  const size = Math.abs(value);
  if (size === 0.5) return 'number';
  return size === 0.25 ? 'huge' : 'integer';
}
