/*
 * AssemblyScript: scans JSON as strictly as JSON.parse, without creating values. Each function takes the position where
 * something starts and returns the position after it. The text starts at address 0, so that positions are addresses, and is
 * followed by zeros, which are valid nowhere. For invalid text the functions return `Text.invalid`, which is among these
 * zeros, so that scanning on from there returns it again. UTF-8 is not validated.
 */

import { Byte, Kind, byteAt, fractionKind, integerKind, isDigit, textKind } from './value-kinds.assembly';

const LOWER_CASE: i32 = 0x20; // the bit that distinguishes lower from upper case
const TO_CLOSE: i32 = 2; // difference between an opening brace or bracket and the closing one
const ONES: u64 = 0x0101010101010101;
const HIGHEST: u64 = 0x8080808080808080; // the highest bit of each byte

const LONG_INSIDE: i32 = 2; // added to the kind of an object or array with numbers that no double can represent
const DOUBT_INSIDE: i32 = 4; // added if it has none of them, but numbers for which that is unknown
export const SURROGATE: i32 = 32; // added to any kind if there is an unpaired surrogate, which only an escape can produce

const MAX_WHOLE: i32 = 6; // digits before and after the point that loaders always keep
const MAX_FRACTION: i32 = 9;

/** State of the scan. */
export class Text {
  static invalid: i32 = 0;
  static closing: i32 = 0; // address of the stack of closing characters, a byte each, as large as the text
  static surrogate: i32 = 0; // SURROGATE after an unpaired one
  static second: i32 = 0; // position of the latest low surrogate that completes a pair
  static escape: i32 = 0; // position of the latest escape
  static inside: i32 = 0; // LONG_INSIDE or DOUBT_INSIDE after such a number
  static numberKind: i32 = 0; // of the latest number
}

/** Skips whitespace, if there is any; short enough to be inlined. */
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

/** Skips a value of any kind and depth. */
export function skipValue(from: i32): i32 {
  const first = byteAt(from);
  if (first == Byte.QUOTE) return skipString(from);
  if (first == Byte.OPEN_BRACE || first == Byte.OPEN_BRACKET) return skipNested(from);
  return skipScalar(from);
}

/** Skips from the opening quote of a member's name to its value. */
export function skipName(from: i32): i32 {
  if (byteAt(from) != Byte.QUOTE) return Text.invalid;
  const colon = skipSpace(skipString(from));
  return byteAt(colon) == Byte.COLON ? skipSpace(colon + 1) : Text.invalid;
}

function skipNested(from: i32): i32 {
  Text.inside = 0;
  let at = from;
  let open = Text.closing;
  while (true) {
    // a value starts here
    const byte = byteAt(at);
    if (byte == Byte.OPEN_BRACE || byte == Byte.OPEN_BRACKET) {
      store<u8>(++open, <u8>(byte + TO_CLOSE));
      at = skipSpace(at + 1);
      if (byteAt(at) != byte + TO_CLOSE) {
        if (byte == Byte.OPEN_BRACE) at = skipName(at);
        continue;
      }
    } else at = skipSpace(byte == Byte.QUOTE ? skipString(at) : skipScalar(at));
    // a value ended here, or an empty one is about to end
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
    // eight bytes at once, unless one of them is a quote, a backslash or a control character
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

/** Sets the highest bit of the first byte that is below a limit; the bits of later bytes are unreliable. */
function below(bytes: u64, limit: u64): u64 {
  return (bytes - ONES * limit) & ~bytes & HIGHEST;
}

function skipEscape(from: i32): i32 {
  Text.escape = from;
  const byte = byteAt(from);
  if (byte == 0x75) {
    for (let at = from + 1; at <= from + 4; at++) if (!isHex(byteAt(at))) return Text.invalid;
    const isSurrogate = (byteAt(from + 1) | LOWER_CASE) == 0x64 && byteAt(from + 2) > 0x37;
    if (isSurrogate && from != Text.second) {
      const isFirst = (byteAt(from + 2) | LOWER_CASE) < 0x63;
      // \udc00-\udfff
      const after = byteAt(from + 5) == Byte.BACKSLASH && byteAt(from + 6) == 0x75 ? from + 7 : Text.invalid;
      const isSecond = (byteAt(after) | LOWER_CASE) == 0x64 && (byteAt(after + 1) | LOWER_CASE) > 0x62;
      if (isFirst && isSecond) Text.second = from + 6;
      else Text.surrogate = SURROGATE;
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
    Text.numberKind = integerKind(whole, at, whole > from);
    return at;
  }
  const hasSign = byteAt(at + 1) == Byte.MINUS || byteAt(at + 1) == Byte.PLUS;
  const end = hasExponent ? skipDigits(hasSign ? at + 2 : at + 1) : at;
  if (end == Text.invalid) return end;
  const isShort = !hasExponent && point - whole <= MAX_WHOLE && at - point - 1 <= MAX_FRACTION;
  const kind = isShort ? Kind.DECIMAL : fractionKind(whole, end);
  if (kind == Kind.LONG_NUMBER) Text.inside = LONG_INSIDE;
  if (kind == Kind.OTHER_NUMBER && Text.inside == 0) Text.inside = DOUBT_INSIDE;
  Text.numberKind = kind;
  return end;
}

/** Skips at least one digit. */
function skipDigits(from: i32): i32 {
  let at = from;
  while (isDigit(byteAt(at))) at++;
  return at > from ? at : Text.invalid;
}

function isHex(byte: i32): bool {
  return isDigit(byte) || <u32>((byte | LOWER_CASE) - 0x61) < 6;
}

/** The kind of the latest value. */
export function kindOf(value: i32, end: i32): i32 {
  const first = byteAt(value);
  if (first == Byte.QUOTE) return Text.escape > value ? Kind.ESCAPED_TEXT : textKind(value + 1, end - 1);
  if (first == Byte.OPEN_BRACE) return Kind.OBJECT + Text.inside;
  if (first == Byte.OPEN_BRACKET) return Kind.ARRAY + Text.inside;
  if (first == 0x6e) return Kind.NULL;
  return first == 0x74 || first == 0x66 ? Kind.BOOLEAN : Text.numberKind;
}
