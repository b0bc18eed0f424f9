import type { IncomingHttpHeaders } from 'node:http';

/**
 * The wait in ms for which a response asks: by `Retry-After`, or, if it limits the rate of requests, until the limit is renewed. A time is
 * compared with the server's own `Date`, if there is one. Undefined if it asks for none.
 */
export function askedWaitMs(headers: IncomingHttpHeaders, isRateLimited: boolean, nowMs: number) {
  return retryAfterMs(headers, nowMs) ?? (isRateLimited ? limitResetMs(headers, nowMs) : undefined);
}

const SECONDS = /^(\d{1,9}(?:\.\d+)?) ?(s|secs?|seconds?)?$/i;
/** Some servers send the time itself, as seconds or ms since the epoch. */
const EPOCH = /^1\d{9}(\d{3})?$/;
/** All three formats of an HTTP date begin with the weekday. Without this check, Date.parse would accept almost any text. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)([a-z]*day)?,? /i;
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;
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

function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const ms = MS_HEADERS.map((name) => Number(headers[name] || NaN)).find((value) => value >= 0);
  return ms === undefined ? waitIn(headers['retry-after'], headers, nowMs) : Math.ceil(ms);
}

/** The wait in ms until a limit is renewed of which nothing remains; for a response that limits the rate of requests. */
function limitResetMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const remaining = REMAINING_HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
  if (remaining !== undefined && Number(remaining) !== 0) return undefined;
  const [, left] = /;\s*t=(\d+)\s*$/.exec(String(headers['ratelimit'] ?? '')) ?? [];
  const values = [left, ...RESET_HEADERS.map((name) => headers[name])];
  const waits = values.map((value) => waitIn(value, headers, nowMs));
  return waits.find((wait) => wait !== undefined);
}

/** The wait in ms that the value of a header states, in seconds or as a time. */
function waitIn(value: string | readonly string[] | undefined, headers: IncomingHttpHeaders, nowMs: number) {
  const text = String(value ?? '').trim();
  if (EPOCH.test(text)) return waitUntil(Number(text.padEnd(13, '0')), headers, nowMs);
  const [, seconds] = SECONDS.exec(text) ?? [];
  if (seconds !== undefined) return Math.ceil(Number(seconds)) * 1000;
  const untilMs = ISO_DATE.test(text) ? Date.parse(text) : httpDate(text);
  return Number.isNaN(untilMs) ? undefined : waitUntil(untilMs, headers, nowMs);
}

function waitUntil(untilMs: number, { date }: IncomingHttpHeaders, nowMs: number): number {
  return Math.max(0, untilMs - (httpDate(date ?? '') || nowMs));
}

/** An HTTP date in ms since the epoch, or NaN. It is always in GMT, although its oldest format does not say so. */
function httpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
}
