/**
 * What a number's text asks of a column: `integer` has no fraction or exponent and lies within 64 bits, `number` fits a decimal
 * of 38 digits, nine of them behind the point, as the widest columns of loaders have, `great` is 1e29 or more and fits none.
 */
export type NumberKind = 'integer' | 'number' | 'great';

const LEAST_GREAT = 1e29;
const SURE_DIGITS = 18; // characters of which every integer is within 64 bits
const MAX_DIGITS = 20; // of those that may be

// A quote or an escape (to know what is inside a string), or a number; in linear time, since nothing runs back.
const TOKEN = /\\.|"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

// No integer reads as one of these. The exponents keep a text that is not JSON, such as `1e5e5`, from becoming JSON.
const STAND_INS = { number: '0.5e0', great: '0.25e0' } as const;

/** RFC 3339 in UTC, in the part of it that every column of times keeps whole: to the microsecond, without leap seconds. */
const UTC_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-]00:00)$/;

/** True for a number without a fraction and an exponent. */
export const isWhole = (text: string): boolean => /^-?\d+$/.test(text);

/** The kind of a number of the JSON grammar. */
export function numberKind(text: string): NumberKind {
  const isWithin64Bits = (): boolean =>
    text.length <= SURE_DIGITS ||
    (text.length <= MAX_DIGITS && BigInt.asIntN(64, BigInt(text)) === BigInt(text));
  if (isWhole(text) && isWithin64Bits()) return 'integer';
  return Math.abs(Number(text)) < LEAST_GREAT ? 'number' : 'great';
}

/** The numbers of a JSON text, as they are written, and where; digits inside strings do not count. */
export function* numbersIn(json: string): Generator<{ readonly text: string; readonly index: number }> {
  let inString = false;
  // match by match: `replace` with a function collects all matches first and ends the process on too many
  for (const { 0: text, index } of json.matchAll(TOKEN)) {
    if (text === '"') inString = !inString;
    else if (!inString && !text.startsWith('\\')) yield { text, index };
  }
}

/** `JSON.parse`, for the same texts, but numbers are for `sampledKind` alone: those that are no `integer` become stand-ins. */
export function parseNumberKinds(text: string): unknown {
  let marked = '';
  let copied = 0;
  for (const number of numbersIn(text)) {
    const kind = numberKind(number.text);
    if (kind === 'integer') continue;
    const sign = number.text.startsWith('-') ? 1 : 0;
    marked += text.slice(copied, number.index + sign) + STAND_INS[kind];
    copied = number.index + number.text.length;
  }
  return JSON.parse(marked + text.slice(copied));
}

/** The kind of a number from `parseNumberKinds`. */
export function sampledKind(value: number): NumberKind {
  const size = Math.abs(value);
  return size === 0.5 ? 'number' : size === 0.25 ? 'great' : 'integer';
}

/** True if a text is a time that columns of times keep whole; loaders drop other zones, or move the time by them. */
export function isUtcTime(text: string): boolean {
  const [, day = ''] = UTC_TIME.exec(text) ?? [];
  const start = Date.parse(`${day}T00:00:00Z`);
  // Date takes February 30 for March 2
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
}
