import { duration, wholeSecond, type Clock, type Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import { HttpExchangeError, adviceFor } from '../http/exchange-error.ts';
import type { NextStep, RequestContext } from '../http/request.ts';
import { retryAfterMs } from '../http/response.ts';
import { BACKOFF, type RetryBudget } from '../limits.ts';
import { counted } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { BadResponseError, StatusError, type ListEndpoint } from './status-error.ts';

const MINUTE_MS = 60_000; // APIs usually limit requests per minute

export interface RetryDeps extends Pick<Clock, 'now' | 'random'> {
  readonly budget: RetryBudget;
  readonly sleep: Sleep;
  readonly count: (what: 'requests' | 'retries') => void;
}

type List = Pick<ListEndpoint, 'stream' | 'place'>;

/** What determines the wait after a failed attempt. */
export interface FailedRequest {
  readonly isRateLimited: boolean; // the latest attempt was
  readonly retryAfterMs: number | undefined; // from its response
  readonly limits: number; // rate-limited attempts, including the latest
  readonly failures: number; // attempts that failed otherwise
  readonly rateLimitMs: number; // waited because of rate limits
  readonly elapsedMs: number; // since the first attempt began
}

/** Repeats `attempt` until it succeeds or `judge` returns `fail`. Throws API_UNAVAILABLE when the budget is spent. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  judge: (error: unknown) => Promise<NextStep>,
  list: List,
  { budget, now, random, sleep, count }: RetryDeps,
  { signal, onWait }: RequestContext,
): Promise<T> {
  const startMs = now();
  const spent = { limits: 0, failures: 0, rateLimitMs: 0 };
  const faults = new Set<string | null>();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const next = await judge(error);
      if (next === 'resend') continue;
      if (next === 'fail' || !(error instanceof Error)) throw error;
      const nowMs = now();
      const isRateLimited = error instanceof StatusError && error.isRateLimited;
      const hasHeaders = error instanceof StatusError || error instanceof BadResponseError;
      spent[isRateLimited ? 'limits' : 'failures']++;
      const latest = { isRateLimited, retryAfterMs: retryAfterMs(hasHeaders ? error.headers : {}, nowMs) };
      faults.add(error instanceof BadResponseError ? error.fault : null);
      const failed = { ...spent, ...latest, elapsedMs: nowMs - startMs };
      const waitMs = retryDelay(failed, budget, nowMs, random());
      if (waitMs === null) throw unavailable(list, { ...failed, faults }, nowMs, error);
      count('retries');
      await onWait({ reason: error.message, isRateLimited, waitMs });
      await sleep(waitMs, signal);
      if (isRateLimited) spent.rateLimitMs += waitMs;
    }
  }
}

/**
 * Returns the wait before the next attempt in ms, or null if the budget is spent. A 429 waits for the next minute or, with
 * `Retry-After`, at least that long, and longer each time. All other failures back off exponentially with full jitter.
 */
export function retryDelay(failed: FailedRequest, budget: RetryBudget, nowMs: number, random: number) {
  const { isRateLimited, retryAfterMs: requestedMs = 0, limits, failures, rateLimitMs, elapsedMs } = failed;
  const toNextMinute = MINUTE_MS - (nowMs % MINUTE_MS) + Math.floor(random * 1000);
  const limitMs = Math.max(requestedMs, Math.min(BACKOFF.maxRateLimitMs, BACKOFF.baseMs * 2 ** limits));
  const afterLimit = failed.retryAfterMs === undefined ? toNextMinute : limitMs;
  const jitterMs = Math.floor(random * Math.min(BACKOFF.maxMs, BACKOFF.baseMs * 2 ** (failures - 1)));
  const waitMs = isRateLimited ? afterLimit : Math.max(requestedMs, jitterMs);
  const limitedMs = isRateLimited ? rateLimitMs + waitMs : waitMs;
  const isSpent = failures >= budget.attempts || limitedMs > budget.rateLimitMs;
  return isSpent || elapsedMs + waitMs > budget.lastStartMs ? null : waitMs;
}

/** The error after the last attempt; `faults` are those of the texts in all attempts, null for any other failure. */
function unavailable(
  { stream, place }: List,
  {
    limits,
    failures,
    retryAfterMs: requestedMs = 0,
    elapsedMs,
    faults,
  }: FailedRequest & { faults: ReadonlySet<string | null> },
  nowMs: number,
  last: Error,
): Error {
  const tries = counted(limits + failures, 'attempt', 'attempts');
  const until = wholeSecond(nowMs + requestedMs);
  const hint =
    requestedMs === 0 ? '' : ` The API asks to wait ${duration(requestedMs)}, until ${until} (Retry-After).`;
  const key = `${place}.base_url`;
  const advice = last instanceof HttpExchangeError ? adviceFor(last, key) : '';
  // a page that is broken at the same place each time is no accident
  const isLasting = failures > 1 && faults.size === 1 && !faults.has(null);
  const message =
    `${stream}: no usable response after ${tries} in ${duration(elapsedMs)}. Last error: ${last.message}.${hint}` +
    `${advice === '' ? '' : ` ${advice}`}${outlookOf(last, key, isLasting)}`;
  return transientError('API_UNAVAILABLE', message, last);
}

/** What to do next, in a sentence that begins with a space. */
function outlookOf(last: Error, key: string, isLasting: boolean): string {
  if (isLasting)
    return " The page was broken at this place in each attempt: ask the API's provider to correct it.";
  if (last instanceof BadPageError) return ` Check ${key}; if it is right, try again later.`;
  const isUnconnected = last instanceof HttpExchangeError && last.fault === 'unconnected';
  return isUnconnected ? ' If both are right, try again later.' : ' Try again later.';
}
