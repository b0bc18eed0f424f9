/*
 * AssemblyScript: compiled to WebAssembly by `npm run generate` (see generated/assembly.test.ts) and loaded by
 * json-scanner.ts. Tuned, because JSON.parse takes 4 to 6 times as long for a page of wide rows, and with the same scanner in
 * TypeScript a whole read takes twice the CPU. The result for the items of a page is a table of positions.
 */
import { SURROGATE, Text, kindOf, skipName, skipSpace, skipValue } from './json-text.assembly';
import { Byte, byteAt } from './value-kinds.assembly';

export { skipName, skipSpace, skipValue } from './json-text.assembly';

const NONE: i32 = -1;
const WORD: i32 = 4;
const HEADER: i32 = 4 * WORD; // bytes per item in the table
const MEMBER: i32 = 3 * WORD; // bytes per member
const ZEROS: i32 = 16; // bytes after the text that may be read with it
const PAGE_BITS: i32 = 16;

export let table: i32 = 0; // start of the table of the latest items
export let tableEnd: i32 = 0; // its end so far
export let oddItem: i32 = NONE; // index of the first item that is not an object with members, or is beyond the maximum
let alikeSince: i32 = 0; // index of the item since which all have the same names in the same order

/** Reserves memory for a text of this length at address 0, followed by the table. Returns `Text.invalid`. */
export function makeRoom(length: i32): i32 {
  Text.invalid = length + ZEROS / 2;
  Text.closing = length + ZEROS;
  Text.second = 0;
  Text.escape = 0;
  // the nesting cannot be deeper than the text is long
  table = (Text.closing + length + WORD) & -WORD;
  reach(table);
  memory.fill(length, 0, ZEROS);
  return Text.invalid;
}

/** Skips an array and fills the table (see `items` in json-scanner.ts), which ends at an odd item to limit its size. */
export function skipItems(from: i32, max: i32): i32 {
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
    const isItem = index < max && byteAt(at) == Byte.OPEN_BRACE;
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

/** Most items have the names of the previous one, whose members are `before` to `beforeEnd`: comparing is cheaper than scanning. */
function skipItem(from: i32, index: i32, before: i32, beforeEnd: i32): i32 {
  let at = skipSpace(from + 1);
  if (byteAt(at) == Byte.CLOSE_BRACE) return at + 1;
  let alike = true;
  while (true) {
    Text.surrogate = 0;
    let value = before < beforeEnd ? skipSameName(at, before) : 0;
    if (value == 0) {
      alike = false;
      value = skipName(at);
    }
    const end = skipValue(value);
    reach(tableEnd + MEMBER);
    store<i32>(tableEnd, at);
    store<i32>(tableEnd + WORD, value);
    store<i32>(tableEnd + 2 * WORD, kindOf(value, end) + Text.surrogate);
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

/** Skips a name and the colon if they equal those of another member byte for byte; else returns 0. */
function skipSameName(from: i32, member: i32): i32 {
  const name = load<i32>(member);
  const length = load<i32>(member + WORD) - name;
  let at = 0;
  for (; at + 8 <= length; at += 8) if (load<u64>(name + at) != load<u64>(from + at)) return 0;
  // only the remaining bytes of the last word
  const rest = (load<u64>(name + at) ^ load<u64>(from + at)) & (((<u64>1) << ((length - at) << 3)) - 1);
  if (rest != 0) return 0;
  // a name with an unpaired surrogate must be scanned again
  return load<i32>(member + 2 * WORD) < SURROGATE ? skipSpace(from + length) : skipName(from);
}

/** Grows the memory beyond an address. */
function reach(address: i32): void {
  const lacking = address + ZEROS - (memory.size() << PAGE_BITS);
  // by at least half, because a large page would otherwise grow it many times
  if (lacking > 0) memory.grow(max((lacking >> PAGE_BITS) + 1, memory.size() >> 1));
}
