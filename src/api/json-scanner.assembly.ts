/*
 * AssemblyScript: `npm run generate` compiles it to WebAssembly (see generated/assembly.test.ts), and json-scanner.ts
 * gives it its memory. The one part that is tuned beyond the plain form: JSON.parse costs seven times as much, and the same
 * in TypeScript makes a whole read take twice the CPU.
 *
 * A reader of JSON as strict as JSON.parse that makes nothing of what it reads: each function takes the place where
 * something starts and gives the place behind it, or INVALID. The text starts at address 0, so that a place in it is
 * an address, and ends with zeros, which are valid nowhere. Whether it is valid UTF-8 is not looked at.
 */

const INVALID: i32 = -1;
const NONE: i32 = -1;

const QUOTE: i32 = 0x22;
const PLUS: i32 = 0x2b;
const COMMA: i32 = 0x2c;
const MINUS: i32 = 0x2d;
const POINT: i32 = 0x2e;
const ZERO: i32 = 0x30;
const COLON: i32 = 0x3a;
const OPEN_BRACKET: i32 = 0x5b;
const BACKSLASH: i32 = 0x5c;
const CLOSE_BRACKET: i32 = 0x5d;
const OPEN_BRACE: i32 = 0x7b;
const CLOSE_BRACE: i32 = 0x7d;
const LOWER_CASE: i32 = 0x20;
const SPACE: i32 = 0x20;
/** From an opening brace or bracket to the closing one. */
const TO_CLOSE: i32 = 2;

const TRUE: i32 = 0x65757274;
const ALSE: i32 = 0x65736c61;
const NULL: i32 = 0x6c6c756e;

/** A one, and the highest bit, in each of eight bytes. */
const ONES: u64 = 0x0101010101010101;
const HIGHEST: u64 = 0x8080808080808080;

const WORD: i32 = 4;
/** Bytes of an element in the table, and of a member. */
const HEADER: i32 = 4 * WORD;
const MEMBER: i32 = 3 * WORD;
/** Bytes behind the text that may be read with it. */
const ZEROS: i32 = 16;

/** Kinds of values, as row.ts has them. */
const KIND_NULL: i32 = 0;
const KIND_TEXT: i32 = 1;
const KIND_UTC_TIME: i32 = 2;
const KIND_BOOLEAN: i32 = 3;
const KIND_INTEGER: i32 = 4;
const KIND_DECIMAL: i32 = 5;
const KIND_OTHER_NUMBER: i32 = 6;
const KIND_OBJECT: i32 = 7;
const KIND_ARRAY: i32 = 8;
/** From an object or array to one that holds long numbers. */
const LONG_INSIDE: i32 = 2;
const SURROGATES: i32 = 16;
const SURROGATES_IN_NAME: i32 = 32;

/** Digits of the greatest integers within 64 bits. */
const MOST_INTEGER: i32 = 19;
/** Digits behind the point in the decimals that loaders make of numbers, and before it so that a double has all of them. */
const MOST_FRACTION: i32 = 9;
const MOST_WHOLE: i32 = 6;
/** Decimals of so many characters have 15 digits at most, all of which a double keeps. */
const SURE_DECIMAL: i32 = 16;
/** Bytes of a time between its quotes, at least and at most. */
const LEAST_TIME: i32 = 20;
const MOST_TIME: i32 = 32;
const PAGE_BITS: i32 = 16;

/** What closes what is open, a byte each; behind the text. */
let closing: i32 = 0;
/** Where the table of the items starts that were read last, and where it ends so far. */
export let table: i32 = 0;
export let tableEnd: i32 = 0;
/** Number of the first of these elements that is no object with members, or is one too many; NONE if there is none. */
export let oddItem: i32 = NONE;
/** True if the members of the item read last are named as those of the one before it, in the same order. */
let isNamedAlike: bool = false;
/** True once an escape of a surrogate has been read. */
let hasSurrogates: bool = false;
/** True once a number has been read that is no integer and may have more digits than a double keeps. */
let hasLongNumber: bool = false;
/** The kind of the number read last. */
let numberKind: i32 = 0;

/** Makes room for a text of so many bytes at address 0; what is found in it follows behind. */
export function makeRoom(length: i32): void {
  closing = length + ZEROS;
  // nothing can be open more often than there are bytes
  table = (closing + length + WORD) & -WORD;
  tableEnd = table;
  reach(table);
  memory.fill(length, 0, ZEROS);
}

/** Skips white space, if there is any; short enough to become a part of whoever calls it. */
export function skipSpace(from: i32): i32 {
  return byteAt(from) > SPACE ? from : skipAnySpace(from);
}

