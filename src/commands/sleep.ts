import type { Log } from '../protocol/log.ts';

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const MINUTE_MS = 60_000;

/**
 * Waits; in a long wait a LOG line every minute tells that the process lives, and finds out whether anybody still reads.
 * However many wait at once, one of them tells.
 *
 * @throws the signal's reason
 */
export function createSleep(wait: Sleep, log: Log, now: () => number): Sleep {
  let lastToldMs = 0;
  return async (ms, signal) => {
    const endMs = now() + ms;
    for (let leftMs = ms; leftMs > 0; leftMs = endMs - now()) {
      await wait(Math.min(leftMs, MINUTE_MS), signal);
      const stillMs = endMs - now();
      if (stillMs <= 0 || now() - lastToldMs < MINUTE_MS / 2) continue;
      lastToldMs = now();
      await log.info(`still waiting, ${Math.ceil(stillMs / 1000)} s to go`);
    }
  };
}
