/** Hashes integers into 32 bits (unsigned). */
export function mix(...parts: number[]): number {
  let state = 0x9e3779b9;
  for (const part of parts) {
    state = Math.imul(state ^ (part | 0), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13) ^ ((part / 0x1_0000_0000) | 0), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return state >>> 0;
}

/** Hashes integers into a number from 0 (inclusive) to 1 (exclusive). */
export const fraction = (...parts: number[]): number => mix(...parts) / 0x1_0000_0000;

export type Random = ReturnType<typeof createRandom>;

/** A pseudo-random generator (mulberry32). */
export function createRandom(seed: number) {
  let state = seed | 0;
  const bits = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
  /** Returns an integer from 0 to `bound` - 1. */
  const below = (bound: number): number => Math.floor((bits() / 0x1_0000_0000) * bound);
  return {
    bits,
    below,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    /** Returns true with a probability of 1 in `times`. */
    once: (times: number): boolean => below(times) === 0,
    /** Returns `count` decimal digits, at most 6. */
    digits: (count: number): string => String(below(1_000_000)).padStart(6, '0').slice(-count),
  };
}
