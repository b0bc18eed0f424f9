import { duration, wholeSecond, type Clock, type Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import { askedWaitMs, failureWaitMs } from '../http/asked-wait.ts';
import { HttpExchangeError, adviceFor } from '../http/exchange-error.ts';
import {
  retryDelay,
  type Allowance,
  type Delay,
  type FailedAttempts,
  type Patience,
} from '../http/patience.ts';
import type { NextStep, RequestContext } from '../http/request.ts';
import { BRIEF_ANSWER_MS, LASTING_ANSWER_MS, TOKEN } from '../limits.ts';
import { counted } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { extended, hasLasted, type Streak } from './streak.ts';
import { beginTry, endOutage, endTry, failingMs, noteFailure, type Outage } from './outage.ts';
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

/** How attempts differ in the rows that they ask for. */
export interface SizedAttempts {
  /** True if the next attempt would be the first one that asks for fewer rows. */
  readonly isUntried: () => boolean;
  /** What is different in the next attempt, for a message; empty if nothing is. */
  readonly change: () => string;
  readonly summary: () => SizeSummary;
}

type SizedContext = RetryContext & { readonly sized?: SizedAttempts };

export interface SizeSummary {
  readonly tried: string; // what was requested, for a message that names it; empty if all attempts were alike
  readonly isFixed: boolean; // fewer rows may help, and cannot be requested
}

/** Calls `onSend` with the time when it sends its request. */
type Attempt<T> = (onSend: (atMs: number) => void) => Promise<T>;

/**
 * Repeats `attempt` until it succeeds or `judge` returns `fail`. Throws the error of an attempt that has failed alike for long enough to be
 * the answer, and API_UNAVAILABLE when the patience of the process is exhausted before. Changes `outage`.
 */
export async function withRetry<T>(
  attempt: Attempt<T>,
  judge: (error: unknown) => Promise<NextStep>,
  list: List,
  { patience, outage, now, random, sleep, count }: RetryDeps & { readonly outage: Outage },
  { signal, onWait, serverErrorMs = Infinity, sized = ONE_SIZE }: SizedContext,
): Promise<T> {
  const tries: Tries = {
    startMs: now(),
    limits: 0,
    failures: 0,
    askedMs: 0,
    faults: new Set(),
    streak: null,
  };
  for (;;) {
    try {
      const result = await tryOnce(attempt, outage, now);
      patience.succeeded();
      endOutage(outage);
      return result;
    } catch (error) {
      const next = await judge(error);
      if (next === 'resend') continue;
      const nowMs = now();
      if (next === 'fail' || !(error instanceof Error)) throw answered(error, outage);
      const failed = noteTry(tries, outage, error, nowMs);
      const streak = extended(tries.streak, lastingMsOf(error, next, serverErrorMs), nowMs);
      tries.streak = streak;
      const delay = delayAfter(failed, allowedFor(streak, failed, patience), sized, nowMs, random());
      if (delay === null && (next === 'retry' || !hasLasted(streak, nowMs))) {
        const run = { ...tries, ...failed, ...outage, ...sized.summary() };
        throw unavailable(list, run, nowMs, error);
      }
      if (delay === null) throw answered(error, outage);
      count('retries');
      const { waitMs, askedMs } = delay;
      await onWait({ reason: error.message + sized.change(), isRateLimited: failed.isRateLimited, waitMs });
      if (askedMs > 0) await sleep(askedMs, signal);
      await backOff(() => sleep(waitMs - askedMs, signal), outage, now);
      tries.askedMs += askedMs;
      streak.waitedMs += waitMs;
    }
  }
}

/** Notes that a list has answered, though not with a page; a network has not. */
function answered(error: unknown, outage: Outage): unknown {
  if (error instanceof StatusError || error instanceof BadPageError) endOutage(outage);
  return error;
}

/** The failed attempts of a request. */
interface Tries {
  readonly startMs: number;
  limits: number; // rate-limited attempts
  failures: number; // others
  askedMs: number; // waited because the service asked for it
  readonly faults: Set<string | null>; // of the texts; null for any other failure
  streak: Streak | null; // of the latest ones
}

function noteTry(tries: Tries, outage: Outage, error: Error, nowMs: number): FailedAttempts {
  const latest = latestOf(error, nowMs);
  tries[latest.isRateLimited ? 'limits' : 'failures']++;
  tries.faults.add(error instanceof BadResponseError ? error.fault : null);
  noteFailure(outage, latest.isRateLimited, nowMs);
  const { limits, failures, askedMs } = tries;
  return { ...latest, limits, failures, askedMs, failingMs: failingMs(outage, nowMs) };
}

/** Waits before the next attempt, which counts as a try. */
async function backOff(wait: () => Promise<void>, outage: Outage, now: Clock['now']): Promise<void> {
  beginTry(outage, now());
  try {
    await wait();
  } finally {
    endTry(outage, now());
  }
}

/** Makes an attempt, which counts as a try from when its request is sent. */
async function tryOnce<T>(attempt: Attempt<T>, outage: Outage, now: Clock['now']): Promise<T> {
  let isSent = false;
  try {
    return await attempt((atMs) => {
      isSent = true;
      beginTry(outage, atMs);
    });
  } finally {
    if (isSent) endTry(outage, now());
  }
}

const AT_ONCE: Delay = { waitMs: 0, askedMs: 0 };
const ONE_SIZE: SizedAttempts = {
  isUntried: () => false,
  change: () => '',
  summary: () => ({ tried: '', isFixed: false }),
};

/** Like `retryDelay`; but if requests that time out leave no time for a smaller page, it is requested all the same. */
function delayAfter(
  failed: FailedAttempts,
  allowed: Allowance,
  { isUntried }: SizedAttempts,
  nowMs: number,
  random: number,
): Delay | null {
  const mayGoOn = !failed.isRateLimited && failed.retryAfterMs === undefined && isUntried();
  return retryDelay(failed, allowed, nowMs, random) ?? (mayGoOn ? AT_ONCE : null);
}

const isRateLimit = (error: Error): boolean => error instanceof StatusError && error.isRateLimited;

function latestOf(error: Error, nowMs: number): Pick<FailedAttempts, 'isRateLimited' | 'retryAfterMs'> {
  const isRateLimited = isRateLimit(error);
  if (error instanceof StatusError)
    return { isRateLimited, retryAfterMs: failureWaitMs(error, isRateLimited, nowMs) };
  const headers = error instanceof BadResponseError ? error.headers : {};
  return { isRateLimited, retryAfterMs: askedWaitMs(headers, nowMs) };
}

function lastingMsOf(
  error: Error,
  next: Exclude<NextStep, 'resend' | 'fail'>,
  serverErrorMs: number,
): number {
  if (error instanceof StatusError && error.status === 500) return serverErrorMs;
  return {
    settle: TOKEN.settleMs,
    confirm: BRIEF_ANSWER_MS,
    last: LASTING_ANSWER_MS,
    retry: Infinity,
  }[next];
}

function allowedFor(
  { lastingMs, waitedMs }: Streak,
  failed: FailedAttempts,
  { budget, failureMs }: Patience,
): Allowance {
  const answerMs = failed.failingMs + lastingMs - waitedMs;
  // a brief answer is confirmed by two more attempts: quick ones would only add requests
  const leastMs = lastingMs <= BRIEF_ANSWER_MS ? lastingMs / 2 : 0;
  return { failureMs: Math.min(failureMs(), answerMs), maxAskedMs: budget.rateLimitMs, leastMs };
}

/** The error after the last attempt. */
function unavailable(
  { stream, place }: List,
  {
    failures,
    retryAfterMs: requestedMs = 0,
    attempts,
    sinceMs,
    startMs,
    faults,
    tried,
    isFixed,
  }: Tries & FailedAttempts & Outage & SizeSummary,
  nowMs: number,
  last: Error,
): Error {
  const tries = counted(attempts, 'attempt', 'attempts');
  const elapsedMs = nowMs - Math.min(startMs, sinceMs ?? startMs);
  const until = wholeSecond(nowMs + requestedMs);
  const hint = requestedMs === 0 ? '' : ` The API asks to wait ${duration(requestedMs)}, until ${until}.`;
  const key = `${place}.base_url`;
  const advice = last instanceof HttpExchangeError ? adviceFor(last, key) : '';
  // a page that is broken at the same place each time is no accident
  const isBroken = failures > 1 && !faults.has(null);
  const outlook =
    isBroken && (faults.size === 1 || tried !== '') ? brokenOutlook(faults.size === 1) : outlookOf(last, key);
  const message =
    `${stream}: no usable response after ${tries} in ${duration(elapsedMs)}. Last error: ${last.message}.${hint}${tried}` +
    `${advice === '' ? '' : ` ${advice}`}${outlook}` +
    (isFixed ? ` If a page fails each time, a smaller ${place}.page_size may help.` : '');
  return transientError('API_UNAVAILABLE', message, last);
}

/** What to do if pages were broken in all attempts, in a sentence that begins with a space. */
function brokenOutlook(isSamePlace: boolean): string {
  return isSamePlace
    ? " The page was broken at this place in each attempt: ask the API's provider to correct it."
    : " The page was broken in each attempt, whatever its size: ask the API's provider to correct it, or try again later.";
}

const WITHOUT_CONTENT =
  ' Try again later. If it lasts, ask the API\'s provider to answer with a page, without rows if there are none ("items": []): an answer without ' +
  'content does not show whether a list has ended.';

/** What to do next, in a sentence that begins with a space. */
function outlookOf(last: Error, key: string): string {
  if (last instanceof BadPageError) return ` Check ${key}; if it is right, try again later.`;
  if (last instanceof StatusError && (last.status === 204 || last.status === 205)) return WITHOUT_CONTENT;
  const isUnconnected = last instanceof HttpExchangeError && last.fault === 'unconnected';
  return isUnconnected ? ' If both are right, try again later.' : ' Try again later.';
}