function skipAnySpace(from: i32): i32 {
  let at = from;
  for (let byte = byteAt(at); isSpace(byte); byte = byteAt(at)) at++;
  return at;
}

/** Skips one value of any kind, however deep. */
export function skipValue(from: i32): i32 {
  const first = byteAt(from);
  if (first == QUOTE) return skipString(from);
  if (first == OPEN_BRACE || first == OPEN_BRACKET) return skipNested(from);
  return skipScalar(from);
}

/** Skips the name of a member and the colon: from its opening quote to its value. */
export function skipName(from: i32): i32 {
  if (byteAt(from) != QUOTE) return INVALID;
  const end = skipString(from);
  if (end == INVALID) return INVALID;
  const colon = skipSpace(end);
  return byteAt(colon) == COLON ? skipSpace(colon + 1) : INVALID;
}

/**
 * Skips an array of objects, and notes in the table where they are: for each the place where it starts, the place behind it,
 * how many members it has, the number of the first one in the row of objects up to it whose members are all named alike, and
 * for each member where its name starts, where its value does, and of what kind that is. From the first element on that is odd (see `oddItem`)
 * nothing is noted: it would take many times the text's own memory.
 */
export function skipItems(from: i32, most: i32): i32 {
  tableEnd = table;
  oddItem = NONE;
  let at = skipSpace(from + 1);
  if (byteAt(at) == CLOSE_BRACKET) return at + 1;
  let before = tableEnd;
  let alikeSince = 0;
  for (let index = 0; ; index++) {
    const entry = tableEnd;
    const members = entry + HEADER;
    if (oddItem == NONE && index == most) oddItem = index;
    let end: i32;
    if (oddItem == NONE && byteAt(at) == OPEN_BRACE) {
      tableEnd = members;
      reach(members);
      isNamedAlike = false;
      end = skipItem(at, before, entry);
      if (tableEnd == members) tableEnd = entry;
    } else end = skipValue(at);
    if (end == INVALID) return INVALID;
    if (tableEnd == entry) {
      if (oddItem == NONE) oddItem = index;
    } else {
      if (!isNamedAlike) alikeSince = index;
      store<i32>(entry, at);
      store<i32>(entry + WORD, end);
      store<i32>(entry + 2 * WORD, (tableEnd - members) / MEMBER);
      store<i32>(entry + 3 * WORD, alikeSince);
      before = members;
    }
    at = skipSpace(end);
    if (byteAt(at) == CLOSE_BRACKET) return at + 1;
    if (byteAt(at) != COMMA) return INVALID;
    at = skipSpace(at + 1);
  }
  return INVALID;
}

/** Most items are named as the one before, whose members the table has from `before` up to `beforeEnd`: comparing is cheaper than reading. */
function skipItem(from: i32, before: i32, beforeEnd: i32): i32 {
  let at = skipSpace(from + 1);
  if (byteAt(at) == CLOSE_BRACE) return at + 1;
  let alike = true;
  while (true) {
    hasSurrogates = false;
    let value = before < beforeEnd ? skipSameName(at, load<i32>(before), load<i32>(before + WORD)) : INVALID;
    let inName = value == INVALID ? 0 : load<i32>(before + 2 * WORD) & SURROGATES_IN_NAME;
    before += MEMBER;
    if (value == INVALID) {
      alike = false;
      value = skipName(at);
      if (hasSurrogates) inName = SURROGATES_IN_NAME;
    }
    if (value == INVALID) return INVALID;
    hasSurrogates = false;
    const end = skipValue(value);
    if (end == INVALID) return INVALID;
    note(at, value, kindOf(value, end) | inName);
    at = skipSpace(end);
    if (byteAt(at) == CLOSE_BRACE) {
      isNamedAlike = alike && before == beforeEnd;
      return at + 1;
    }
    if (byteAt(at) != COMMA) return INVALID;
    at = skipSpace(at + 1);
  }
  return INVALID;
}

/** The kind of the value that was read last. */
function kindOf(value: i32, end: i32): i32 {
  const first = byteAt(value);
  const surrogates = hasSurrogates ? SURROGATES : 0;
  if (first == QUOTE) return surrogates + (isUtcTime(value + 1, end - 1) ? KIND_UTC_TIME : KIND_TEXT);
  if (first == OPEN_BRACE || first == OPEN_BRACKET)
    return surrogates + (first == OPEN_BRACE ? KIND_OBJECT : KIND_ARRAY) + (hasLongNumber ? LONG_INSIDE : 0);
  if (first == 0x6e) return surrogates + KIND_NULL;
  return surrogates + (first == 0x74 || first == 0x66 ? KIND_BOOLEAN : numberKind);
}

