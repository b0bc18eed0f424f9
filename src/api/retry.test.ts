import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { configError, isConnectorError } from '../errors.ts';
import type { NextStep, Waiting } from '../http/request.ts';
import { HttpExchangeError } from '../http/exchange-error.ts';
import { createPatience } from '../http/patience.ts';
import { READ_BUDGET, INTERACTIVE_BUDGET, type RetryBudget } from '../limits.ts';
import { BadPageError } from '../rows/page.ts';
import { newOutage } from './outage.ts';
import { withRetry } from './retry.ts';
import { statusError } from './status-error.test-support.ts';
import { isRetryable } from './status-error.ts';

const ASSETS = { stream: 'assets', place: 'assets' };

interface Run {
  readonly result: unknown;
  readonly attempts: readonly number[]; // virtual ms at which each attempt was made
  readonly waits: readonly Waiting[];
}

const START = 1_700_000_040_000;
const DEPS = {
  patience: createPatience(READ_BUDGET),
  outage: newOutage(),
  now: () => START,
  random: () => 0.5,
  count: () => undefined,
};

async function judge(error: unknown): Promise<NextStep> {
  return isRetryable(error) ? 'retry' : 'fail';
}

/** Runs attempts that fail with these errors in turn, then succeed. Time passes only during waits. */
async function run(failures: readonly unknown[], budget: RetryBudget): Promise<Run> {
  let now = START;
  const attempts: number[] = [];
  const waits: Waiting[] = [];
  const attempt = async (): Promise<string> => {
    const turn = attempts.push(now) - 1;
    if (turn < failures.length) throw failures[turn];
    return 'page';
  };
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  const deps = {
    ...DEPS,
    patience: createPatience(budget),
    outage: newOutage(),
    now: () => now,
    sleep,
  };
  const onWait = async (waiting: Waiting): Promise<void> => {
    waits.push(waiting);
  };
  const { signal } = new AbortController();
  const result: unknown = await withRetry(attempt, judge, ASSETS, deps, { signal, onWait }).catch(
    (error: unknown) => error,
  );
  return { result, attempts: attempts.map((at) => at - START), waits };
}

function times<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

test('a successful first attempt is the only one', async () => {
  expect(await run([], READ_BUDGET)).toStrictEqual({ result: 'page', attempts: [0], waits: [] });
});

test.each<[what: string, error: Error]>([
  ['500', statusError(500, {})],
  ['503', statusError(503, {})],
  ['408', statusError(408, {})],
  ['425', statusError(425, {})],
  ['204', statusError(204, {})],
  ['304', statusError(304, {})],
  ['network', new HttpExchangeError('ECONNRESET: aborted', 'broken', '')],
  ['broken body', new BadPageError('the body is not valid JSON')],
])('%s is retried for a minute before the first success', async (what, error) => {
  const five = await run(times(5, error), READ_BUDGET);
  expect([five.result, five.attempts]).toStrictEqual(['page', [0, 250, 750, 1750, 3750, 7750]]);
  expect(five.waits[1]).toStrictEqual({ reason: error.message, isRateLimited: false, waitMs: 500 });
  const all = await run(times(99, error), READ_BUDGET);
  expect(all.attempts.slice(6)).toStrictEqual([15_750, 30_750, 45_750, 60_000]);
  expect(all.result).toStrictEqual(
    expect.objectContaining({ code: 'API_UNAVAILABLE', failureType: 'transient_error' }),
  );
  expect((all.result as Error).message).toBe(
    `assets: no usable response after 10 attempts in 60 s. Last error: ${error.message}. ` +
      (error instanceof BadPageError
        ? 'Check assets.base_url; if it is right, try again later.'
        : 'Try again later.') +
      (what === '204'
        ? ' If it lasts, ask the API\'s provider to answer with a page, without rows if there are none ("items": []): an answer without ' +
          'content does not show whether a list has ended.'
        : ''),
  );
  expect((all.result as Error).cause).toBe(error);
});

