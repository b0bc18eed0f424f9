import { StatusError } from './status-error.ts';

/** Bounds how many requests of a process are in flight at once, once the API has said that they are too many. */
export interface RequestSlots {
  /**
   * Sends a request as soon as there is room for it; callers get their turn in the order in which they asked.
   *
   * @throws the signal's reason if it is aborted before the request is sent, and whatever `request` throws
   */
  readonly run: <T>(request: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/**
 * Slots without a bound at first. A 429 halves what is in flight, down to one; then each success lets the bound creep
 * up, by one for as many successes as it is wide. Of the requests that were in flight
 * together only the first one counts: they failed for one reason, and an answer to what was sent before says nothing
 * about the narrower bound.
 */
export function createRequestSlots(): RequestSlots {
  let bound = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  /** Times that the bound has been halved. */
  let halvings = 0;
  const waiting: (() => void)[] = [];

  const hasRoom = (): boolean => inFlight < Math.floor(bound);
  const admit = (): void => {
    while (hasRoom()) {
      const next = waiting.shift();
      if (next === undefined) return;
      inFlight++;
      next();
    }
  };
  const room = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(enter);
    });

  return {
    run: async (request, signal) => {
      signal.throwIfAborted();
      // where there is room nobody waits: whoever could go on has been let in
      if (hasRoom()) inFlight++;
      else await room(signal);
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
        admit();
      }
    },
  };
}
