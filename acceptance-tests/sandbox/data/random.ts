/** A stream of pseudo-random choices that depends on nothing but what it was started with. */
export interface Random {
  /** Starts it anew: cheaper than another stream, where there is one for every row. */
  restart(start: number): Random;
  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number;
  /** 32 random bits as an unsigned integer. */
  bits(): number;
  pick<T>(from: readonly T[]): T;
  /** True once in `times`, on average. */
  once(times: number): boolean;
  /** `count` (at most 6) decimal digits, leading zeros kept. */
  digits(count: number): string;
}

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
export function fraction(...parts: number[]): number {
  return mix(...parts) / 0x1_0000_0000;
}

/** A stream (mulberry32) started from `start`. */
export function createRandom(start: number): Random {
  let state = start | 0;
  const bits = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
  const below = (bound: number): number => Math.floor((bits() / 0x1_0000_0000) * bound);
  const random: Random = {
    restart: (again) => {
      state = again | 0;
      return random;
    },
    below,
    bits,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    once: (times) => below(times) === 0,
    digits: (count) =>
      String(below(1_000_000))
        .padStart(6, '0')
        .slice(6 - count),
  };
  return random;
}
