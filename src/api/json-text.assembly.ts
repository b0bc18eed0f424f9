/*
 * AssemblyScript: JSON as strict as JSON.parse has it, of which nothing is made. Each function takes the place where
 * something starts and gives the place behind it. The text starts at address 0, so that a place in it is an address, and
 * ends with zeros, which are valid nowhere; where something is not valid, the place given is `Text.invalid` among them, so
 * that whoever goes on from there gives it too. Whether the text is valid UTF-8 is not looked at.
 */

export const enum Byte {
  SPACE = 0x20,
  QUOTE = 0x22,
  PLUS = 0x2b,
  COMMA = 0x2c,
  MINUS = 0x2d,
  POINT = 0x2e,
  ZERO = 0x30,
  COLON = 0x3a,
  OPEN_BRACKET = 0x5b,
  BACKSLASH = 0x5c,
  CLOSE_BRACKET = 0x5d,
  OPEN_BRACE = 0x7b,
  CLOSE_BRACE = 0x7d,
}

const LOWER_CASE: i32 = 0x20; // from a capital letter to the small one
const TO_CLOSE: i32 = 2; // from an opening brace or bracket to the closing one
const ONES: u64 = 0x0101010101010101;
const HIGHEST: u64 = 0x8080808080808080; // bit of each byte

/** Kinds of values, as row.ts has them. */
export const enum Kind {
  NULL,
  TEXT,
  UTC_TIME,
  BOOLEAN,
  INTEGER,
  DECIMAL,
  OTHER_NUMBER,
  OBJECT,
  ARRAY,
}

const LONG_INSIDE: i32 = 2; // added to the kind of an object or array that holds long numbers
export const HALF: i32 = 16; // added to any kind where half of a surrogate pair is, which only an escape can bring in

const MOST_INTEGER: i32 = 19; // digits of the greatest integers within 64 bits
const MOST_FRACTION: i32 = 9; // digits behind the point in the decimals that loaders make of numbers
const MOST_WHOLE: i32 = 6; // digits before it of which a double has all, with as many behind it
const SURE_DECIMAL: i32 = 16; // characters of decimals that a double keeps, since they have 15 digits at most
const SURE_EXPONENT: i32 = 3; // characters of exponents with which it still does

/** What is known of the text while it is read. */
export class Text {
  static invalid: i32 = 0;
  static closing: i32 = 0; // where is kept what closes what is open, a byte each: as many as the text has
  static half: i32 = 0; // HALF once half of a surrogate pair has been read
  static second: i32 = 0; // place of the latest second half that follows its first one
  static longInside: i32 = 0; // LONG_INSIDE once a number was read that may have more digits than a double keeps
  static numberKind: i32 = 0; // of the number read last
}

/** Skips white space, if there is any; short enough to become a part of whoever calls it. */
export function skipSpace(from: i32): i32 {
  return byteAt(from) > Byte.SPACE ? from : skipAnySpace(from);
}

function skipAnySpace(from: i32): i32 {
  let at = from;
  while (isSpace(byteAt(at))) at++;
  return at;
}

function isSpace(byte: i32): bool {
  return byte <= 0x20 && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09);
}

/** Skips one value of any kind, however deep. */
export function skipValue(from: i32): i32 {
  const first = byteAt(from);
  if (first == Byte.QUOTE) return skipString(from);
  if (first == Byte.OPEN_BRACE || first == Byte.OPEN_BRACKET) return skipNested(from);
  return skipScalar(from);
}

/** Skips the name of a member and the colon: from its opening quote to its value. */
export function skipName(from: i32): i32 {
  if (byteAt(from) != Byte.QUOTE) return Text.invalid;
  const colon = skipSpace(skipString(from));
  return byteAt(colon) == Byte.COLON ? skipSpace(colon + 1) : Text.invalid;
}

