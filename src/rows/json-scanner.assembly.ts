/*
 * AssemblyScript: `npm run generate` compiles it to WebAssembly (see generated/assembly.test.ts), and json-scanner.ts
 * gives it its memory. The one part that is tuned beyond the plain form: JSON.parse costs seven times as much, and the same
 * in TypeScript makes a whole read take twice the CPU. What it reads of a page's items is a table of places.
 */
import { HALF, Text, kindOf, skipName, skipSpace, skipValue } from './json-text.assembly';
import { Byte, byteAt } from './value-kinds.assembly';

export { skipName, skipSpace, skipValue } from './json-text.assembly';

const NONE: i32 = -1;
const WORD: i32 = 4;
const HEADER: i32 = 4 * WORD; // bytes of an element in the table
const MEMBER: i32 = 3 * WORD; // bytes of one of its members
const ZEROS: i32 = 16; // bytes behind the text that may be read with it
const PAGE_BITS: i32 = 16;

export let table: i32 = 0; // where that of the items starts that were read last
export let tableEnd: i32 = 0; // where it ends so far
export let oddItem: i32 = NONE; // number of the first of them that is no object with members, or is one too many
let alikeSince: i32 = 0; // number of the first of them up to the one read last that are all named alike, in the same order

/** Makes room for a text of so many bytes at address 0; what is found in it follows behind. Gives `Text.invalid`. */
export function makeRoom(length: i32): i32 {
  Text.invalid = length + ZEROS / 2;
  Text.closing = length + ZEROS;
  Text.second = 0;
  Text.escape = 0;
  // nothing can be open more often than there are bytes
  table = (Text.closing + length + WORD) & -WORD;
  reach(table);
  memory.fill(length, 0, ZEROS);
  return Text.invalid;
}

/** Skips an array, and notes what json-scanner.ts says of `items`: all of an odd one would take many times its memory. */
export function skipItems(from: i32, most: i32): i32 {
  tableEnd = table;
  oddItem = NONE;
  let at = skipSpace(from + 1);
  if (byteAt(at) == Byte.CLOSE_BRACKET) return at + 1;
  let before = table;
  for (let index = 0; ; index++) {
    const entry = tableEnd;
    const members = entry + HEADER;
    tableEnd = members;
    reach(members);
    const isItem = index < most && byteAt(at) == Byte.OPEN_BRACE;
    const end = isItem ? skipItem(at, index, before, entry) : at;
    if (tableEnd == members) {
      oddItem = index;
      tableEnd = entry;
      return skipValue(from);
    }
    store<i32>(entry, at);
    store<i32>(entry + WORD, end);
    store<i32>(entry + 2 * WORD, (tableEnd - members) / MEMBER);
    store<i32>(entry + 3 * WORD, alikeSince);
    before = members;
    at = skipSpace(end);
    if (byteAt(at) == Byte.CLOSE_BRACKET) return at + 1;
    if (byteAt(at) != Byte.COMMA) break;
    at = skipSpace(at + 1);
  }
  return Text.invalid;
}

/** Most items are named as the one before, with members from `before` to `beforeEnd`: comparing is cheaper than reading. */
function skipItem(from: i32, index: i32, before: i32, beforeEnd: i32): i32 {
  let at = skipSpace(from + 1);
  if (byteAt(at) == Byte.CLOSE_BRACE) return at + 1;
  let alike = true;
  while (true) {
    Text.half = 0;
    let value = before < beforeEnd ? skipSameName(at, before) : 0;
    if (value == 0) {
      alike = false;
      value = skipName(at);
    }
    const end = skipValue(value);
    reach(tableEnd + MEMBER);
    store<i32>(tableEnd, at);
    store<i32>(tableEnd + WORD, value);
    store<i32>(tableEnd + 2 * WORD, kindOf(value, end) + Text.half);
    tableEnd += MEMBER;
    before += MEMBER;
    at = skipSpace(end);
    if (byteAt(at) == Byte.CLOSE_BRACE) {
      if (!alike || before != beforeEnd) alikeSince = index;
      return at + 1;
    }
    if (byteAt(at) != Byte.COMMA) return Text.invalid;
    at = skipSpace(at + 1);
  }
}

/** Skips a name and the colon if they are written as those of another member; gives 0 if they are not. */
function skipSameName(from: i32, member: i32): i32 {
  const name = load<i32>(member);
  const length = load<i32>(member + WORD) - name;
  let at = 0;
  for (; at + 8 <= length; at += 8) if (load<u64>(name + at) != load<u64>(from + at)) return 0;
  // of the last eight bytes those that belong to it
  const rest = (load<u64>(name + at) ^ load<u64>(from + at)) & (((<u64>1) << ((length - at) << 3)) - 1);
  if (rest != 0) return 0;
  // only by reading it is found whether half of a pair is in it
  return load<i32>(member + 2 * WORD) < HALF ? skipSpace(from + length) : skipName(from);
}

/** Lets the memory reach beyond an address. */
function reach(address: i32): void {
  const lacking = address + ZEROS - (memory.size() << PAGE_BITS);
  // by half as much again at least, or a large page would grow it many times
  if (lacking > 0) memory.grow(max((lacking >> PAGE_BITS) + 1, memory.size() >> 1));
}
