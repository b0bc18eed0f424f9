import { LIMITER_WINDOW_MS } from '../limits.ts';

export interface RequestLimiter {
  /** Resolves when the next request may be sent; callers get their turn in the order in which they asked. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
}

/**
 * Keeps a process below `perMinute` requests in any 60 seconds, whoever sends them; null for no ceiling.
 * `now` is a monotonic clock in ms.
 */
export function createRequestLimiter(
  perMinute: number | null,
  now: () => number,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): RequestLimiter {
  /** When the last `perMinute` turns were or will be, oldest first. */
  const turns: number[] = [];
  return {
    turn: async (signal) => {
      if (perMinute === null) return;
      const oldest = turns.length < perMinute ? undefined : turns.shift();
      const at = Math.max(now(), oldest === undefined ? 0 : oldest + LIMITER_WINDOW_MS);
      turns.push(at);
      if (at > now()) await sleep(at - now(), signal);
    },
  };
}
