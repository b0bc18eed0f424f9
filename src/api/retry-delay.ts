import { BACKOFF } from '../limits.ts';

/** Limits of such APIs are per minute. */
const MINUTE_MS = 60_000;

/** Why an attempt failed, as far as the wait before the next one depends on it. */
export type FailedAttempt =
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'passing'; readonly retryAfterMs: number | undefined };

/** How much patience a command has. */
export interface RetryBudget {
  /** Attempts in all for anything but a rate limit, the first one included. */
  readonly attempts: number;
  /** ms that may be spent on waiting out rate limits (429) for one request. */
  readonly rateLimitMs: number;
  /** ms for one attempt. */
  readonly deadlineMs: number;
  /** ms after the start of the first attempt at which the last one may start; null for no bound. */
  readonly lastStartMs: number | null;
}

/** What has been spent on one request so far. */
export interface Spent {
  /** Attempts that failed with a rate limit, the latest included. */
  readonly rateLimited: number;
  /** Attempts that failed in any other way, the latest included. */
  readonly passing: number;
  /** ms waited because of rate limits. */
  readonly rateLimitMs: number;
  /** ms since the first attempt began. */
  readonly elapsedMs: number;
}

/**
 * The wait before the next attempt in ms, or null if the budget is spent. Never earlier than `Retry-After`; a 429
 * without one waits for the next full minute, since limits of such APIs are per minute and shared with others; one
 * that keeps coming back is waited out ever longer, whatever `Retry-After` says, so that 0 is no licence to hammer;
 * everything else backs off exponentially with full jitter. `random` is in [0, 1).
 */
export function retryDelay(
  failed: FailedAttempt,
  spent: Spent,
  budget: RetryBudget,
  nowMs: number,
  random: number,
): number | null {
  const wait = failed.kind === 'rate_limited' ? afterLimit : afterFailure;
  const waitMs = wait(failed.retryAfterMs, spent, budget, nowMs, random);
  const isTooLate =
    waitMs !== null && budget.lastStartMs !== null && spent.elapsedMs + waitMs > budget.lastStartMs;
  return isTooLate ? null : waitMs;
}

type Wait = (
  retryAfterMs: number | undefined,
  spent: Spent,
  budget: RetryBudget,
  nowMs: number,
  random: number,
) => number | null;

const afterLimit: Wait = (retryAfterMs, spent, budget, nowMs, random) => {
  const wait =
    retryAfterMs === undefined
      ? MINUTE_MS - (nowMs % MINUTE_MS) + Math.floor(random * 1000)
      : Math.max(retryAfterMs, Math.min(BACKOFF.rateLimitMostMs, BACKOFF.baseMs * 2 ** spent.rateLimited));
  return spent.rateLimitMs + wait > budget.rateLimitMs ? null : wait;
};

const afterFailure: Wait = (retryAfterMs, spent, budget, _nowMs, random) => {
  if (spent.passing >= budget.attempts) return null;
  const jittered = random * Math.min(BACKOFF.mostMs, BACKOFF.baseMs * 2 ** (spent.passing - 1));
  const wait = Math.max(retryAfterMs ?? 0, Math.floor(jittered));
  return wait > budget.rateLimitMs ? null : wait;
};
