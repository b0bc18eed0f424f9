/** The failures of a list since its last success, whatever was requested, and a clock that runs only while the list is tried. */
export interface Outage {
  sinceMs: number | null; // local time of the first failure; null if there are none
  triedBeforeMs: number; // `triedMs` at that time
  attempts: number; // that failed, also because of rate limits
  endedMs: number; // for which the list was tried, without the tries in progress
  tries: number; // in progress: requests in flight and backoffs
  tryingSinceMs: number; // local time at which the first of them began
}

export function newOutage(): Outage {
  return { sinceMs: null, triedBeforeMs: 0, attempts: 0, endedMs: 0, tries: 0, tryingSinceMs: 0 };
}

/**
 * Returns for how long a list has been tried, in ms. Time in which all its requests wait for something else does not count: for a token,
 * a turn or the reader of stdout, or because the service asked for it.
 */
export function triedMs({ endedMs, tries, tryingSinceMs }: Readonly<Outage>, nowMs: number): number {
  return endedMs + (tries > 0 ? nowMs - tryingSinceMs : 0);
}

/** Returns for how long a list has been tried since its first failure, in ms; 0 if there is none. */
export function failingMs(outage: Readonly<Outage>, nowMs: number): number {
  return outage.sinceMs === null ? 0 : triedMs(outage, nowMs) - outage.triedBeforeMs;
}

/** Notes that a request is sent, or that a backoff begins. */
export function beginTry(outage: Outage, nowMs: number): void {
  if (outage.tries === 0) outage.tryingSinceMs = nowMs;
  outage.tries++;
}

/** Notes that a try has ended, however it did. */
export function endTry(outage: Outage, nowMs: number): void {
  outage.tries--;
  if (outage.tries === 0) outage.endedMs += nowMs - outage.tryingSinceMs;
}

/** Notes a failed attempt. Rate limits begin no outage. */
export function noteFailure(outage: Outage, isRateLimited: boolean, nowMs: number): void {
  outage.attempts++;
  if (isRateLimited || outage.sinceMs !== null) return;
  outage.sinceMs = nowMs;
  outage.triedBeforeMs = triedMs(outage, nowMs);
}

/** Notes that the list has answered. */
export function endOutage(outage: Outage): void {
  outage.sinceMs = null;
  outage.attempts = 0;
}
