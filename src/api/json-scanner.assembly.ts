/*
 * AssemblyScript: `npm run generate` compiles it to WebAssembly (see generated/assembly.test.ts), and json-scanner.ts
 * gives it its memory. In JavaScript the same costs twice as much, and JSON.parse seven times as much.
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
const PAIR: i32 = 2 * WORD;
/** Bytes behind the text that may be read with it. */
const ZEROS: i32 = 16;
const PAGE_BITS: i32 = 16;

/** What closes what is open, a byte each; behind the text. */
let closing: i32 = 0;
/** Where the items' table starts, and where it ends so far. */
let table: i32 = 0;
let tableEnd: i32 = 0;
/** See `oddItem`. */
let odd: i32 = NONE;
/** True if the members of the item read last are named as those of the one before it, in the same order. */
let isNamedAlike: bool = false;

/** Makes room for a text of so many bytes at address 0; what is found in it follows behind. */
export function makeRoom(length: i32): void {
  closing = length + ZEROS;
  // nothing can be open more often than there are bytes
  table = (closing + length + WORD) & -WORD;
  tableEnd = table;
  reach(table);
  memory.fill(length, 0, ZEROS);
}

/** Where the table of the items starts that were read last. */
export function tableFrom(): i32 {
  return table;
}

/** Number of the first element of that array that is no object with members, or is one too many; NONE if there is none. */
export function oddItem(): i32 {
  return odd;
}

/** Where that table ends. */
export function tableTo(): i32 {
  return tableEnd;
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
 * for each member where its name starts and where its value does. From the first element on that is odd (see `oddItem`)
 * nothing is noted: it would take many times the text's own memory.
 */
export function skipItems(from: i32, most: i32): i32 {
  tableEnd = table;
  odd = NONE;
  let at = skipSpace(from + 1);
  if (byteAt(at) == CLOSE_BRACKET) return at + 1;
  let before = tableEnd;
  let alikeSince = 0;
  for (let index = 0; ; index++) {
    const entry = tableEnd;
    const members = entry + HEADER;
    if (odd == NONE && index == most) odd = index;
    let end: i32;
    if (odd == NONE && byteAt(at) == OPEN_BRACE) {
      tableEnd = members;
      reach(members);
      isNamedAlike = false;
      end = skipItem(at, before, entry);
      if (tableEnd == members) tableEnd = entry;
    } else end = skipValue(at);
    if (end == INVALID) return INVALID;
    if (tableEnd == entry) {
      if (odd == NONE) odd = index;
    } else {
      if (!isNamedAlike) alikeSince = index;
      store<i32>(entry, at);
      store<i32>(entry + WORD, end);
      store<i32>(entry + 2 * WORD, (tableEnd - members) / PAIR);
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
    let value = before < beforeEnd ? skipSameName(at, load<i32>(before), load<i32>(before + WORD)) : INVALID;
    before += PAIR;
    if (value == INVALID) {
      alike = false;
      value = skipName(at);
    }
    if (value == INVALID) return INVALID;
    note(at, value);
    at = skipValue(value);
    if (at == INVALID) return INVALID;
    at = skipSpace(at);
    if (byteAt(at) == CLOSE_BRACE) {
      isNamedAlike = alike && before == beforeEnd;
      return at + 1;
    }
    if (byteAt(at) != COMMA) return INVALID;
    at = skipSpace(at + 1);
  }
  return INVALID;
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
  if (at != INVALID && byteAt(at) == POINT) at = skipDigits(at + 1);
  if (at == INVALID || (byteAt(at) | LOWER_CASE) != 0x65) return at;
  const sign = byteAt(at + 1);
  return skipDigits(sign == MINUS || sign == PLUS ? at + 2 : at + 1);
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

function note(name: i32, value: i32): void {
  reach(tableEnd + PAIR);
  store<i32>(tableEnd, name);
  store<i32>(tableEnd + WORD, value);
  tableEnd += PAIR;
}

/** Lets the memory reach beyond an address. */
function reach(address: i32): void {
  const lacking = address + ZEROS - (memory.size() << PAGE_BITS);
  // by half as much again at least, or a large page would grow it many times
  if (lacking > 0) memory.grow(max((lacking >> PAGE_BITS) + 1, memory.size() >> 1));
}
