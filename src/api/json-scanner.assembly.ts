/*
 * AssemblyScript: `npm run generate` compiles it to WebAssembly (see generated/assembly.test.ts), and json-scanner.ts
 * gives it its memory. The one part that is tuned beyond the plain form: JSON.parse costs seven times as much, and the same
 * in TypeScript makes a whole read take twice the CPU. What it reads of a page's items is a table of places.
 */
import {
  Byte,
  INVALID,
  Kind,
  Reader,
  byteAt,
  isDigit,
  skipName,
  skipSpace,
  skipValue,
} from './json-text.assembly';

export { skipName, skipSpace, skipValue } from './json-text.assembly';

const NONE: i32 = -1;

const WORD: i32 = 4;
/** Bytes of an element in the table, and of a member. */
const HEADER: i32 = 4 * WORD;
const MEMBER: i32 = 3 * WORD;
/** Bytes behind the text that may be read with it. */
const ZEROS: i32 = 16;

/** From an object or array to one that holds long numbers. */
const LONG_INSIDE: i32 = 2;
const SURROGATES: i32 = 16;
const SURROGATES_IN_NAME: i32 = 32;

const PAGE_BITS: i32 = 16;

/** Where the table of the items starts that were read last, and where it ends so far. */
export let table: i32 = 0;
export let tableEnd: i32 = 0;
/** Number of the first of these elements that is no object with members, or is one too many; NONE if there is none. */
export let oddItem: i32 = NONE;
/** True if the members of the item read last are named as those of the one before it, in the same order. */
let isNamedAlike: bool = false;

/** Makes room for a text of so many bytes at address 0; what is found in it follows behind. */
export function makeRoom(length: i32): void {
  Reader.closing = length + ZEROS;
  // nothing can be open more often than there are bytes
  table = (Reader.closing + length + WORD) & -WORD;
  tableEnd = table;
  reach(table);
  memory.fill(length, 0, ZEROS);
}

/** Skips an array, and notes what json-scanner.ts says of `items`: all of an odd one would take many times its memory. */
export function skipItems(from: i32, most: i32): i32 {
  tableEnd = table;
  oddItem = NONE;
  let at = skipSpace(from + 1);
  if (byteAt(at) == Byte.CLOSE_BRACKET) return at + 1;
  let before = tableEnd;
  let alikeSince = 0;
  for (let index = 0; ; index++) {
    const entry = tableEnd;
    const members = entry + HEADER;
    if (oddItem == NONE && index == most) oddItem = index;
    let end: i32;
    if (oddItem == NONE && byteAt(at) == Byte.OPEN_BRACE) {
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
    if (byteAt(at) == Byte.CLOSE_BRACKET) return at + 1;
    if (byteAt(at) != Byte.COMMA) return INVALID;
    at = skipSpace(at + 1);
  }
  return INVALID;
}

/** Most items are named as the one before, with members from `before` to `beforeEnd`: comparing is cheaper than reading. */
function skipItem(from: i32, before: i32, beforeEnd: i32): i32 {
  let at = skipSpace(from + 1);
  if (byteAt(at) == Byte.CLOSE_BRACE) return at + 1;
  let alike = true;
  while (true) {
    Reader.hasSurrogates = false;
    let value = before < beforeEnd ? skipSameName(at, load<i32>(before), load<i32>(before + WORD)) : INVALID;
    let inName = value == INVALID ? 0 : load<i32>(before + 2 * WORD) & SURROGATES_IN_NAME;
    before += MEMBER;
    if (value == INVALID) {
      alike = false;
      value = skipName(at);
      if (Reader.hasSurrogates) inName = SURROGATES_IN_NAME;
    }
    if (value == INVALID) return INVALID;
    Reader.hasSurrogates = false;
    const end = skipValue(value);
    if (end == INVALID) return INVALID;
    note(at, value, kindOf(value, end) | inName);
    at = skipSpace(end);
    if (byteAt(at) == Byte.CLOSE_BRACE) {
      isNamedAlike = alike && before == beforeEnd;
      return at + 1;
    }
    if (byteAt(at) != Byte.COMMA) return INVALID;
    at = skipSpace(at + 1);
  }
  return INVALID;
}

/** The kind of the value that was read last. */
function kindOf(value: i32, end: i32): i32 {
  const first = byteAt(value);
  const surrogates = Reader.hasSurrogates ? SURROGATES : 0;
  const long = Reader.hasLongNumber ? LONG_INSIDE : 0;
  if (first == Byte.QUOTE) return surrogates + (isUtcTime(value + 1, end - 1) ? Kind.UTC_TIME : Kind.TEXT);
  if (first == Byte.OPEN_BRACE) return surrogates + long + Kind.OBJECT;
  if (first == Byte.OPEN_BRACKET) return surrogates + long + Kind.ARRAY;
  if (first == 0x6e) return surrogates + Kind.NULL;
  return surrogates + (first == 0x74 || first == 0x66 ? Kind.BOOLEAN : Reader.numberKind);
}

/** RFC 3339 in UTC, to the microsecond, without leap seconds: as utc-time.ts has it. */
function isUtcTime(from: i32, end: i32): bool {
  if (byteAt(from + 4) != Byte.MINUS || byteAt(from + 7) != Byte.MINUS) return false;
  if (byteAt(from + 10) != 0x54 || byteAt(from + 13) != Byte.COLON || byteAt(from + 16) != Byte.COLON)
    return false;
  const century = pair(from);
  const years = pair(from + 2);
  const month = pair(from + 5);
  const day = pair(from + 8);
  if (century > 99 || years > 99 || month < 1 || month > 12 || day < 1) return false;
  if (day > daysOf(century * 100 + years, month)) return false;
  if (pair(from + 11) > 23 || pair(from + 14) > 59 || pair(from + 17) > 59) return false;
  let at = from + 19;
  if (byteAt(at) == Byte.POINT) {
    const first = at + 1;
    for (at = first; isDigit(byteAt(at)); at++);
    if (at == first || at - first > 6) return false;
  }
  if (byteAt(at) == 0x5a) return at + 1 == end;
  const sign = byteAt(at);
  if ((sign != Byte.PLUS && sign != Byte.MINUS) || at + 6 != end) return false;
  return pair(at + 1) == 0 && byteAt(at + 3) == Byte.COLON && pair(at + 4) == 0;
}

function daysOf(year: u32, month: u32): u32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** The number that two digits make; more than any of them if they are none. */
function pair(at: i32): u32 {
  const tens = byteAt(at);
  const ones = byteAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - Byte.ZERO) * 10 + (ones - Byte.ZERO) : u32.MAX_VALUE;
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
