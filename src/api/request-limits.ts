import type { Sleep } from '../clock.ts';
import { LIMITER_WINDOW_MS } from '../limits.ts';
import { StatusError } from './status-error.ts';

/** Resolves when the next request may be sent; callers get their turn in the order in which they asked. */
export type Turn = (signal: AbortSignal) => Promise<void>;

/** At most `perMinute` requests in any 60 seconds, whoever sends them; null for no ceiling. `now` is monotonic, in ms. */
export function createRequestLimiter(perMinute: number | null, now: () => number, sleep: Sleep): Turn {
  /** When the last `perMinute` turns were or will be, oldest first. */
  const turns: number[] = [];
  return async (signal) => {
    if (perMinute === null) return;
    const oldest = turns.length < perMinute ? undefined : turns.shift();
    const at = Math.max(now(), oldest === undefined ? 0 : oldest + LIMITER_WINDOW_MS);
    turns.push(at);
    if (at > now()) await sleep(at - now(), signal);
  };
}

/**
 * Sends a request as soon as there is room for it; callers get their turn in the order in which they asked.
 *
 * @throws the signal's reason if it is aborted before the request is sent, and whatever `request` throws
 */
export type ConcurrencyLimit = <T>(request: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Bounds how many requests of a process are in flight, once the API has said that they are too many. A 429 halves the bound,
 * down to one; then it creeps up, by one for as many successes as it is wide. Of the requests that were in flight together
 * only the first one counts: they failed for one reason, and what was sent before says nothing about the narrower bound.
 */
export function createConcurrencyLimit(): ConcurrencyLimit {
  let bound = Infinity;
  let inFlight = 0;
  let halvings = 0;
  const waiting: (() => void)[] = [];
  const hasRoom = (): boolean => inFlight < Math.floor(bound);

  return async (request, signal) => {
    signal.throwIfAborted();
    // where there is room nobody waits: whoever could go on has been let in
    if (hasRoom()) inFlight++;
    else
      await new Promise<void>((resolve, reject) => {
        const giveUp = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(() => {
          signal.removeEventListener('abort', giveUp);
          if (!signal.aborted) inFlight++;
          resolve();
        });
      });
    const sentAfter = halvings;
    try {
      const answer = await request();
      if (sentAfter === halvings) bound += 1 / Math.floor(bound);
      return answer;
    } catch (error) {
      if (sentAfter === halvings && error instanceof StatusError && error.status === 429) {
        bound = Math.max(1, Math.floor(Math.min(bound, inFlight) / 2));
        halvings++;
      }
      throw error;
    } finally {
      inFlight--;
      while (hasRoom() && waiting.length > 0) waiting.shift()?.();
    }
  };
}