/** RFC 3339 in UTC, to the microsecond, without leap seconds: as utc-time.ts has it. */
function isUtcTime(from: i32, end: i32): bool {
  const length = end - from;
  if (length < LEAST_TIME || length > MOST_TIME) return false;
  if (byteAt(from + 4) != MINUS || byteAt(from + 7) != MINUS || byteAt(from + 10) != 0x54) return false;
  if (byteAt(from + 13) != COLON || byteAt(from + 16) != COLON) return false;
  const century = pair(from);
  const years = pair(from + 2);
  const month = pair(from + 5);
  const day = pair(from + 8);
  if (century < 0 || years < 0 || month < 1 || month > 12 || day < 1) return false;
  if (day > daysOf(century * 100 + years, month)) return false;
  const hours = pair(from + 11);
  const minutes = pair(from + 14);
  const seconds = pair(from + 17);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) return false;
  let at = from + 19;
  if (byteAt(at) == POINT) {
    const first = at + 1;
    for (at = first; isDigit(byteAt(at)); at++);
    if (at == first || at - first > 6) return false;
  }
  if (byteAt(at) == 0x5a) return at + 1 == end;
  const sign = byteAt(at);
  if ((sign != PLUS && sign != MINUS) || at + 6 != end) return false;
  return pair(at + 1) == 0 && byteAt(at + 3) == COLON && pair(at + 4) == 0;
}

