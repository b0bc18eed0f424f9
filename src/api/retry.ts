import type { Clock, Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import { HttpExchangeError, retryAfterMs } from '../http/answer.ts';
import type { RequestContext } from '../http/request.ts';
import { BACKOFF } from '../limits.ts';
import type { Patience } from '../limits.ts';
import { BadPageError } from '../rows/page.ts';
import { StatusError } from './status-error.ts';
import type { ListEndpoint } from './status-error.ts';

const MINUTE_MS = 60_000; // limits of such APIs are per minute

export interface RetryParts extends Pick<Clock, 'now' | 'random'> {
  readonly budget: Patience;
  readonly sleep: Sleep;
  readonly count: (what: 'requests' | 'retries') => void;
}

/** A request that has failed, as far as the wait before its next attempt depends on it. */
export interface Failed {
  readonly isRateLimited: boolean; // the latest attempt
  readonly retryAfterMs: number | undefined; // the wait that the API asks for with it
  readonly limits: number; // attempts that failed with a rate limit, the latest included
  readonly failures: number; // and those that failed in any other way
  readonly rateLimitMs: number; // waited because of rate limits
  readonly elapsedMs: number; // since the first attempt began
}

/**
 * Repeats `attempt` (request, whole body and page check as one) until it succeeds or the budget is spent.
 *
 * @throws transient_error API_UNAVAILABLE with attempts, total wait and the last answer, when the budget is spent
 * @throws whatever else `attempt` throws, unchanged and at once
 */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  list: Pick<ListEndpoint, 'stream' | 'place'>,
  { budget, now, random, sleep, count }: RetryParts,
  { signal, onWait }: RequestContext,
): Promise<T> {
  const startMs = now();
  const spent = { limits: 0, failures: 0, rateLimitMs: 0 };
  let waitedMs = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isRefused = error instanceof StatusError;
      const mayPass = isRefused
        ? error.isRetryable
        : error instanceof HttpExchangeError || error instanceof BadPageError;
      if (!mayPass || !(error instanceof Error)) throw error;
      const nowMs = now();
      const isRateLimited = isRefused && error.status === 429;
      const asked = isRefused ? retryAfterMs(error.headers, nowMs) : undefined;
      spent[isRateLimited ? 'limits' : 'failures']++;
      const failed = { ...spent, isRateLimited, retryAfterMs: asked, elapsedMs: nowMs - startMs };
      const waitMs = retryDelay(failed, budget, nowMs, random());
      if (waitMs === null) throw spentError(list, failed, waitedMs, error);
      count('retries');
      await onWait({ reason: error.message, rateLimited: isRateLimited, waitMs });
      await sleep(waitMs, signal);
      waitedMs += waitMs;
      if (isRateLimited) spent.rateLimitMs += waitMs;
    }
  }
}

const exponential = (times: number, mostMs: number): number => Math.min(mostMs, BACKOFF.baseMs * 2 ** times);

/**
 * The wait before the next attempt in ms, or null if the budget is spent. Never earlier than `Retry-After`; a 429 without
 * one waits for the next full minute, and one that keeps coming back ever longer, so that 0 is no licence to hammer;
 * everything else backs off exponentially with full jitter. `random` is in [0, 1).
 */
export function retryDelay(failed: Failed, budget: Patience, nowMs: number, random: number): number | null {
  const { isRateLimited, retryAfterMs: asked, limits, failures, rateLimitMs, elapsedMs } = failed;
  const toFullMinute = MINUTE_MS - (nowMs % MINUTE_MS) + Math.floor(random * 1000);
  const afterLimit =
    asked === undefined ? toFullMinute : Math.max(asked, exponential(limits, BACKOFF.rateLimitMostMs));
  const afterFailure = Math.max(asked ?? 0, Math.floor(random * exponential(failures - 1, BACKOFF.mostMs)));
  const waitMs = isRateLimited ? afterLimit : afterFailure;
  const limitedMs = isRateLimited ? rateLimitMs + waitMs : waitMs;
  const isSpent = failures >= budget.attempts || limitedMs > budget.rateLimitMs;
  return isSpent || elapsedMs + waitMs > budget.lastStartMs ? null : waitMs;
}

function spentError(
  { stream, place }: Pick<ListEndpoint, 'stream' | 'place'>,
  failed: Failed,
  waitedMs: number,
  last: Error,
): Error {
  const { limits, failures, retryAfterMs: asked = 0 } = failed;
  const attempts = limits + failures;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const wish = asked === 0 ? '' : ` The API asks to wait ${Math.ceil(asked / 1000)} s more.`;
  const address = last instanceof BadPageError ? ` If it does not, check ${place}.base_url.` : '';
  const words =
    `${stream}: the API gave no usable answer in ${tries} and ${Math.round(waitedMs / 1000)} s of waiting. ` +
    `Last answer: ${last.message}.${wish} It may pass; try again later.${address}`;
  return transientError('API_UNAVAILABLE', words, last);
}
