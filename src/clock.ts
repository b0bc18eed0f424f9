import { setTimeout as delay } from 'node:timers/promises';
import { WAIT_REPORT_MS } from './limits.ts';

/** Time and randomness for commands; tests pass their own. */
export type Clock = Readonly<typeof systemClock>;
export type Sleep = Clock['wait'];

export const systemClock = {
  now: (): number => Date.now(), // local time, ms since the epoch
  ticks: (): number => performance.now(), // monotonic time in ms, from an arbitrary origin
  /** Resolves after `ms`; rejects as soon as `signal` is aborted. */
  wait: (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal }),
  /** Calls `call` once after `ms`, without keeping the process alive; returns a function that cancels the call. */
  after: (ms: number, call: () => void): (() => void) => {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
  random: (): number => Math.random(), // in [0, 1)
};

/** Returns a monotonic clock, in whole ms since the epoch, that starts at the local time and ignores later changes to it. */
export function steadyNow({ now, ticks }: Pick<Clock, 'now' | 'ticks'>): () => number {
  const offsetMs = now() - ticks();
  return () => Math.floor(offsetMs + ticks());
}

/** Waits independently of the local clock. Calls `report` once a minute during long waits, even if several overlap. */
export function createSleep(
  clock: Pick<Clock, 'wait' | 'now'>,
  report: (message: string) => Promise<void>,
): Sleep {
  const { wait, now } = clock;
  let lastReportMs = 0;
  return async (ms, signal) => {
    let leftMs = ms;
    while (leftMs > WAIT_REPORT_MS) {
      await wait(WAIT_REPORT_MS, signal);
      leftMs -= WAIT_REPORT_MS;
      // the clock may have been set back
      if (Math.abs(now() - lastReportMs) < WAIT_REPORT_MS / 2) continue;
      lastReportMs = now();
      // also detects that stdout was closed
      await report(`still waiting, ${duration(leftMs)} left`);
    }
    await wait(leftMs, signal);
  };
}

/** Formats a length of time, in ms, rounded up: `0.3 s`, `45 s`, `12 min`, `3 h`, `3 h 5 min`. */
export function duration(ms: number): string {
  if (ms <= 900) return `${Math.max(0, Math.ceil(ms / 100)) / 10} s`;
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 2) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60 === 0 ? '' : ` ${minutes % 60} min`;
  return `${Math.floor(minutes / 60)} h${rest}`;
}

/** Formats a time in ms since the epoch as the first whole second from it on, in UTC: a wait until then is long enough. */
export function wholeSecond(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace('.000', '');
}
