import { expect, test } from 'vitest';
import { askedWaitMs, failureWaitMs } from './asked-wait.ts';
import { excerptOf } from './response.ts';

const NOW = Date.parse('2026-10-21T07:28:00Z');

test.each<[retryAfter: string | null, date: string | null, ms: number | null]>([
  [null, null, null],
  ['', null, null],
  ['0', null, 0],
  ['120', null, 120_000],
  [' 7 ', 'garbage', 7000],
  ['1.2', null, 2000],
  ['0.0', null, 0],
  ['-5', null, null],
  ['+5', null, null],
  ['1e3', null, null],
  ['120, 60', null, null],
  ['99999999999', null, null],
  ['soon', null, null],
  // Date.parse accepts these
  ['retry 10', null, null],
  ['May 1', null, null],
  ['monkey 5', null, null],
  // with a unit
  ['5s', null, 5000],
  ['5 Seconds', null, 5000],
  ['5 minutes', null, null],
  // dates, relative to the local clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', null, 30_000],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'garbage', 30_000],
  ['Wed, 21 Oct 2026 07:27:30 GMT', null, 0],
  // relative to the server's clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'Wed, 21 Oct 2026 07:28:10 GMT', 20_000],
  ['Tue, 01 Jan 2030 00:00:10 GMT', 'Tue, 01 Jan 2030 00:00:00 GMT', 10_000],
  ['Thu, 01 Jan 2015 00:00:10 GMT', 'Thu, 01 Jan 2015 00:00:20 GMT', 0],
  // the two obsolete formats of HTTP
  ['Wednesday, 21-Oct-26 07:28:30 GMT', null, 30_000],
  ['Wed Oct 21 07:28:30 2026', null, 30_000],
  ['Wed, 99 Oct 2026 07:28:30 GMT', null, null],
  // what else servers write
  ['2026-10-21T07:28:30Z', null, 30_000],
  ['2026-10-21T09:28:30.5+02:00', 'Wed, 21 Oct 2026 07:28:10 GMT', 20_500],
  ['2026-10-21T07:28:30', null, null],
  ['1792567710', null, 30_000],
])('Retry-After %j with Date %j: %j', (retryAfter, date, ms) => {
  const headers = { 'retry-after': retryAfter ?? undefined, date: date ?? undefined };
  expect(askedWaitMs(headers, NOW)).toBe(ms ?? undefined);
});

/** The wait after a 429. */
function limitWaitMs(headers: Record<string, string>, body: string): number | undefined {
  const excerpt = excerptOf({ headers, body: Buffer.from(body) }, String);
  return failureWaitMs({ status: 429, headers, excerpt }, true, NOW);
}

const resetAt = String(NOW / 1000 + 30);

test.each<[headers: Record<string, string>, ms: number | null]>([
  [{ 'retry-after-ms': '1500.2' }, 1501],
  [{ 'x-ms-retry-after-ms': '200', 'retry-after': '1' }, 200],
  [{ 'ratelimit-reset': '30', 'ratelimit-remaining': '0' }, 30_000],
  [{ 'x-ratelimit-reset': resetAt }, 30_000],
  [{ 'x-rate-limit-reset': '2026-10-21T07:28:30Z' }, 30_000],
  [{ 'x-ratelimit-reset-after': '0.7' }, 1000],
  [{ ratelimit: '"default";r=0;t=30' }, 30_000],
  // Retry-After counts more
  [{ 'retry-after': '7', 'x-ratelimit-reset': resetAt }, 7000],
  // another limit is reached than the one that these are about
  [{ 'x-ratelimit-reset': resetAt, 'x-ratelimit-remaining': '4999' }, null],
  [{ 'ratelimit-reset': '10, 3600' }, null],
  [{}, null],
])('a rate limit is renewed when %j says so: %j', (headers, ms) => {
  expect(limitWaitMs(headers, '')).toBe(ms ?? undefined);
});

test('a response that limits no rate is not about a limit', () => {
  const headers = { 'x-ratelimit-reset': resetAt, 'x-ratelimit-remaining': '0' };
  const failure = { status: 403, headers, excerpt: { askedWait: { afterMs: 7000 } } };
  expect(failureWaitMs(failure, false, NOW)).toBe(undefined);
  expect(failureWaitMs({ ...failure, status: 503 }, false, NOW)).toBe(7000);
});

test.each<[headers: Record<string, string>, body: string, ms: number | null]>([
  [{}, '{"retry_after":3}', 3000],
  [{ 'retry-after': '7' }, '{"retry_after":3}', 7000],
  [{ 'ratelimit-reset': '30' }, '{"retry_after":3}', 3000],
  [{ 'ratelimit-reset': '30' }, '{"message":"slow down"}', 30_000],
  [{}, '{"nextAccessTime":"2026-10-21T07:28:30Z"}', 30_000],
  [{ date: 'Wed, 21 Oct 2026 07:28:10 GMT' }, '{"nextAccessTime":"2026-10-21T07:28:30Z"}', 20_000],
  // it has passed
  [{}, '{"nextAccessTime":"2026-10-21T07:27:30Z"}', null],
  [{}, '<html><script>retry(5 s)</script><p>Please try again in <b>5</b> seconds', 5000],
])('a limit with %j and the body %s: %j', (headers, body, ms) => {
  expect(limitWaitMs(headers, body)).toBe(ms ?? undefined);
});
