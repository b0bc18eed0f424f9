import { transientError } from '../errors.ts';
import { HttpExchangeError, retryAfterMs } from '../http/answer.ts';
import type { RequestContext } from '../http/request.ts';
import { BACKOFF } from '../limits.ts';
import { BadPageError } from './page.ts';
import { StatusError } from './status-error.ts';

/** Limits of such APIs are per minute. */
const MINUTE_MS = 60_000;

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

export interface RetryEnvironment {
  readonly stream: string;
  readonly budget: RetryBudget;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Why an attempt failed, as far as the wait before the next one depends on it. */
export interface FailedAttempt {
  readonly isRateLimited: boolean;
  /** What the API asks for. */
  readonly retryAfterMs: number | undefined;
}

/** What has been spent on one request so far. */
export interface Spent {
  /** Attempts that failed with a rate limit, and in any other way, the latest included. */
  readonly limits: number;
  readonly failures: number;
  /** ms waited because of rate limits. */
  readonly rateLimitMs: number;
  /** ms since the first attempt began. */
  readonly elapsedMs: number;
}

/**
 * Repeats `attempt` (request, whole body and page check as one) until it succeeds or the budget is spent.
 *
 * @throws transient_error API_UNAVAILABLE with attempts, total wait and the last answer, when the budget is spent
 * @throws whatever else `attempt` throws, unchanged and at once
 */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  { stream, budget, now, random, sleep }: RetryEnvironment,
  { signal, onWait }: RequestContext,
): Promise<T> {
  const startMs = now();
  const spent = { limits: 0, failures: 0, rateLimitMs: 0, elapsedMs: 0 };
  let waitedMs = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const nowMs = now();
      const failed = failedAttempt(error, nowMs);
      if (failed === null || !(error instanceof Error)) throw error;
      const { isRateLimited } = failed;
      spent.elapsedMs = nowMs - startMs;
      spent[isRateLimited ? 'limits' : 'failures']++;
      const waitMs = retryDelay(failed, spent, budget, nowMs, random());
      if (waitMs === null) throw spentError(stream, spent.limits + spent.failures, waitedMs, failed, error);
      await onWait({ reason: error.message, rateLimited: isRateLimited, waitMs });
      await sleep(waitMs, signal);
      waitedMs += waitMs;
      if (isRateLimited) spent.rateLimitMs += waitMs;
    }
  }
}

/** Null if another attempt cannot help. */
function failedAttempt(error: unknown, nowMs: number): FailedAttempt | null {
  if (error instanceof HttpExchangeError || error instanceof BadPageError)
    return { isRateLimited: false, retryAfterMs: undefined };
  if (!(error instanceof StatusError) || !error.isRetryable) return null;
  const asked = retryAfterMs(error.answer.headers, nowMs);
  return { isRateLimited: error.status === 429, retryAfterMs: asked };
}

/**
 * The wait before the next attempt in ms, or null if the budget is spent. Never earlier than `Retry-After`; a 429 without
 * one waits for the next full minute, and one that keeps coming back ever longer, so that 0 is no licence to hammer;
 * everything else backs off exponentially with full jitter. `random` is in [0, 1).
 */
export function retryDelay(
  { isRateLimited, retryAfterMs: asked }: FailedAttempt,
  spent: Spent,
  budget: RetryBudget,
  nowMs: number,
  random: number,
): number | null {
  const waitMs = isRateLimited
    ? (leastAfterLimit(asked, spent) ?? MINUTE_MS - (nowMs % MINUTE_MS) + Math.floor(random * 1000))
    : Math.max(asked ?? 0, Math.floor(random * exponential(spent.failures - 1, BACKOFF.mostMs)));
  const isSpent = isRateLimited
    ? spent.rateLimitMs + waitMs > budget.rateLimitMs
    : spent.failures >= budget.attempts || waitMs > budget.rateLimitMs;
  const isTooLate = budget.lastStartMs !== null && spent.elapsedMs + waitMs > budget.lastStartMs;
  return isSpent || isTooLate ? null : waitMs;
}

function leastAfterLimit(asked: number | undefined, { limits }: Spent): number | undefined {
  return asked === undefined ? undefined : Math.max(asked, exponential(limits, BACKOFF.rateLimitMostMs));
}

function exponential(times: number, mostMs: number): number {
  return Math.min(mostMs, BACKOFF.baseMs * 2 ** times);
}

function spentError(
  stream: string,
  attempts: number,
  waitedMs: number,
  { retryAfterMs: asked = 0 }: FailedAttempt,
  last: Error,
): Error {
  const wish = asked === 0 ? '' : ` The API asks to wait ${Math.ceil(asked / 1000)} s more.`;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const address = last instanceof BadPageError ? ` If it does not, check ${stream}.base_url.` : '';
  return transientError(
    'API_UNAVAILABLE',
    `${stream}: the API gave no usable answer in ${tries} and ${Math.round(waitedMs / 1000)} s of waiting. ` +
      `Last answer: ${last.message}.${wish} It may pass; try again later.${address}`,
    last,
  );
}
