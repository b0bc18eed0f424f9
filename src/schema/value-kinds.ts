/** `integer`: no fraction or exponent, within 64 bits; `number`: fits DECIMAL(38,9), the widest column; `huge`: fits no column. */
export type NumberKind = 'integer' | 'number' | 'huge';

const MIN_HUGE = 1e29;
const MAX_CHARS = 20; // no integer with more characters is within 64 bits

// A quote or escape (to track strings), or a number; linear, because nothing backtracks.
const TOKEN = /\\.|"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

// No integer equals one of these. Their exponents prevent invalid JSON such as `1e5e5` from becoming valid.
const PLACEHOLDERS = { number: '0.5e0', huge: '0.25e0' } as const;

/** The subset of RFC 3339 in UTC that every time column preserves exactly: to the microsecond, without leap seconds. */
const UTC_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-]00:00)$/;

/** True for a number without a fraction or exponent. */
export const isWhole = (text: string): boolean => /^-?\d+$/.test(text);

export function numberKind(text: string): NumberKind {
  if (isWhole(text) && text.length <= MAX_CHARS && BigInt.asIntN(64, BigInt(text)) === BigInt(text))
    return 'integer';
  return Math.abs(Number(text)) < MIN_HUGE ? 'number' : 'huge';
}

/** Yields the numbers in a JSON text as they are written, and their positions. Digits in strings are skipped. */
export function* numbersIn(json: string): Generator<{ readonly text: string; readonly index: number }> {
  let inString = false;
  // not `replace` with a function, which collects all matches first: too many of them crash the process
  for (const { 0: text, index } of json.matchAll(TOKEN)) {
    if (text === '"') inString = !inString;
    else if (!inString && !text.startsWith('\\')) yield { text, index };
  }
}

/** Parses like `JSON.parse`, but replaces numbers that are not of kind `integer` by placeholders for `sampledKind`. */
export function parseNumberKinds(text: string): unknown {
  let marked = '';
  let copied = 0;
  for (const number of numbersIn(text)) {
    const kind = numberKind(number.text);
    if (kind === 'integer') continue;
    const sign = number.text.startsWith('-') ? 1 : 0;
    marked += text.slice(copied, number.index + sign) + PLACEHOLDERS[kind];
    copied = number.index + number.text.length;
  }
  return JSON.parse(marked + text.slice(copied));
}

/** Returns the kind of a number from `parseNumberKinds`. */
export function sampledKind(value: number): NumberKind {
  const size = Math.abs(value);
  if (size === 0.5) return 'number';
  return size === 0.25 ? 'huge' : 'integer';
}

/** True for a time that time columns preserve exactly: loaders drop other zones, or shift the time by them. */
export function isUtcTime(text: string): boolean {
  const [, day = ''] = UTC_TIME.exec(text) ?? [];
  const start = Date.parse(`${day}T00:00:00Z`);
  // Date parses February 30 as March 2
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
}
