import type { IncomingHttpHeaders } from 'node:http';
import type { Excerpt } from './response.ts';
import { httpDate, waitIn, type AskedWait } from './time-text.ts';

type Failed = Readonly<{ status: number; headers: IncomingHttpHeaders; excerpt: Pick<Excerpt, 'askedWait'> }>;

/**
 * The wait in ms for which a response asks: by `Retry-After`, or, if it limits the rate of requests or is a failure of the server, in its
 * body, or, if it limits the rate, until the limit is renewed. A time is compared with the server's own `Date`, if there is one. Undefined
 * if it asks for none.
 */
export function failureWaitMs({ status, headers, excerpt }: Failed, isRateLimited: boolean, nowMs: number) {
  const stated = isRateLimited || status >= 500 ? excerpt.askedWait : null;
  // a time that has passed is none: it may be that of the response
  const statedMs = stated === null ? 0 : msOf(stated, headers, nowMs);
  return (
    askedWaitMs(headers, nowMs) ??
    (statedMs > 0 ? statedMs : undefined) ??
    (isRateLimited ? limitResetMs(headers, nowMs) : undefined)
  );
}

/** `Retry-After` in ms, as some clouds send it. */
const MS_HEADERS = ['retry-after-ms', 'x-ms-retry-after-ms'];
/** When a limit that is used up is renewed. */
const RESET_HEADERS = [
  'ratelimit-reset',
  'x-ratelimit-reset',
  'x-rate-limit-reset',
  'x-ratelimit-reset-after',
];
const REMAINING_HEADERS = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining'];

/** The wait in ms for which `Retry-After` asks; undefined without it. */
export function askedWaitMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const ms = MS_HEADERS.map((name) => Number(headers[name] || NaN)).find((value) => value >= 0);
  return ms === undefined ? headerWaitMs(headers['retry-after'], headers, nowMs) : Math.ceil(ms);
}

/** The wait in ms until a limit is renewed of which nothing remains; for a response that limits the rate of requests. */
function limitResetMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const remaining = REMAINING_HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
  if (remaining !== undefined && Number(remaining) !== 0) return undefined;
  const [, left] = /;\s*t=(\d+)\s*$/.exec(String(headers['ratelimit'] ?? '')) ?? [];
  const values = [left, ...RESET_HEADERS.map((name) => headers[name])];
  const waits = values.map((value) => headerWaitMs(value, headers, nowMs));
  return waits.find((wait) => wait !== undefined);
}

/** The wait in ms that the value of a header states, in seconds or as a time. */
function headerWaitMs(
  value: string | readonly string[] | undefined,
  headers: IncomingHttpHeaders,
  nowMs: number,
): number | undefined {
  const wait = waitIn(String(value ?? '').trim());
  return wait === null ? undefined : msOf(wait, headers, nowMs);
}

function msOf(wait: AskedWait, { date }: IncomingHttpHeaders, nowMs: number): number {
  return 'afterMs' in wait ? wait.afterMs : Math.max(0, wait.untilMs - (httpDate(date ?? '') || nowMs));
}
