import { ARRAY, BOOLEAN, NUMBER, OBJECT, TEXT } from './declared-column.ts';
import type { DeclaredColumn } from './declared-column.ts';
import { numberKind } from './number-kinds.ts';
import { isUtcTime } from './utc-time.ts';

const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const BACKSLASH = 0x5c;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** Integers of so many characters lie within 64 bits. */
const SHORT_INTEGER = 18;
/** Decimals of so many characters, without an exponent, have nine digits behind the point at most. */
const SHORT_DECIMAL = 11;
/** Significant digits that a double keeps of any decimal. */
const SURE_DIGITS = 15;
/** Digits of a second's fraction that columns of times keep. */
const MOST_TIME_DIGITS = 6;
/** Digits behind the point in the decimals of 38 digits that loaders make of numbers. */
const MOST_FRACTION = 9;
/** How the words of a value that contradicts its schema begin. */
export const IS_DECLARED = 'is declared';
const TOO_LONG = 'numbers with more digits than loaders keep that work with floating point';

const NAMES: Readonly<Record<number, string>> = {
  [TEXT]: 'a text',
  [OBJECT]: 'an object',
  [ARRAY]: 'an array',
  [BOOLEAN]: 'a boolean',
};

/**
 * What a loader may cut, move or refuse of a value in a column, in words that hold nothing of the value; null if nothing.
 * `bit` is the value's, `start` its first byte and `end` a place between its last byte and the next value.
 */
export function valueFault(
  column: DeclaredColumn,
  bit: number,
  bytes: Buffer,
  start: number,
  end: number,
): string | null {
  if (bit === NUMBER) return numberFault(column, bytes, start);
  if ((column.accepts & bit) === 0) return contradiction(column, NAMES[bit] ?? '');
  if (bit === TEXT) return column.time === null ? null : timeFault(column, bytes, start + 1);
  return bit === BOOLEAN || !hasLongNumber(bytes, start, end) ? null : `holds ${TOO_LONG}`;
}

function contradiction({ words }: DeclaredColumn, found: string): string {
  return `${IS_DECLARED} ${words} and holds ${found}`;
}

function numberFault(column: DeclaredColumn, bytes: Buffer, start: number): string | null {
  const { end, isInteger, isShort } = spanOf(bytes, start);
  const fits = (column.accepts & NUMBER) !== 0 && (isInteger || !column.isInteger);
  if (fits && isShort) return null;
  const text = bytes.toString('latin1', start, end);
  const kind = numberKind(text);
  const found =
    kind === 'integer' ? 'an integer' : isInteger ? 'an integer beyond 64 bits' : 'a decimal or an exponent';
  if (!fits || (column.isInteger && kind !== 'integer')) return contradiction(column, found);
  const isText = (column.accepts & TEXT) !== 0;
  if (kind === 'great' && !isText)
    return contradiction(column, 'a number beyond the range of decimals of 38 digits');
  if (isInteger) return null;
  const { digits, fraction } = sizeOf(text);
  if (digits > SURE_DIGITS || isBeyondDouble(text, digits)) return `holds ${TOO_LONG}`;
  return fraction > MOST_FRACTION && !isText
    ? `holds decimals with more than ${MOST_FRACTION} digits behind the point`
    : null;
}

/** Where a number ends, and whether it needs a second look. */
function spanOf(
  bytes: Buffer,
  start: number,
): { readonly end: number; readonly isInteger: boolean; readonly isShort: boolean } {
  let end = start;
  let hasPoint = false;
  let hasExponent = false;
  for (;;) {
    const byte = bytes[end] ?? 0;
    if (byte === POINT) hasPoint = true;
    else if (byte === LOWER_E || byte === UPPER_E) hasExponent = true;
    else if (!isDigit(byte) && byte !== MINUS && byte !== PLUS) break;
    end++;
  }
  const isInteger = !hasPoint && !hasExponent;
  const isShort = !hasExponent && end - start <= (hasPoint ? SHORT_DECIMAL : SHORT_INTEGER);
  return { end, isInteger, isShort };
}

/** Significant digits of a number, and digits behind the point if it is written without an exponent. */
function sizeOf(text: string): { readonly digits: number; readonly fraction: number } {
  const [, whole = '', behind = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(text) ?? [];
  const significant = `${whole}${behind}`.replace(/^0+/, '').replace(/0+$/, '');
  const zeros = `${whole}${behind}`.length - `${whole}${behind}`.replace(/0+$/, '').length;
  return {
    digits: significant.length,
    fraction: significant === '' ? 0 : behind.length - zeros - Number(exponent),
  };
}

function isBeyondDouble(text: string, digits: number): boolean {
  const value = Number(text);
  return !Number.isFinite(value) || (value === 0 && digits > 0);
}

function timeFault(column: DeclaredColumn, bytes: Buffer, start: number): string | null {
  if (isPlainUtcTime(bytes, start)) return null;
  const text = bytes.toString('latin1', start, bytes.indexOf(QUOTE, start));
  if (isUtcTime(text) || (column.time === 'zoneless' && isUtcTime(`${text}Z`))) {
    // a copy: a view would keep the page
    lastDay = Buffer.from(bytes.subarray(start, start + DAY_LENGTH));
    return null;
  }
  const found = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
    ? 'a time that is not in UTC, or finer than a microsecond'
    : 'a text that is no such time';
  return contradiction(column, found);
}

const DAY_LENGTH = '2026-01-31'.length;
/** The day of the last time that was read in full: rows of a list come day by day. */
let lastDay = Buffer.alloc(DAY_LENGTH);

/** True for a time as most are written, on the same day as the last one: every row has some, and a regular expression costs ten times as much. */
function isPlainUtcTime(bytes: Buffer, start: number): boolean {
  for (let at = 0; at < DAY_LENGTH; at++) if (bytes[start + at] !== lastDay[at]) return false;
  const clock = start + DAY_LENGTH;
  const isClock =
    bytes[clock] === UPPER_T &&
    below(bytes, clock + 1, 24) &&
    bytes[clock + 3] === COLON &&
    below(bytes, clock + 4, 60) &&
    bytes[clock + 6] === COLON &&
    below(bytes, clock + 7, 60);
  let at = clock + 9;
  if (bytes[at] === POINT) {
    const first = ++at;
    while (isDigit(bytes[at] ?? 0)) at++;
    if (at === first || at - first > MOST_TIME_DIGITS) return false;
  }
  return isClock && bytes[at] === UPPER_Z && bytes[at + 1] === QUOTE;
}

/** True if two bytes are digits of a number below a limit. */
function below(bytes: Buffer, at: number, limit: number): boolean {
  const tens = bytes[at] ?? 0;
  const ones = bytes[at + 1] ?? 0;
  return isDigit(tens) && isDigit(ones) && (tens - ZERO) * 10 + (ones - ZERO) < limit;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** True if numbers inside an object or array have more digits than a double keeps; integers are kept whole there. */
function hasLongNumber(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      for (at++; bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (isDigit(byte)) {
      const from = at;
      const span = spanOf(bytes, from);
      at = span.end;
      if (span.isInteger || span.isShort) continue;
      const text = bytes.toString('latin1', from, at);
      const { digits } = sizeOf(text);
      if (digits > SURE_DIGITS || isBeyondDouble(text, digits)) return true;
    }
  }
  return false;
}
