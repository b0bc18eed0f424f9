import { BACKOFF, type RetryBudget } from '../limits.ts';

const MINUTE_MS = 60_000; // APIs usually limit requests per minute

/** How long a process keeps trying, at lists and at the token endpoint alike. */
export type Patience = Readonly<ReturnType<typeof createPatience>>;

/** Until the first page has arrived, an address may be mistyped, so failures are waited out for a shorter time. */
export function createPatience(budget: RetryBudget) {
  let hasSucceeded = false;
  return {
    budget,
    /** Notes that a page has arrived. */
    succeeded: (): void => {
      hasSucceeded = true;
    },
    /** ms from the first failure after a success to the last attempt. */
    failureMs: (): number => (hasSucceeded ? budget.failureMs : budget.firstFailureMs),
  };
}

/** Failed attempts since the last success; times in ms. */
export interface FailedAttempts {
  readonly isRateLimited: boolean; // the latest attempt was
  readonly retryAfterMs: number | undefined; // from its response
  readonly limits: number; // rate-limited attempts, including the latest
  readonly failures: number; // attempts that failed otherwise
  readonly askedMs: number; // waited so far because the service asked for it
  readonly failingMs: number; // since the first failure, without those waits
}

/** A wait before the next attempt, and the part of it that is longer because the service asked for it; in ms. */
export type Delay = Readonly<{ waitMs: number; askedMs: number }>;

/** How long the attempts of a request may go on; in ms. */
export interface Allowance {
  readonly failureMs: number; // for failures, since the first one
  readonly maxAskedMs: number; // for waits that the service asks for
  readonly leastMs: number; // before an attempt that follows a failure
}

/**
 * Returns the wait before the next attempt, or null if none may follow: failures are waited out for `failureMs`, and what the service
 * asks for up to `maxAskedMs`. A 429 waits for the next minute or, with `Retry-After`, at least that long, and longer each time. All
 * other failures back off exponentially with full jitter, by `leastMs` at least, and the last attempt is made when `failureMs` has passed.
 */
export function retryDelay(
  failed: FailedAttempts,
  { failureMs, maxAskedMs, leastMs }: Allowance,
  nowMs: number,
  random: number,
): Delay | null {
  const { isRateLimited, retryAfterMs, limits, failures, failingMs } = failed;
  const delay = isRateLimited
    ? limitDelay(retryAfterMs, limits, nowMs, random)
    : failureDelay(retryAfterMs ?? 0, Math.max(leastMs, jitterOf(failures, random)), failureMs - failingMs);
  const askedMs = Math.max(delay?.askedMs ?? 0, retryAfterMs ?? 0);
  return failed.askedMs + askedMs > maxAskedMs ? null : delay;
}

function limitDelay(retryAfterMs: number | undefined, limits: number, nowMs: number, random: number): Delay {
  const toNextMinute = MINUTE_MS - (nowMs % MINUTE_MS) + Math.floor(random * 1000);
  const growingMs = Math.min(BACKOFF.maxRateLimitMs, BACKOFF.baseMs * 2 ** limits);
  const waitMs = retryAfterMs === undefined ? toNextMinute : Math.max(retryAfterMs, growingMs);
  return { waitMs, askedMs: waitMs };
}

function jitterOf(failures: number, random: number): number {
  return Math.floor(random * Math.min(BACKOFF.maxMs, BACKOFF.baseMs * 2 ** (failures - 1)));
}

function failureDelay(requestedMs: number, backoffMs: number, leftMs: number): Delay | null {
  if (leftMs <= 0) return null;
  const ownMs = Math.min(backoffMs, leftMs);
  const waitMs = Math.max(requestedMs, ownMs);
  return { waitMs, askedMs: waitMs - ownMs };
}
