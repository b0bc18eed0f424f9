import type { IncomingHttpHeaders } from 'node:http';
import { duration, wholeSecond, type Clock, type Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import { HttpExchangeError, adviceFor } from '../http/exchange-error.ts';
import { retryDelay, type FailedAttempts, type Patience } from '../http/patience.ts';
import type { NextStep, RequestContext } from '../http/request.ts';
import { retryAfterMs } from '../http/response.ts';
import { TOKEN } from '../limits.ts';
import { counted } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { BadResponseError, StatusError, type ListEndpoint } from './status-error.ts';

export interface RetryDeps extends Pick<Clock, 'now' | 'random'> {
  readonly patience: Patience;
  readonly sleep: Sleep;
  readonly count: (what: 'requests' | 'retries') => void;
}

type List = Pick<ListEndpoint, 'stream' | 'place'>;

/** What a caller passes along with a request that may be repeated. */
export interface RetryContext extends RequestContext {
  /** ms after which a persistent 500 is thrown; absent: it is retried like other failures. */
  readonly serverErrorMs?: number | undefined;
}

/** The failures of a list since its last success, whatever was requested. */
export interface Outage {
  sinceMs: number | null; // null if there are none
  attempts: number; // that failed, also because of rate limits
}

export const NO_OUTAGE: Readonly<Outage> = { sinceMs: null, attempts: 0 };

/**
 * Repeats `attempt`, which calls `onSend` with the time when it sends its request, until it succeeds or `judge` returns `fail`. Throws API_UNAVAILABLE
 * when the patience of the process is exhausted. Changes `outage`.
 */
export async function withRetry<T>(
  attempt: (onSend: (atMs: number) => void) => Promise<T>,
  judge: (error: unknown) => Promise<NextStep>,
  list: List,
  { patience, outage, now, random, sleep, count }: RetryDeps & { readonly outage: Outage },
  { signal, onWait, serverErrorMs = Infinity }: RetryContext,
): Promise<T> {
  const startMs = now();
  const spent = { limits: 0, failures: 0, askedMs: 0 };
  let excusedMs = 0; // since the first failure: waits that the service asked for, for a token or a turn, or for the reader of stdout
  const faults = new Set<string | null>();
  const excuse = (ms: number): void => {
    if (outage.sinceMs !== null) excusedMs += ms;
  };
  for (;;) {
    const begunMs = now();
    try {
      const result = await attempt((atMs) => excuse(atMs - begunMs));
      patience.succeeded();
      Object.assign(outage, NO_OUTAGE);
      return result;
    } catch (error) {
      const next = await judge(error);
      if (next === 'resend') continue;
      const nowMs = now();
      if (next === 'fail') forgive(outage, excusedMs, nowMs);
      if (next === 'fail' || !(error instanceof Error)) throw error;
      const isRateLimited = isRateLimit(error);
      spent[isRateLimited ? 'limits' : 'failures']++;
      noteFailure(outage, isRateLimited, nowMs);
      faults.add(error instanceof BadResponseError ? error.fault : null);
      const latest = { isRateLimited, retryAfterMs: retryAfterMs(headersOf(error), nowMs) };
      const failed = { ...spent, ...latest, failingMs: nowMs - (outage.sinceMs ?? nowMs) - excusedMs };
      const delay = retryDelay(failed, allowedFor(error, next, patience, serverErrorMs), nowMs, random());
      if (delay === null && next === 'settle') throw error;
      if (delay === null) throw unavailable(list, { ...failed, ...outage, startMs, faults }, nowMs, error);
      count('retries');
      await onWait({ reason: error.message, isRateLimited, waitMs: delay.waitMs });
      excuse(now() - nowMs);
      await sleep(delay.waitMs, signal);
      spent.askedMs += delay.askedMs;
      excuse(delay.askedMs);
    }
  }
}

const isRateLimit = (error: Error): boolean => error instanceof StatusError && error.isRateLimited;

function noteFailure(outage: Outage, isRateLimited: boolean, nowMs: number): void {
  outage.attempts++;
  if (!isRateLimited) outage.sinceMs ??= nowMs;
}

/** What a request has waited for is no failure of the list for the next one either: it may not have been sent because it became late. */
function forgive(outage: Outage, excusedMs: number, nowMs: number): void {
  if (outage.sinceMs !== null) outage.sinceMs = Math.min(nowMs, outage.sinceMs + excusedMs);
}

function headersOf(error: Error): IncomingHttpHeaders {
  return error instanceof StatusError || error instanceof BadResponseError ? error.headers : {};
}

function allowedFor(error: Error, next: NextStep, { budget, failureMs }: Patience, serverErrorMs: number) {
  const isServerError = error instanceof StatusError && error.status === 500;
  const settleMs = next === 'settle' ? TOKEN.settleMs : Infinity;
  const maxFailureMs = isServerError ? serverErrorMs : settleMs;
  return { failureMs: Math.min(failureMs(), maxFailureMs), maxAskedMs: budget.rateLimitMs };
}

/** The error after the last attempt; `faults` are those of the texts in all attempts, null for any other failure. */
function unavailable(
  { stream, place }: List,
  {
    failures,
    retryAfterMs: requestedMs = 0,
    attempts,
    sinceMs,
    startMs,
    faults,
  }: FailedAttempts & Outage & { readonly faults: ReadonlySet<string | null>; readonly startMs: number },
  nowMs: number,
  last: Error,
): Error {
  const tries = counted(attempts, 'attempt', 'attempts');
  const elapsedMs = nowMs - Math.min(startMs, sinceMs ?? startMs);
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
