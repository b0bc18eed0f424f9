import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { configError, isConnectorError } from '../errors.ts';
import { HttpExchangeError } from '../http/answer.ts';
import type { Waiting } from '../http/request.ts';
import { PATIENT, PROMPT } from '../limits.ts';
import type { Patience } from '../limits.ts';
import { BadPageError } from '../rows/page.ts';
import { withRetry } from './retry.ts';
import { refusedWith } from './status-error.test-support.ts';

const ASSETS = { stream: 'assets', place: 'assets' };

interface Run {
  readonly result: unknown;
  /** Virtual ms at which each attempt was made. */
  readonly attempts: readonly number[];
  readonly waits: readonly Waiting[];
}

const START = 1_700_000_040_000;

/** Runs attempts that fail with these errors in turn, then succeed; time passes only while it is slept. */
async function run(failures: readonly unknown[], budget: Patience): Promise<Run> {
  let now = START;
  const attempts: number[] = [];
  const waits: Waiting[] = [];
  const attempt = async (): Promise<string> => {
    const turn = attempts.push(now) - 1;
    if (turn < failures.length) throw failures[turn];
    return 'page';
  };
  const environment = {
    budget,
    now: () => now,
    random: () => 0.5,
    sleep: async (ms: number) => {
      now += ms;
    },
    count: () => undefined,
  };
  const onWait = async (waiting: Waiting): Promise<void> => {
    waits.push(waiting);
  };
  const { signal } = new AbortController();
  const result: unknown = await withRetry(attempt, ASSETS, environment, { signal, onWait }).catch(
    (error: unknown) => error,
  );
  return { result, attempts: attempts.map((at) => at - START), waits };
}

function times<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

test('a first attempt that succeeds is the only one', async () => {
  expect(await run([], PATIENT)).toStrictEqual({ result: 'page', attempts: [0], waits: [] });
});

test.each<[what: string, error: Error]>([
  ['500', refusedWith(500, {})],
  ['503', refusedWith(503, {})],
  ['408', refusedWith(408, {})],
  ['425', refusedWith(425, {})],
  ['204, which is no page', refusedWith(204, {})],
  ['304, which nobody asked for', refusedWith(304, {})],
  ['network', new HttpExchangeError('ECONNRESET: aborted')],
  ['broken body', new BadPageError('the body is not valid JSON')],
])('%s is tried 6 times and no more', async (_, error) => {
  const five = await run(times(5, error), PATIENT);
  expect([five.result, five.attempts]).toStrictEqual(['page', [0, 250, 750, 1750, 3750, 7750]]);
  expect(five.waits[1]).toStrictEqual({
    reason: error.message,
    rateLimited: false,
    waitMs: 500,
  });
  const all = await run(times(9, error), PATIENT);
  expect(all.attempts).toHaveLength(6);
  expect(all.result).toStrictEqual(
    expect.objectContaining({ code: 'API_UNAVAILABLE', failureType: 'transient_error' }),
  );
  expect((all.result as Error).message).toBe(
    `assets: the API gave no usable answer in 6 attempts and 8 s of waiting. Last answer: ${error.message}. ` +
      'It may pass; try again later.' +
      (error instanceof BadPageError ? ' If it does not, check assets.base_url.' : ''),
  );
  expect((all.result as Error).cause).toBe(error);
});

test('a bare 429 is tried again at each full minute, until 15 minutes are spent', async () => {
  const { result, attempts, waits } = await run(times(99, refusedWith(429, {})), PATIENT);
  expect(isConnectorError(result, 'API_UNAVAILABLE')).toBe(true);
  const toMinute = (60_000 - (START % 60_000)) % 60_000;
  expect(attempts.slice(1).every((at) => (at - toMinute + 60_000) % 60_000 === 500)).toBe(true);
  expect(attempts.at(-1)).toBeLessThanOrEqual(15 * 60_000);
  expect(attempts.length).toBeGreaterThan(14);
  expect(waits.every(({ rateLimited }) => rateLimited)).toBe(true);
});

test('Retry-After is obeyed in both its forms, with a 503 as well', async () => {
  const failures = [
    refusedWith(429, { 'retry-after': '7' }),
    refusedWith(503, { 'retry-after': '11' }),
    refusedWith(429, {
      'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT',
      date: 'Wed, 21 Oct 2026 07:28:10 GMT',
    }),
  ];
  expect((await run(failures, PATIENT)).attempts).toStrictEqual([0, 7000, 18_000, 38_000]);
});

test('rate limits do not use up the attempts for other failures', async () => {
  const limited = refusedWith(429, { 'retry-after': '1' });
  const broken = refusedWith(500, {});
  const failures = [...times(6, limited), ...times(5, broken)];
  expect((await run(failures, PATIENT)).result).toBe('page');
  const { result } = await run([...failures, broken], PATIENT);
  expect((result as Error).message).toMatch(/in 12 attempts and /);
});

test('any mix of failures ends within the budgets', async () => {
  const failure = fc.oneof(
    fc
      .constantFrom(500, 503, 429)
      .chain((code) =>
        fc
          .option(fc.oneof(fc.nat(3), fc.nat(1000)), { nil: null })
          .map((seconds) => refusedWith(code, seconds === null ? {} : { 'retry-after': String(seconds) })),
      ),
    fc.constant(new HttpExchangeError('ECONNRESET')),
  );
  const budgets = fc.constantFrom(PATIENT, PROMPT);
  await fc.assert(
    fc.asyncProperty(
      fc.array(failure, { minLength: 100, maxLength: 120 }),
      budgets,
      async (failures, budget) => {
        const { result, waits, attempts } = await run(failures, budget);
        expect(isConnectorError(result, 'API_UNAVAILABLE')).toBe(true);
        const limited = waits.filter(({ rateLimited }) => rateLimited);
        expect(limited.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeLessThanOrEqual(budget.rateLimitMs);
        expect(waits.length - limited.length).toBeLessThan(budget.attempts);
        expect(attempts).toHaveLength(waits.length + 1);
      },
    ),
    { numRuns: 200 },
  );
});

test.each<[what: string, error: unknown]>([
  ['config_error', configError('TOKEN_REFUSED', 'no')],
  ['400', refusedWith(400, {})],
  ['401', refusedWith(401, {})],
  ['403', refusedWith(403, { 'retry-after': '1' })],
  ['404', refusedWith(404, {})],
  ['302', refusedWith(302, {})],
  ['a fault of ours', new TypeError('x')],
])('%s is thrown unchanged and at once', async (_, error) => {
  expect(await run([error], PATIENT)).toStrictEqual({ result: error, attempts: [0], waits: [] });
});

test('an abort while waiting ends the waiting', async () => {
  const reason = new Error('stopped');
  const environment = {
    budget: PATIENT,
    now: () => START,
    random: () => 0.5,
    sleep: () => Promise.reject(reason),
    count: () => undefined,
  };
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  await expect(
    withRetry(() => Promise.reject(refusedWith(500, {})), ASSETS, environment, context),
  ).rejects.toBe(reason);
});
