import { expect, test } from 'vitest';
import { statedWait } from './stated-wait.ts';

const UNTIL = Date.parse('2026-11-29T10:00:00Z');

test.each<[body: object, ms: number]>([
  [{ retry_after: 3 }, 3000],
  [{ error: { retryAfter: 2.5 } }, 3000],
  [{ 'Retry-After': '4' }, 4000],
  [{ retry_after_ms: 1500 }, 1500],
  [{ retryAfterSeconds: 5 }, 5000],
  [{ retryAfterInMinutes: 2 }, 120_000],
  [{ details: [{ retryDelay: '7s' }] }, 7000],
  [{ retry_in: '2 minutes' }, 120_000],
  [{ waitFor: 30, message: 'Try again in 40 seconds' }, 30_000],
  [{ statusCode: 429, message: 'Rate limit is exceeded. Try again in 4 seconds.' }, 4000],
])('a body states how long to wait: %j', (body, ms) => {
  expect(statedWait(JSON.stringify(body))).toStrictEqual({ afterMs: ms });
});

test.each<[body: object]>([
  [{ retry_after: '2026-11-29T10:00:00Z' }],
  [{ retryAfter: 'Sun, 29 Nov 2026 10:00:00 GMT' }],
  [{ retryAfter: UNTIL / 1000 }],
  [{ fault: { code: 900_803, nextAccessTime: '2026-Nov-29 10:00:00+0000 UTC' } }],
  [{ rate: { limit: 10, reset: UNTIL / 1000 } }],
  [{ blockedUntil: '2026-11-29 10:00:00Z' }],
  [{ resetAt: UNTIL }],
  [{ message: 'The quota resets at 2026-11-29T11:00:00+01:00.' }],
])('a body states until when to wait: %j', (body) => {
  expect(statedWait(JSON.stringify(body))).toStrictEqual({ untilMs: UNTIL });
});

test.each<[text: string, ms: number]>([
  ['Try again in 3 seconds.', 3000],
  ['Please wait 30 seconds before the next request', 30_000],
  ['Retry after 2 minutes', 120_000],
  ['Please try again in 6m0s.', 360_000],
  ['Available again in 1 minute and 30 seconds', 90_000],
  ['Try again in an hour', 3_600_000],
  ['Blocked for 1.5 s', 1500],
  ['Out of call volume quota. Quota will be replenished in 5.00:00:30.', 432_030_000],
  ['retry in 250ms', 250],
])('a sentence states how long to wait: %s', (text, ms) => {
  expect(statedWait(text)).toStrictEqual({ afterMs: ms });
});

test.each([
  '',
  'null',
  '{"retry_after":null,"retryable":true}',
  '{"retry_after":-1}',
  '{"timestamp":"2026-11-29T10:00:00Z","expires":1796000000,"code":5}',
  '{"next":"https://api.example/v1?retry=3"}',
  'You have exceeded 10 requests in 60 seconds. Try again later.',
  'Throttled to 10 requests per 60 seconds',
  'Try again in a few minutes',
  'Try again at 10:00:00',
  'Too many requests: 5 s',
])('no wait is stated: %s', (text) => {
  expect(statedWait(text)).toBe(null);
});

test('a long text takes no time', () => {
  const startedMs = performance.now();
  statedWait('try again '.repeat(6000));
  statedWait(`try 1 s${' 1 s'.repeat(16_000)}x`);
  statedWait('next '.repeat(13_000));
  expect(performance.now() - startedMs).toBeLessThan(500);
});
