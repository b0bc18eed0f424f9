import { WAIT_TOLD_EVERY_MS } from '../limits.ts';
import type { Log } from '../protocol/writer.ts';

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Waits, whatever becomes of the clock; in a long wait a LOG line every minute tells that the process lives, and finds out
 * whether anybody still reads. However many wait at once, one of them tells.
 *
 * @throws the signal's reason
 */
export function createSleep(wait: Sleep, log: Log, now: () => number): Sleep {
  let lastToldMs = 0;
  return async (ms, signal) => {
    let leftMs = ms;
    while (leftMs > 0) {
      const partMs = Math.min(leftMs, WAIT_TOLD_EVERY_MS);
      await wait(partMs, signal);
      leftMs -= partMs;
      // the clock may have been set back
      const sinceMs = Math.abs(now() - lastToldMs);
      if (leftMs <= 0 || sinceMs < WAIT_TOLD_EVERY_MS / 2) continue;
      lastToldMs = now();
      await log.info(`still waiting, ${Math.ceil(leftMs / 1000)} s to go`);
    }
  };
}
