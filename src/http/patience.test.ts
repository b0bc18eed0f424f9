import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { READ_BUDGET, INTERACTIVE_BUDGET } from '../limits.ts';
import { createPatience, retryDelay, type FailedAttempts } from './patience.ts';

type Attempt = Pick<FailedAttempts, 'isRateLimited' | 'retryAfterMs'>;
type Spent = Omit<FailedAttempts, keyof Attempt>;

const NONE: Spent = { limits: 0, failures: 0, askedMs: 0, failingMs: 0 };
const LIMITS = { failureMs: READ_BUDGET.failureMs, maxAskedMs: READ_BUDGET.rateLimitMs, leastMs: 0 };
/** Half past a minute, so that the next full one is 30 s away. */
const NOW = 1_700_000_010_000 - (1_700_000_010_000 % 60_000) + 30_000;

const limits = fc.constantFrom(
  LIMITS,
  { failureMs: READ_BUDGET.firstFailureMs, maxAskedMs: READ_BUDGET.rateLimitMs, leastMs: 60_000 },
  { failureMs: INTERACTIVE_BUDGET.failureMs, maxAskedMs: INTERACTIVE_BUDGET.rateLimitMs, leastMs: 1000 },
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retryAfterMs = fc.option(fc.oneof(fc.nat(20_000), fc.nat(2_000_000)), { nil: undefined });
const failed: fc.Arbitrary<Attempt> = fc.record({ isRateLimited: fc.boolean(), retryAfterMs });
const spent: fc.Arbitrary<Spent> = fc.record({
  limits: fc.integer({ min: 1, max: 1000 }),
  failures: fc.integer({ min: 1, max: 2000 }),
  askedMs: fc.nat(1_000_000),
  failingMs: fc.nat(400_000),
});
const nowMs = fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 });

test('a wait is a whole number of ms, and never shorter than Retry-After', () => {
  fc.assert(
    fc.property(failed, spent, limits, nowMs, random, (attempt, before, allowed, now, chance) => {
      const delay = retryDelay({ ...attempt, ...before }, allowed, now, chance);
      if (delay === null) return;
      expect(Number.isSafeInteger(delay.waitMs)).toBe(true);
      expect(delay.waitMs).toBeGreaterThanOrEqual(attempt.retryAfterMs ?? 0);
      expect(delay.waitMs).toBeGreaterThanOrEqual(delay.askedMs);
    }),
  );
});

test('failures are waited out exactly as long as is allowed, and so is what the service asks for', () => {
  fc.assert(
    fc.property(failed, spent, limits, nowMs, random, (attempt, before, allowed, now, chance) => {
      const delay = retryDelay({ ...attempt, ...before }, allowed, now, chance);
      const asked = before.askedMs + (delay?.askedMs ?? 0);
      expect(asked <= allowed.maxAskedMs || delay === null).toBe(true);
      if (attempt.isRateLimited) return;
      const unasked = (delay?.waitMs ?? 0) - (delay?.askedMs ?? 0);
      expect(before.failingMs + unasked).toBeLessThanOrEqual(Math.max(allowed.failureMs, before.failingMs));
      const mayAsk = before.askedMs + (attempt.retryAfterMs ?? 0) <= allowed.maxAskedMs;
      expect(delay !== null).toBe(before.failingMs < allowed.failureMs && mayAsk);
    }),
  );
});

test('a 429 without Retry-After waits for the next minute, and up to a second more', () => {
  fc.assert(
    fc.property(nowMs, random, fc.integer({ min: 1, max: 10 }), (now, chance, count) => {
      const attempt = { isRateLimited: true, retryAfterMs: undefined } as const;
      const until =
        now + Number(retryDelay({ ...attempt, ...NONE, limits: count }, LIMITS, now, chance)?.waitMs);
      expect(Math.floor(until / 60_000)).toBe(Math.floor(now / 60_000) + 1);
      expect(until % 60_000).toBeLessThan(1000);
    }),
  );
});

test('all other failures back off with full jitter, exponentially up to 30 s', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), random, (failures, chance) => {
      const attempt = { isRateLimited: false, retryAfterMs: undefined } as const;
      const waitMs = Math.floor(chance * Math.min(30_000, 500 * 2 ** (failures - 1)));
      expect(retryDelay({ ...NONE, ...attempt, failures }, LIMITS, NOW, chance)).toStrictEqual({
        waitMs,
        askedMs: 0,
      });
    }),
  );
});

test('a failure is followed by an attempt after the least wait, or when the time is over', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), random, fc.nat(400_000), (failures, chance, failingMs) => {
      const attempt = { isRateLimited: false, retryAfterMs: undefined } as const;
      const allowed = { ...LIMITS, leastMs: 60_000 };
      const delay = retryDelay({ ...NONE, ...attempt, failures, failingMs }, allowed, NOW, chance);
      const leftMs = LIMITS.failureMs - failingMs;
      expect(delay?.waitMs ?? 0).toBe(Math.max(0, Math.min(60_000, leftMs)));
    }),
  );
});

test('waits grow if Retry-After is always 0', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map(
    (count) =>
      retryDelay({ ...NONE, isRateLimited: true, retryAfterMs: 0, limits: count }, LIMITS, NOW, 0.5)?.waitMs,
  );
  expect(waits).toStrictEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

const failure = { isRateLimited: false, retryAfterMs: undefined } as const;
const limited = { isRateLimited: true, retryAfterMs: undefined } as const;
test.each<[what: string, failed: Attempt, spent: Partial<Spent>, waitMs: number | null]>([
  ['the first failure', failure, { failures: 1 }, 250],
  ['the fifth failure', failure, { failures: 5 }, 4000],
  ['the hundredth failure', failure, { failures: 100 }, 15_000],
  ['the last attempt, when the time is over', failure, { failures: 9, failingMs: 299_000 }, 1000],
  ['a failure after the last attempt', failure, { failures: 9, failingMs: 300_000 }, null],
  ['rate limits do not count', failure, { limits: 9, failures: 1, askedMs: 900_000 }, 250],
  ['a 503 with Retry-After', { ...failure, retryAfterMs: 5000 }, { failures: 1 }, 5000],
  [
    'one that asks for more than failures are waited out',
    { ...failure, retryAfterMs: 600_000 },
    { failures: 1 },
    600_000,
  ],
  ['one beyond the budget', { ...failure, retryAfterMs: 900_001 }, { failures: 1 }, null],
  ['a 429', limited, { limits: 1 }, 30_500],
  ['a 429 with Retry-After', { ...limited, retryAfterMs: 5000 }, { limits: 1 }, 5000],
  ['a 429 after a long outage', limited, { limits: 1, failingMs: 300_000 }, 30_500],
  ['the last ms of the budget', { ...limited, retryAfterMs: 900_000 }, { limits: 1 }, 900_000],
  ['beyond the budget', { ...limited, retryAfterMs: 900_000 }, { limits: 1, askedMs: 1 }, null],
])('%s', (_, attempt, before, waitMs) => {
  const delay = retryDelay({ ...attempt, ...NONE, ...before }, LIMITS, NOW, 0.5);
  expect(delay?.waitMs ?? null).toBe(waitMs);
});

test('failures are waited out for longer once a page has arrived', () => {
  const patience = createPatience(READ_BUDGET);
  expect(patience.failureMs()).toBe(READ_BUDGET.firstFailureMs);
  patience.succeeded();
  expect(patience.failureMs()).toBe(READ_BUDGET.failureMs);
});
