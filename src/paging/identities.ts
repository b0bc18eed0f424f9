import { FINGERPRINT_CHARS } from './fingerprint.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Stands for a row within one process: rows with equal fingerprints have the same number. */
export type Identity = number;

export interface Identities {
  /** The number of a fingerprint: the next one, counted from 0, if it has none yet. */
  readonly of: (print: Fingerprint) => Identity;
  /** The same for a fingerprint that is given as the first three words of the digest. */
  readonly ofWords: (words: Uint32Array) => Identity;
  readonly print: (identity: Identity) => Fingerprint;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** 24 bits of a fingerprint in each of four words. */
const WORDS = 4;
const CHARS_PER_WORD = FINGERPRINT_CHARS / WORDS;
const FIRST_ROOM = 16;

/** Numbers fingerprints, in flat tables: a Map of a million texts would take four times the memory. */
export function createIdentities(): Identities {
  /** The fingerprints, in the order of their numbers. */
  let prints = new Uint32Array(FIRST_ROOM * WORDS);
  let count = 0;
  /** An open hash table, at most half full: a number plus one each, 0 where a slot is free. */
  let slots = new Uint32Array(FIRST_ROOM * 2);

  const isAt = (identity: Identity, a: number, b: number, c: number, d: number): boolean => {
    const at = identity * WORDS;
    return prints[at] === a && prints[at + 1] === b && prints[at + 2] === c && prints[at + 3] === d;
  };
  const firstSlot = (a: number, b: number): number => (a ^ (b << 8)) & (slots.length - 1);
  const grow = (): void => {
    const old = prints;
    prints = new Uint32Array(old.length * 2);
    prints.set(old);
    slots = new Uint32Array(slots.length * 2);
    for (let identity = 0; identity < count; identity++) {
      const at = identity * WORDS;
      let slot = firstSlot(prints[at] ?? 0, prints[at + 1] ?? 0);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = identity + 1;
    }
  };
  const numberOf = (a: number, b: number, c: number, d: number): Identity => {
    let slot = firstSlot(a, b);
    for (let entry = slots[slot] ?? 0; entry !== 0; entry = slots[slot] ?? 0) {
      if (isAt(entry - 1, a, b, c, d)) return entry - 1;
      slot = (slot + 1) & (slots.length - 1);
    }
    const at = count * WORDS;
    prints[at] = a;
    prints[at + 1] = b;
    prints[at + 2] = c;
    prints[at + 3] = d;
    slots[slot] = ++count;
    if (prints.length === count * WORDS) grow();
    return count - 1;
  };
  return {
    of: (print) => numberOf(wordOf(print, 0), wordOf(print, 4), wordOf(print, 8), wordOf(print, 12)),
    ofWords: (words) => {
      const [x, y, z] = [words[0] ?? 0, words[1] ?? 0, words[2] ?? 0];
      return numberOf(
        x >>> 8,
        ((x & 0xff) << 16) | (y >>> 16),
        ((y & 0xffff) << 8) | (z >>> 24),
        z & 0xff_ff_ff,
      );
    },
    print: (identity) =>
      Array.from({ length: WORDS }, (_, word) => charsOf(prints[identity * WORDS + word] ?? 0)).join(''),
  };
}

function wordOf(print: Fingerprint, from: number): number {
  let bits = 0;
  for (let at = from; at < from + CHARS_PER_WORD; at++) bits = (bits << 6) | sixBits(print.charCodeAt(at));
  return bits;
}

/** The value of a character of base64url. */
function sixBits(code: number): number {
  if (code >= 97) return code - 71;
  if (code === 95) return 63;
  if (code >= 65) return code - 65;
  return code === 45 ? 62 : code + 4;
}

function charsOf(word: number): string {
  return [18, 12, 6, 0].map((shift) => ALPHABET[(word >> shift) & 63]).join('');
}
