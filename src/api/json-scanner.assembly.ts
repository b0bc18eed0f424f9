/*
 * AssemblyScript: `npm run generate` compiles it to WebAssembly (see generated/assembly.test.ts), and json-scanner.ts
 * gives it its memory. The one part that is tuned beyond the plain form: JSON.parse costs seven times as much, and the same
 * in TypeScript makes a whole read take twice the CPU. What it reads of a page's items is a table of places.
 */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  INVALID,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  ZERO,
  byteAt,
  forgetSurrogates,
  hasLongNumber,
  hasSurrogates,
  isDigit,
  keepClosingAt,
  numberKind,
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

/** Kinds of values, as row.ts has them; json-text.assembly.ts has those of numbers. */
const KIND_NULL: i32 = 0;
const KIND_TEXT: i32 = 1;
const KIND_UTC_TIME: i32 = 2;
const KIND_BOOLEAN: i32 = 3;
const KIND_OBJECT: i32 = 7;
const KIND_ARRAY: i32 = 8;
/** From an object or array to one that holds long numbers. */
const LONG_INSIDE: i32 = 2;
const SURROGATES: i32 = 16;
const SURROGATES_IN_NAME: i32 = 32;

/** Bytes of a time between its quotes, at least and at most. */
const LEAST_TIME: i32 = 20;
const MOST_TIME: i32 = 32;
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
  const closing = length + ZEROS;
  keepClosingAt(closing);
  // nothing can be open more often than there are bytes
  table = (closing + length + WORD) & -WORD;
  tableEnd = table;
  reach(table);
  memory.fill(length, 0, ZEROS);
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
    forgetSurrogates();
    let value = before < beforeEnd ? skipSameName(at, load<i32>(before), load<i32>(before + WORD)) : INVALID;
    let inName = value == INVALID ? 0 : load<i32>(before + 2 * WORD) & SURROGATES_IN_NAME;
    before += MEMBER;
    if (value == INVALID) {
      alike = false;
      value = skipName(at);
      if (hasSurrogates) inName = SURROGATES_IN_NAME;
    }
    if (value == INVALID) return INVALID;
    forgetSurrogates();
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
