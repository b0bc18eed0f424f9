import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { READ_BUDGET, INTERACTIVE_BUDGET } from '../limits.ts';
import { retryDelay, type FailedRequest } from './retry.ts';

type Attempt = Pick<FailedRequest, 'isRateLimited' | 'retryAfterMs'>;
type Spent = Omit<FailedRequest, keyof Attempt>;

const NONE: Spent = { limits: 0, failures: 0, rateLimitMs: 0, elapsedMs: 0 };
/** Half past a minute, so that the next full one is 30 s away. */
const NOW = 1_700_000_010_000 - (1_700_000_010_000 % 60_000) + 30_000;

const budget = fc.constantFrom(READ_BUDGET, INTERACTIVE_BUDGET);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retryAfterMs = fc.option(fc.oneof(fc.nat(20_000), fc.nat(2_000_000)), { nil: undefined });
const failed: fc.Arbitrary<Attempt> = fc.record({ isRateLimited: fc.boolean(), retryAfterMs });
const spent: fc.Arbitrary<Spent> = fc.record({
  limits: fc.integer({ min: 1, max: 1000 }),
  failures: fc.integer({ min: 1, max: 10 }),
  rateLimitMs: fc.nat(1_000_000),
  elapsedMs: fc.nat(100_000),
});
const nowMs = fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 });

test('a wait is a whole number of ms and never earlier than Retry-After', () => {
  fc.assert(
    fc.property(failed, spent, budget, nowMs, random, (attempt, before, patience, now, chance) => {
      const wait = retryDelay({ ...attempt, ...before }, patience, now, chance);
      if (wait === null) return;
      expect(Number.isSafeInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(attempt.retryAfterMs ?? 0);
    }),
  );
});

test('the budgets are never exceeded', () => {
  fc.assert(
    fc.property(failed, spent, budget, nowMs, random, (attempt, before, patience, now, chance) => {
      const wait = retryDelay({ ...attempt, ...before }, patience, now, chance);
      if (!attempt.isRateLimited && before.failures >= patience.attempts) expect(wait).toBeNull();
      const waited = !attempt.isRateLimited ? 0 : before.rateLimitMs;
      if (wait !== null) expect(before.elapsedMs + wait).toBeLessThanOrEqual(patience.lastStartMs);
      if (wait !== null) expect(waited + wait).toBeLessThanOrEqual(patience.rateLimitMs);
    }),
  );
});

test('a 429 without Retry-After waits for the next minute, and up to a second more', () => {
  fc.assert(
    fc.property(nowMs, random, fc.integer({ min: 1, max: 10 }), (now, chance, limits) => {
      const attempt = { isRateLimited: true, retryAfterMs: undefined } as const;
      const wait = retryDelay({ ...attempt, ...NONE, limits }, READ_BUDGET, now, chance);
      const until = now + Number(wait);
      expect(Math.floor(until / 60_000)).toBe(Math.floor(now / 60_000) + 1);
      expect(until % 60_000).toBeLessThan(1000);
    }),
  );
});

test('all other failures back off with full jitter, exponentially up to 30 s', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), random, (failures, chance) => {
      const wait = retryDelay(
        { ...NONE, isRateLimited: false, retryAfterMs: undefined, failures },
        { ...READ_BUDGET, attempts: 100 },
        NOW,
        chance,
      );
      expect(wait).toBe(Math.floor(chance * Math.min(30_000, 500 * 2 ** (failures - 1))));
    }),
  );
});

test('waits grow if Retry-After is always 0', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((limits) =>
    retryDelay({ ...NONE, isRateLimited: true, retryAfterMs: 0, limits }, READ_BUDGET, NOW, 0.5),
  );
  expect(waits).toStrictEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('interactive commands do not retry for long if the server stalls', () => {
  const stalled = { isRateLimited: false, retryAfterMs: undefined } as const;
  const waits = [0, 29_750, 29_751, INTERACTIVE_BUDGET.deadlineMs].map((elapsedMs) => [
    retryDelay({ ...NONE, ...stalled, failures: 1, elapsedMs }, INTERACTIVE_BUDGET, NOW, 0.5),
    retryDelay({ ...NONE, ...stalled, failures: 1, elapsedMs }, READ_BUDGET, NOW, 0.5),
  ]);
  expect(waits).toStrictEqual([
    [250, 250],
    [250, 250],
    [null, 250],
    [null, 250],
  ]);
  expect(INTERACTIVE_BUDGET.lastStartMs + INTERACTIVE_BUDGET.deadlineMs).toBeLessThanOrEqual(60_000);
});

test.each<[what: string, failed: Attempt, spent: Spent, wait: number | null]>([
  ['first failure', { isRateLimited: false, retryAfterMs: undefined }, { ...NONE, failures: 1 }, 250],
  ['fifth failure', { isRateLimited: false, retryAfterMs: undefined }, { ...NONE, failures: 5 }, 4000],
  ['sixth failure', { isRateLimited: false, retryAfterMs: undefined }, { ...NONE, failures: 6 }, null],
  [
    'rate limits do not count',
    { isRateLimited: false, retryAfterMs: undefined },
    { ...NONE, limits: 9, failures: 1 },
    250,
  ],
  ['503 with Retry-After', { isRateLimited: false, retryAfterMs: 5000 }, { ...NONE, failures: 1 }, 5000],
  [
    '503 with a Retry-After beyond the budget',
    { isRateLimited: false, retryAfterMs: 900_001 },
    { ...NONE, failures: 1 },
    null,
  ],
  ['429', { isRateLimited: true, retryAfterMs: undefined }, { ...NONE, limits: 1 }, 30_500],
  ['429 with Retry-After', { isRateLimited: true, retryAfterMs: 5000 }, { ...NONE, limits: 1 }, 5000],
  [
    'the last ms of the budget',
    { isRateLimited: true, retryAfterMs: 900_000 },
    { ...NONE, limits: 1 },
    900_000,
  ],
  [
    'beyond the budget',
    { isRateLimited: true, retryAfterMs: 900_000 },
    { ...NONE, limits: 1, rateLimitMs: 1 },
    null,
  ],
])('%s', (_, attempt, before, wait) => {
  expect(retryDelay({ ...attempt, ...before }, READ_BUDGET, NOW, 0.5)).toBe(wait);
});
