import { setTimeout as delay } from 'node:timers/promises';

/** Time and chance, as far as a command depends on them. */
export interface Clock {
  /** Local time, ms since the epoch. */
  readonly now: () => number;
  /** ms since some time in the past; it never goes back. */
  readonly ticks: () => number;
  /** Resolves after `ms`; throws the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls `call` once after `ms`, without keeping the process alive; what is returned takes that back. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** In [0, 1). */
  readonly random: () => number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  wait: async (ms, signal) => {
    await delay(ms, undefined, { signal });
  },
  after: (ms, call) => {
    const timer = setTimeout(call, ms).unref();
    return () => {
      clearTimeout(timer);
    };
  },
  random: () => Math.random(),
};