function skipNested(from: i32): i32 {
  Text.longInside = 0;
  let at = from;
  let open = Text.closing;
  while (true) {
    // here a value starts
    const byte = byteAt(at);
    if (byte == Byte.OPEN_BRACE || byte == Byte.OPEN_BRACKET) {
      store<u8>(++open, <u8>(byte + TO_CLOSE));
      at = skipSpace(at + 1);
      if (byteAt(at) != byte + TO_CLOSE) {
        if (byte == Byte.OPEN_BRACE) at = skipName(at);
        continue;
      }
    } else at = skipSpace(byte == Byte.QUOTE ? skipString(at) : skipScalar(at));
    // here one has ended, or an empty one is about to
    while (byteAt(at) == byteAt(open)) {
      if (--open == Text.closing) return at + 1;
      at = skipSpace(at + 1);
    }
    if (byteAt(at) != Byte.COMMA) return Text.invalid;
    at = skipSpace(at + 1);
    if (byteAt(open) == Byte.CLOSE_BRACE) at = skipName(at);
  }
}

function skipString(from: i32): i32 {
  let at = from + 1;
  while (true) {
    // eight bytes at once, as long as none of them is a quote, a backslash or a control character
    const bytes = load<u64>(at);
    const isQuote = below(bytes ^ (ONES * Byte.QUOTE), 1);
    const special = isQuote | below(bytes ^ (ONES * Byte.BACKSLASH), 1) | below(bytes, Byte.SPACE);
    if (special == 0) {
      at += 8;
      continue;
    }
    at += <i32>(ctz(special) >> 3);
    const byte = byteAt(at);
    if (byte == Byte.QUOTE) return at + 1;
    if (byte != Byte.BACKSLASH) return Text.invalid;
    at = skipEscape(at + 1);
  }
}

/** The highest bit of the first byte below a limit; what it says of bytes behind that one is not reliable. */
function below(bytes: u64, limit: u64): u64 {
  return (bytes - ONES * limit) & ~bytes & HIGHEST;
}

function skipEscape(from: i32): i32 {
  const byte = byteAt(from);
  if (byte == 0x75) {
    for (let at = from + 1; at <= from + 4; at++) if (!isHex(byteAt(at))) return Text.invalid;
    const isHalf = (byteAt(from + 1) | LOWER_CASE) == 0x64 && byteAt(from + 2) > 0x37;
    if (isHalf && from != Text.second) {
      const isFirst = (byteAt(from + 2) | LOWER_CASE) < 0x63;
      // \ud and c to f
      const behind = byteAt(from + 5) == Byte.BACKSLASH && byteAt(from + 6) == 0x75 ? from + 7 : Text.invalid;
      const isSecond = (byteAt(behind) | LOWER_CASE) == 0x64 && (byteAt(behind + 1) | LOWER_CASE) > 0x62;
      if (isFirst && isSecond) Text.second = from + 6;
      else Text.half = HALF;
    }
    return from + 5;
  }
  // " \ / b f n r t
  if (byte == Byte.QUOTE || byte == Byte.BACKSLASH || byte == 0x2f) return from + 1;
  return byte == 0x62 || byte == 0x66 || byte == 0x6e || byte == 0x72 || byte == 0x74
    ? from + 1
    : Text.invalid;
}

function skipScalar(from: i32): i32 {
  const byte = byteAt(from);
  if (byte == 0x74) return load<i32>(from) == 0x65757274 ? from + 4 : Text.invalid; // true
  if (byte == 0x66) return load<i32>(from + 1) == 0x65736c61 ? from + 5 : Text.invalid; // false
  if (byte == 0x6e) return load<i32>(from) == 0x6c6c756e ? from + 4 : Text.invalid; // null
  const whole = byte == Byte.MINUS ? from + 1 : from;
  const point = byteAt(whole) == Byte.ZERO ? whole + 1 : skipDigits(whole);
  const at = byteAt(point) == Byte.POINT ? skipDigits(point + 1) : point;
  const hasExponent = (byteAt(at) | LOWER_CASE) == 0x65;
  if (at == point && !hasExponent) {
    Text.numberKind = isWithin64Bits(whole, at, whole > from) ? Kind.INTEGER : Kind.OTHER_NUMBER;
    return at;
  }
  const hasSign = byteAt(at + 1) == Byte.MINUS || byteAt(at + 1) == Byte.PLUS;
  const end = hasExponent ? skipDigits(hasSign ? at + 2 : at + 1) : at;
  const isDecimal = !hasExponent && point - whole <= MOST_WHOLE && at - point - 1 <= MOST_FRACTION;
  Text.numberKind = isDecimal ? Kind.DECIMAL : Kind.OTHER_NUMBER;
  if (at - from > SURE_DECIMAL || end - at > SURE_EXPONENT) Text.longInside = LONG_INSIDE;
  return end;
}