test('a 429 without Retry-After is retried every minute for 15 minutes', async () => {
  const { result, attempts, waits } = await run(times(99, statusError(429, {})), READ_BUDGET);
  expect(isConnectorError(result, 'API_UNAVAILABLE')).toBe(true);
  const toMinute = (60_000 - (START % 60_000)) % 60_000;
  expect(attempts.slice(1).every((at) => (at - toMinute + 60_000) % 60_000 === 500)).toBe(true);
  expect(attempts.at(-1)).toBeLessThanOrEqual(15 * 60_000);
  expect(attempts.length).toBeGreaterThan(14);
  expect(waits.every(({ isRateLimited }) => isRateLimited)).toBe(true);
});

test('both forms of Retry-After are obeyed, even on a 503', async () => {
  const failures = [
    statusError(429, { 'retry-after': '7' }),
    statusError(503, { 'retry-after': '11' }),
    statusError(429, {
      'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT',
      date: 'Wed, 21 Oct 2026 07:28:10 GMT',
    }),
  ];
  expect((await run(failures, READ_BUDGET)).attempts).toStrictEqual([0, 7000, 18_000, 38_000]);
});

test('rate limits do not use up the time for other failures', async () => {
  const limited = statusError(429, { 'retry-after': '1' });
  const broken = statusError(500, {});
  const failures = [...times(6, limited), ...times(9, broken)];
  expect((await run(failures, READ_BUDGET)).result).toBe('page');
  const { result } = await run([...failures, broken], READ_BUDGET);
  expect((result as Error).message).toMatch(/ after 16 attempts in 3 min\./);
});

test('any mix of failures ends within the budgets', async () => {
  const failure = fc.oneof(
    fc
      .constantFrom(500, 503, 429)
      .chain((code) =>
        fc
          .option(fc.oneof(fc.nat(3), fc.nat(1000)), { nil: null })
          .map((seconds) => statusError(code, seconds === null ? {} : { 'retry-after': String(seconds) })),
      ),
    fc.constant(new HttpExchangeError('ECONNRESET', 'broken', '')),
  );
  const budgets = fc.constantFrom(READ_BUDGET, INTERACTIVE_BUDGET);
  await fc.assert(
    fc.asyncProperty(
      fc.array(failure, { minLength: 200, maxLength: 220 }),
      budgets,
      async (failures, budget) => {
        const { result, waits, attempts } = await run(failures, budget);
        expect(isConnectorError(result, 'API_UNAVAILABLE')).toBe(true);
        const limited = waits.filter(({ isRateLimited }) => isRateLimited);
        expect(limited.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeLessThanOrEqual(budget.rateLimitMs);
        const lastMs = (attempts.at(-1) ?? 0) - limited.reduce((sum, { waitMs }) => sum + waitMs, 0);
        expect(lastMs).toBeLessThanOrEqual(budget.firstFailureMs + budget.rateLimitMs);
        expect(attempts).toHaveLength(waits.length + 1);
      },
    ),
    { numRuns: 200 },
  );
});

test.each<[what: string, error: unknown]>([
  ['config_error', configError('TOKEN_REFUSED', 'no')],
  ['400', statusError(400, {})],
  ['401', statusError(401, {})],
  ['403', statusError(403, {})],
  ['404', statusError(404, {})],
  ['302', statusError(302, {})],
  ['a bug', new TypeError('x')],
])('%s is thrown unchanged and at once', async (_, error) => {
  expect(await run([error], READ_BUDGET)).toStrictEqual({ result: error, attempts: [0], waits: [] });
});

test('a resent attempt costs neither a wait nor an attempt of the budget', async () => {
  let attempts = 0;
  const attempt = async (): Promise<number> => {
    if (++attempts < 20) throw statusError(401, {});
    return attempts;
  };
  const deps = { ...DEPS, sleep: () => Promise.reject(new Error('slept')) };
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  expect(await withRetry(attempt, async () => 'resend', ASSETS, deps, context)).toBe(20);
});

test('an abort ends a wait', async () => {
  const reason = new Error('stopped');
  const deps = { ...DEPS, sleep: () => Promise.reject(reason) };
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  await expect(
    withRetry(() => Promise.reject(statusError(500, {})), judge, ASSETS, deps, context),
  ).rejects.toBe(reason);
});
