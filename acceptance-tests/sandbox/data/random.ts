/** Mixes integers into 32 well-spread bits (unsigned). Equal inputs always give equal bits. */
export function mix(...parts: number[]): number {
  let state = 0x9e3779b9;
  for (const part of parts) {
    state = Math.imul(state ^ (part | 0), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13) ^ ((part / 0x1_0000_0000) | 0), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return state >>> 0;
}

/** A number from 0 (included) to 1 (excluded), a pure function of its parts. */
export const fraction = (...parts: number[]): number => mix(...parts) / 0x1_0000_0000;

/** A stream of pseudo-random choices that depends on nothing but what it was started with. */
export type Random = ReturnType<typeof createRandom>;

/** A stream (mulberry32) started from `start`. */
export function createRandom(start: number) {
  let state = start | 0;
  /** 32 random bits as an unsigned integer. */
  const bits = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
  /** An integer from 0 to `bound` - 1. */
  const below = (bound: number): number => Math.floor((bits() / 0x1_0000_0000) * bound);
  return {
    bits,
    below,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    /** True once in `times`, on average. */
    once: (times: number): boolean => below(times) === 0,
    /** `count` (at most 6) decimal digits, leading zeros kept. */
    digits: (count: number): string => String(below(1_000_000)).padStart(6, '0').slice(-count),
  };
}
