import type { NextStep } from '../http/request.ts';

/**
 * Attempts that failed alike, one after the other. Whether that is the answer, the waits between them decide: in the same time a slow
 * service has answered less often, and failures of another kind, before or between, say nothing of this one.
 */
export interface Streak {
  readonly next: NextStep; // what each of them called for
  readonly lastingMs: number; // of waits that make it the answer
  readonly sinceMs: number; // local time of the first
  waitedMs: number;
}

/** Returns the streak to which the latest attempt belongs. */
export function extended(streak: Streak | null, next: NextStep, lastingMs: number, nowMs: number): Streak {
  const isAlike = streak?.next === next && streak.lastingMs === lastingMs;
  return isAlike ? streak : { next, lastingMs, sinceMs: nowMs, waitedMs: 0 };
}

/** True if no other answer is to be expected, when there is no time for another attempt; after a failure that calls for `retry` there is. */
export function isAnswer({ next, lastingMs, sinceMs, waitedMs }: Streak, nowMs: number): boolean {
  return next !== 'retry' && Math.max(waitedMs, nowMs - sinceMs) >= lastingMs;
}