function daysOf(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** The number that two digits make; below 0 if they are none. */
function pair(at: i32): i32 {
  const tens = byteAt(at);
  const ones = byteAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + (ones - ZERO) : -1;
}

/** Skips a name and the colon if they are written as those of another member; INVALID says no more than that they are not. */
function skipSameName(from: i32, name: i32, value: i32): i32 {
  const length = value - name;
  let at = 0;
  for (; at + 8 <= length; at += 8) if (load<u64>(name + at) != load<u64>(from + at)) return INVALID;
  // of the last eight bytes those that belong to it
  const rest = (load<u64>(name + at) ^ load<u64>(from + at)) & (((<u64>1) << ((length - at) << 3)) - 1);
  return rest == 0 ? skipSpace(from + length) : INVALID;
}

function skipNested(from: i32): i32 {
  hasLongNumber = false;
  let at = from;
  let open = closing;
  while (true) {
    // here a value starts
    const byte = byteAt(at);
    if (byte == OPEN_BRACE || byte == OPEN_BRACKET) {
      store<u8>(++open, <u8>(byte + TO_CLOSE));
      at = skipSpace(at + 1);
      if (byteAt(at) != byte + TO_CLOSE) {
        if (byte == OPEN_BRACE) at = skipName(at);
        if (at == INVALID) return INVALID;
        continue;
      }
    } else {
      at = byte == QUOTE ? skipString(at) : skipScalar(at);
      if (at == INVALID) return INVALID;
      at = skipSpace(at);
    }
    // here one has ended, or an empty one is about to
    while (byteAt(at) == byteAt(open)) {
      if (--open == closing) return at + 1;
      at = skipSpace(at + 1);
    }
    if (byteAt(at) != COMMA) return INVALID;
    at = skipSpace(at + 1);
    if (byteAt(open) == CLOSE_BRACE) at = skipName(at);
    if (at == INVALID) return INVALID;
  }
  return INVALID;
}

function skipString(from: i32): i32 {
  let at = from + 1;
  while (true) {
    // eight bytes at once, as long as none of them is a quote, a backslash or a control character
    const bytes = load<u64>(at);
    const special = zeroIn(bytes ^ (ONES * QUOTE)) | zeroIn(bytes ^ (ONES * BACKSLASH)) | controlIn(bytes);
    if (special == 0) {
      at += 8;
      continue;
    }
    at += <i32>(ctz(special) >> 3);
    const byte = byteAt(at);
    if (byte == QUOTE) return at + 1;
    if (byte != BACKSLASH) return INVALID;
    at = skipEscape(at + 1);
    if (at == INVALID) return INVALID;
  }
  return INVALID;
}

/** The highest bit of the first byte that is zero; what it says of bytes behind that one is not reliable. */
function zeroIn(bytes: u64): u64 {
  return (bytes - ONES) & ~bytes & HIGHEST;
}

/** The same for the first byte below 0x20. */
function controlIn(bytes: u64): u64 {
  return (bytes - ONES * 0x20) & ~bytes & HIGHEST;
}

function skipEscape(from: i32): i32 {
  const byte = byteAt(from);
  if (byte == 0x75) {
    for (let at = from + 1; at <= from + 4; at++) if (!isHex(byteAt(at))) return INVALID;
    if ((byteAt(from + 1) | LOWER_CASE) == 0x64 && byteAt(from + 2) > 0x37) hasSurrogates = true;
    return from + 5;
  }
  // " \ / b f n r t
  return byte == QUOTE ||
    byte == BACKSLASH ||
    byte == 0x2f ||
    byte == 0x62 ||
    byte == 0x66 ||
    byte == 0x6e ||
    byte == 0x72 ||
    byte == 0x74
    ? from + 1
    : INVALID;
}

function skipScalar(from: i32): i32 {
  const byte = byteAt(from);
  if (byte == 0x74) return load<i32>(from) == TRUE ? from + 4 : INVALID;
  if (byte == 0x66) return load<i32>(from + 1) == ALSE ? from + 5 : INVALID;
  if (byte == 0x6e) return load<i32>(from) == NULL ? from + 4 : INVALID;
  const whole = byte == MINUS ? from + 1 : from;
  let at = byteAt(whole) == ZERO ? whole + 1 : skipDigits(whole);
  if (at == INVALID) return INVALID;
  const point = at;
  if (byteAt(at) == POINT) at = skipDigits(at + 1);
  if (at == INVALID) return INVALID;
  const fraction = at == point ? 0 : at - point - 1;
  const digits = point - whole;
  const isSure = at - from <= SURE_DECIMAL;
  if ((byteAt(at) | LOWER_CASE) != 0x65) {
    if (at == point) numberKind = isWithin64Bits(whole, at, byte == MINUS) ? KIND_INTEGER : KIND_OTHER_NUMBER;
    else {
      numberKind = isDecimal(digits, fraction) ? KIND_DECIMAL : KIND_OTHER_NUMBER;
      if (!isSure) hasLongNumber = true;
    }
    return at;
  }
  const sign = byteAt(at + 1);
  const exponent = sign == MINUS || sign == PLUS ? at + 2 : at + 1;
  const end = skipDigits(exponent);
  if (end == INVALID) return INVALID;
  const power = sign == MINUS ? ZERO - byteAt(exponent) : byteAt(exponent) - ZERO;
  const isShort = isSure && end - exponent == 1 && isDecimal(digits + power, fraction - power);
  numberKind = isShort ? KIND_DECIMAL : KIND_OTHER_NUMBER;
  // within 99 orders of magnitude a double keeps what it keeps of any decimal
  if (!isSure || end - exponent > 2) hasLongNumber = true;
  return end;
}

/** Whether so many digits before the point and behind it go through a double into a decimal without a loss. */
function isDecimal(before: i32, behind: i32): bool {
  return before <= MOST_WHOLE && behind <= MOST_FRACTION;
}

/** Whether digits make an integer within 64 bits; those of JSON begin with no zero. */
function isWithin64Bits(from: i32, end: i32, isNegative: bool): bool {
  if (end - from < MOST_INTEGER) return true;
  if (end - from > MOST_INTEGER) return false;
  let value: u64 = 0;
  for (let at = from; at < end; at++) value = value * 10 + (byteAt(at) - ZERO);
  return value <= <u64>i64.MAX_VALUE + (isNegative ? 1 : 0);
}

/** At least one digit. */
function skipDigits(from: i32): i32 {
  let at = from;
  while (isDigit(byteAt(at))) at++;
  return at > from ? at : INVALID;
}

function byteAt(at: i32): i32 {
  return load<u8>(at);
}

function isSpace(byte: i32): bool {
  return byte <= 0x20 && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09);
}

function isDigit(byte: i32): bool {
  return <u32>(byte - ZERO) < 10;
}

function isHex(byte: i32): bool {
  return isDigit(byte) || <u32>((byte | LOWER_CASE) - 0x61) < 6;
}

function note(name: i32, value: i32, kind: i32): void {
  reach(tableEnd + MEMBER);
  store<i32>(tableEnd, name);
  store<i32>(tableEnd + WORD, value);
  store<i32>(tableEnd + 2 * WORD, kind);
  tableEnd += MEMBER;
}

/** Lets the memory reach beyond an address. */
function reach(address: i32): void {
  const lacking = address + ZEROS - (memory.size() << PAGE_BITS);
  // by half as much again at least, or a large page would grow it many times
  if (lacking > 0) memory.grow(max((lacking >> PAGE_BITS) + 1, memory.size() >> 1));
}
