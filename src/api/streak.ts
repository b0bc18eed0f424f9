/**
 * Attempts that failed alike, one after the other. Whether that is the answer, the waits between them decide: in the same time a slow
 * service has answered less often, and failures of another kind, before or between, say nothing of this one.
 */
export interface Streak {
  readonly lastingMs: number; // of waits that make it the answer, by which kinds of failures are told apart; Infinity: none do
  readonly sinceMs: number; // local time of the first
  waitedMs: number;
}

/** Returns the streak to which the latest attempt belongs. */
export function extended(streak: Streak | null, lastingMs: number, nowMs: number): Streak {
  return streak?.lastingMs === lastingMs ? streak : { lastingMs, sinceMs: nowMs, waitedMs: 0 };
}

/** True if no other answer is to be expected, though there may have been no time for all the waits. */
export function hasLasted({ lastingMs, sinceMs, waitedMs }: Streak, nowMs: number): boolean {
  return Math.max(waitedMs, nowMs - sinceMs) >= lastingMs;
}
