import { setTimeout as delay } from 'node:timers/promises';

import { WAIT_TOLD_EVERY_MS } from './limits.ts';

/** Time and chance, as far as a command depends on them. */
export type Clock = Readonly<typeof systemClock>;
export type Sleep = Clock['wait'];

export const systemClock = {
  /** Local time, ms since the epoch. */
  now: (): number => Date.now(),
  /** ms since some time in the past; it never goes back. */
  ticks: (): number => performance.now(),
  /** Resolves after `ms`; throws as soon as `signal` is aborted. */
  wait: (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal }),
  /** Calls `call` once after `ms`, without keeping the process alive; what is returned takes that back. */
  after: (ms: number, call: () => void): (() => void) => {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
  /** In [0, 1). */
  random: (): number => Math.random(),
};

/** Local time in whole ms since the epoch: what the clock shows now, and then steadily on, even if the clock is set meanwhile. */
export function steadyNow({ now, ticks }: Pick<Clock, 'now' | 'ticks'>): () => number {
  const aheadMs = now() - ticks();
  return () => Math.floor(aheadMs + ticks());
}

/** Waits, whatever becomes of the clock; `tell` hears of long waits every minute, once however many wait at once. */
export function createSleep(
  clock: Pick<Clock, 'wait' | 'now'>,
  tell: (words: string) => Promise<void>,
): Sleep {
  const { wait, now } = clock;
  let lastToldMs = 0;
  return async (ms, signal) => {
    let leftMs = ms;
    while (leftMs > WAIT_TOLD_EVERY_MS) {
      await wait(WAIT_TOLD_EVERY_MS, signal);
      leftMs -= WAIT_TOLD_EVERY_MS;
      // the clock may have been set back
      if (Math.abs(now() - lastToldMs) < WAIT_TOLD_EVERY_MS / 2) continue;
      lastToldMs = now();
      // which finds out, too, whether anybody still reads
      await tell(`still waiting, ${Math.ceil(leftMs / 1000)} s to go`);
    }
    await wait(leftMs, signal);
  };
}
