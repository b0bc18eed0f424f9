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

/** 32 bits of a fingerprint in each of three words. */
const WORDS = 3;
const FIRST_ROOM = 16;

/** Numbers fingerprints, in flat tables: a Map of a million texts would take four times the memory. */
export function createIdentities(): Identities {
  /** The fingerprints, in the order of their numbers. */
  let prints = new Uint32Array(FIRST_ROOM * WORDS);
  let count = 0;
  /** An open hash table, at most half full: a number plus one each, 0 where a slot is free. */
  let slots = new Uint32Array(FIRST_ROOM * 2);

  const firstSlot = (word: number): number => word & (slots.length - 1);
  const grow = (): void => {
    const old = prints;
    prints = new Uint32Array(old.length * 2);
    prints.set(old);
    slots = new Uint32Array(slots.length * 2);
    for (let identity = 0; identity < count; identity++) {
      let slot = firstSlot(prints[identity * WORDS] ?? 0);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = identity + 1;
    }
  };
  const numberOf = (a: number, b: number, c: number): Identity => {
    let slot = firstSlot(a);
    for (let entry = slots[slot] ?? 0; entry !== 0; entry = slots[slot] ?? 0) {
      const at = (entry - 1) * WORDS;
      if (prints[at] === a && prints[at + 1] === b && prints[at + 2] === c) return entry - 1;
      slot = (slot + 1) & (slots.length - 1);
    }
    const at = count * WORDS;
    prints[at] = a;
    prints[at + 1] = b;
    prints[at + 2] = c;
    slots[slot] = ++count;
    if (prints.length === count * WORDS) grow();
    return count - 1;
  };
  return {
    of: (print) => {
      const bytes = Buffer.from(print, 'base64url');
      return numberOf(bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8));
    },
    ofWords: (words) => numberOf(words[0] ?? 0, words[1] ?? 0, words[2] ?? 0),
    print: (identity) => {
      const bytes = Buffer.alloc(WORDS * Uint32Array.BYTES_PER_ELEMENT);
      for (let word = 0; word < WORDS; word++)
        bytes.writeUInt32BE(prints[identity * WORDS + word] ?? 0, word * 4);
      return bytes.toString('base64url');
    },
  };
}
