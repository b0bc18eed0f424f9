import { FINGERPRINT_CHARS } from './fingerprint.ts';
import type { Fingerprint } from './fingerprint.ts';

/** 24 bits of the fingerprint in each of four words: 16 bytes a slot. */
const WORDS = 4;
const CHARS_PER_WORD = FINGERPRINT_CHARS / WORDS;
const FIRST_SLOTS = 1024;
/** Slots in use above which the table doubles; a million entries end up in 2^21 slots, 32 MB. */
const FULLEST = 0.75;

export interface FingerprintSet {
  /** True if it was not in the set before. */
  readonly add: (entry: Fingerprint) => boolean;
  readonly has: (entry: Fingerprint) => boolean;
  readonly size: () => number;
}

/** A set of fingerprints in a flat table: a Set of a million texts would take three times the memory. */
export function createFingerprintSet(): FingerprintSet {
  let slots = FIRST_SLOTS;
  let table = new Uint32Array(slots * WORDS);
  let size = 0;
  const key = new Uint32Array(WORDS);

  const find = (): number => {
    let slot = ((key[0] ?? 0) ^ ((key[1] ?? 0) << 8)) & (slots - 1);
    for (;;) {
      const at = slot * WORDS;
      if (isFree(table, at) || equal(table, at, key)) return at;
      slot = (slot + 1) & (slots - 1);
    }
  };
  const grow = (): void => {
    const old = table;
    slots *= 2;
    table = new Uint32Array(slots * WORDS);
    for (let at = 0; at < old.length; at += WORDS) {
      if (isFree(old, at)) continue;
      // word by word: a view on each entry would cost more than finding its place
      for (let word = 0; word < WORDS; word++) key[word] = old[at + word] ?? 0;
      table.set(key, find());
    }
  };
  return {
    add: (entry) => {
      encode(entry, key);
      const at = find();
      if (!isFree(table, at)) return false;
      table.set(key, at);
      if (++size > slots * FULLEST) grow();
      return true;
    },
    has: (entry) => {
      encode(entry, key);
      return !isFree(table, find());
    },
    size: () => size,
  };
}

/** The mark of a slot in use, so that a fingerprint of all zeros is told from a free slot. */
const USED = 0x8000_0000;

function isFree(table: Uint32Array, at: number): boolean {
  return table[at + WORDS - 1] === 0;
}

function equal(table: Uint32Array, at: number, key: Uint32Array): boolean {
  for (let word = 0; word < WORDS; word++) if (table[at + word] !== key[word]) return false;
  return true;
}

function encode(entry: Fingerprint, key: Uint32Array): void {
  for (let word = 0; word < WORDS; word++) {
    let bits = 0;
    for (let char = 0; char < CHARS_PER_WORD; char++)
      bits = (bits << 6) | sixBits(entry.charCodeAt(word * CHARS_PER_WORD + char));
    key[word] = bits;
  }
  key[WORDS - 1] = ((key[WORDS - 1] ?? 0) | USED) >>> 0;
}

/** The value of a character of base64url: A-Z a-z 0-9 - _ */
function sixBits(code: number): number {
  if (code >= 97) return code - 71;
  if (code === 95) return 63;
  if (code >= 65) return code - 65;
  return code === 45 ? 62 : code + 4;
}
