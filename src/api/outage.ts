/** The failures of a list since its last success, whatever was requested, on a clock that runs while a request tries to get through. */
export interface Outage {
  sinceMs: number | null; // local time of the first failure; null if there are none
  since: number; // the same on the clock of `triedMs`
  attempts: number; // that failed, also because of rate limits
  endedMs: number; // of all times with a try that have ended
  tries: number; // in progress: requests in flight, and waits between attempts
  tryingSinceMs: number; // local time since which there has been one
}

export function newOutage(): Outage {
  return { sinceMs: null, since: 0, attempts: 0, endedMs: 0, tries: 0, tryingSinceMs: 0 };
}

/**
 * Returns how long a list has been tried since the process began, in ms. Not counted are times in which all its requests wait for
 * something else: for a token, a turn, the reader of stdout, or as long as the service asked.
 */
export function triedMs({ endedMs, tries, tryingSinceMs }: Readonly<Outage>, nowMs: number): number {
  return endedMs + (tries > 0 ? nowMs - tryingSinceMs : 0);
}

/** Returns for how long a list has failed, in ms on the clock of `triedMs`. */
export function failingMs(outage: Readonly<Outage>, nowMs: number): number {
  return outage.sinceMs === null ? 0 : triedMs(outage, nowMs) - outage.since;
}

export function beginTry(outage: Outage, nowMs: number): void {
  if (outage.tries === 0) outage.tryingSinceMs = nowMs;
  outage.tries++;
}

export function endTry(outage: Outage, nowMs: number): void {
  outage.tries--;
  if (outage.tries === 0) outage.endedMs += nowMs - outage.tryingSinceMs;
}

/** Notes a failed attempt. Rate limits begin no outage. */
export function noteFailure(outage: Outage, isRateLimited: boolean, nowMs: number): void {
  outage.attempts++;
  if (isRateLimited || outage.sinceMs !== null) return;
  outage.sinceMs = nowMs;
  outage.since = triedMs(outage, nowMs);
}

/** Notes that the list has answered. */
export function endOutage(outage: Outage): void {
  outage.sinceMs = null;
  outage.attempts = 0;
}
