import { EventEmitter, once } from 'node:events';
import type { Sleep } from '../clock.ts';
import { CONNECTION, LIMITER_WINDOW_MS } from '../limits.ts';
import { StatusError } from './status-error.ts';

/** Resolves when the next request may be sent, in the order of the calls. */
export type RequestLimiter = ReturnType<typeof createRequestLimiter>;

/** Allows at most `perMinute` requests in any 60 seconds; null for no limit. `now` is monotonic, in ms. */
export function createRequestLimiter(perMinute: number | null, now: () => number, sleep: Sleep) {
  /** Start times of the latest `perMinute` requests, oldest first, including those that are still waiting. */
  const starts: number[] = [];
  return async (signal: AbortSignal): Promise<void> => {
    if (perMinute === null) return;
    const oldest = starts.length < perMinute ? undefined : starts.shift();
    const startMs = Math.max(now(), oldest === undefined ? 0 : oldest + LIMITER_WINDOW_MS);
    starts.push(startMs);
    if (startMs > now()) await sleep(startMs - now(), signal);
  };
}

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

/**
 * Limits the requests in flight of a process, and so its connections. A 429 halves the limit, down to one. After as many successes
 * as the limit allows requests, it grows by one, up to where it began. Of requests that were in flight together, only the first 429
 * counts: they have the same cause, and older results say nothing about the new limit.
 */
export function createConcurrencyLimit() {
  let limit: number = CONNECTION.maxPerHost;
  let inFlight = 0;
  let halvings = 0;
  const waiting: EventEmitter[] = [];
  const hasRoom = (): boolean => inFlight < Math.floor(limit);

  /** Sends a request as soon as there is room for it, in the order of the calls. Throws the signal's reason if aborted before. */
  return async <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    // if there is room, nobody is waiting
    if (hasRoom()) inFlight++;
    else {
      const turn = new EventEmitter();
      waiting.push(turn);
      await once(turn, 'room', { signal }).catch(() => signal.throwIfAborted());
    }
    const sentAfter = halvings;
    try {
      const result = await request();
      if (sentAfter === halvings) limit = Math.min(CONNECTION.maxPerHost, limit + 1 / Math.floor(limit));
      return result;
    } catch (error) {
      if (sentAfter === halvings && error instanceof StatusError && error.isRateLimited) {
        limit = Math.max(1, Math.floor(Math.min(limit, inFlight) / 2));
        halvings++;
      }
      throw error;
    } finally {
      inFlight--;
      // an event without a listener means that the request was aborted
      while (hasRoom() && waiting.length > 0) if (waiting.shift()?.emit('room') === true) inFlight++;
    }
  };
}