/** Whether digits make an integer within 64 bits; those of JSON begin with no zero. */
function isWithin64Bits(from: i32, end: i32, isNegative: bool): bool {
  if (end - from < MOST_INTEGER) return true;
  if (end - from > MOST_INTEGER) return false;
  let value: u64 = 0;
  for (let at = from; at < end; at++) value = value * 10 + (byteAt(at) - Byte.ZERO);
  return value <= <u64>i64.MAX_VALUE + (isNegative ? 1 : 0);
}

/** At least one digit. */
function skipDigits(from: i32): i32 {
  let at = from;
  while (isDigit(byteAt(at))) at++;
  return at > from ? at : Text.invalid;
}

export function byteAt(at: i32): i32 {
  return load<u8>(at);
}

function isDigit(byte: i32): bool {
  return <u32>(byte - Byte.ZERO) < 10;
}

function isHex(byte: i32): bool {
  return isDigit(byte) || <u32>((byte | LOWER_CASE) - 0x61) < 6;
}

/** The kind of the value that was read last. */
export function kindOf(value: i32, end: i32): i32 {
  const first = byteAt(value);
  if (first == Byte.QUOTE) return isUtcTime(value + 1, end - 1) ? Kind.UTC_TIME : Kind.TEXT;
  if (first == Byte.OPEN_BRACE) return Kind.OBJECT + Text.longInside;
  if (first == Byte.OPEN_BRACKET) return Kind.ARRAY + Text.longInside;
  if (first == 0x6e) return Kind.NULL;
  return first == 0x74 || first == 0x66 ? Kind.BOOLEAN : Text.numberKind;
}

/** RFC 3339 in UTC, to the microsecond, without leap seconds: as value-kinds.ts has it. */
function isUtcTime(from: i32, end: i32): bool {
  if (byteAt(from + 4) != Byte.MINUS || byteAt(from + 7) != Byte.MINUS) return false;
  if (byteAt(from + 10) != 0x54 || byteAt(from + 13) != Byte.COLON || byteAt(from + 16) != Byte.COLON)
    return false;
  const year = pair(from) * 100 + pair(from + 2);
  const month = pair(from + 5);
  const day = pair(from + 8);
  if (year >= NO_PAIR || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return false;
  if (pair(from + 11) > 23 || pair(from + 14) > 59 || pair(from + 17) > 59) return false;
  const point = from + 19;
  const at = byteAt(point) == Byte.POINT ? skipDigits(point + 1) : point;
  if (at - point > 1 + 6) return false;
  const sign = byteAt(at);
  if (sign == 0x5a) return at + 1 == end;
  if ((sign != Byte.PLUS && sign != Byte.MINUS) || at + 6 != end) return false;
  return pair(at + 1) == 0 && byteAt(at + 3) == Byte.COLON && pair(at + 4) == 0;
}

function daysOf(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

const NO_PAIR: i32 = 10_000; // more than any two pairs of digits make

/** The number that two digits make, or NO_PAIR. */
function pair(at: i32): i32 {
  const tens = byteAt(at);
  const ones = byteAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - Byte.ZERO) * 10 + (ones - Byte.ZERO) : NO_PAIR;
}
