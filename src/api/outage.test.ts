import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import type { NextStep } from '../http/request.ts';
import { HttpExchangeError } from '../http/exchange-error.ts';
import { createPatience } from '../http/patience.ts';
import { READ_BUDGET, type RetryBudget } from '../limits.ts';
import { newOutage } from './outage.ts';
import { withRetry } from './retry.ts';
import { statusError } from './status-error.test-support.ts';
import { isRetryable } from './status-error.ts';

const ASSETS = { stream: 'assets', place: 'assets' };
const DEPS = { patience: createPatience(READ_BUDGET), random: () => 0.5, count: () => undefined };

async function judge(error: unknown): Promise<NextStep> {
  return isRetryable(error) ? 'retry' : 'fail';
}

/** A list with attempts that fail or succeed by a virtual clock. */
function createList(budget: RetryBudget, answer: (nowMs: number) => unknown) {
  let nowMs = 0;
  const deps = {
    ...DEPS,
    patience: createPatience(budget),
    outage: newOutage(),
    now: () => nowMs,
    sleep: async (ms: number): Promise<void> => {
      nowMs += ms;
    },
  };
  const attempt = async (): Promise<number> => {
    const error = answer(nowMs);
    if (error !== null) throw error;
    return nowMs;
  };
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  return {
    get: (serverErrorMs?: number) =>
      withRetry(attempt, judge, ASSETS, deps, { ...context, serverErrorMs }).catch((error: unknown) => error),
    pass: (ms: number): void => {
      nowMs += ms;
    },
    now: () => nowMs,
  };
}

test('once a page has arrived, an outage of almost five minutes is waited out, and a longer one is not', async () => {
  const down = statusError(503, {});
  const list = createList(READ_BUDGET, (nowMs) => (nowMs > 0 && nowMs < 299_000 ? down : null));
  expect(await list.get()).toBe(0);
  list.pass(1);
  expect(await list.get()).toBeGreaterThanOrEqual(299_000);
  const lasting = createList(READ_BUDGET, (nowMs) => (nowMs > 0 ? down : null));
  await lasting.get();
  lasting.pass(1);
  expect(isConnectorError(await lasting.get(), 'API_UNAVAILABLE')).toBe(true);
  expect(lasting.now()).toBe(READ_BUDGET.failureMs + 1);
});

test('all requests of a list share its patience, which each success renews', async () => {
  const down = statusError(503, {});
  const list = createList(READ_BUDGET, (nowMs) => (nowMs === 0 || nowMs > 320_000 ? null : down));
  await list.get();
  list.pass(1);
  await list.get();
  // a further request, when the list has been down for five minutes, is attempted once
  const before = list.now();
  expect(isConnectorError(await list.get(), 'API_UNAVAILABLE')).toBe(true);
  expect(list.now()).toBe(before);
  list.pass(60_000);
  expect(await list.get()).toBe(list.now());
});

test('what is slow to fail is attempted again all the same', async () => {
  let attempts = 0;
  const list = createList(READ_BUDGET, () => {
    // hangs until its deadline
    list.pass(READ_BUDGET.deadlineMs);
    return ++attempts < 2 ? new HttpExchangeError('no complete response within 60 s', 'broken', '') : null;
  });
  expect(await list.get()).toBe(list.now());
  expect(attempts).toBe(2);
});

test('time in which nothing was sent, such as that of a wait for a token, is no outage', async () => {
  let nowMs = 0;
  const sentAt: number[] = [];
  const deps = {
    ...DEPS,
    outage: newOutage(),
    now: () => nowMs,
    sleep: async (ms: number): Promise<void> => {
      nowMs += ms;
    },
  };
  const attempt = async (onSend: (atMs: number) => void): Promise<string> => {
    nowMs += 400_000;
    onSend(nowMs);
    sentAt.push(nowMs);
    if (sentAt.length < 4) throw statusError(503, {});
    return 'page';
  };
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  expect(await withRetry(attempt, judge, ASSETS, deps, context)).toBe('page');
});

test('a wait for the reader of stdout is no outage for other requests of the list either', async () => {
  let nowMs = 0;
  let sent = 0;
  const others: Promise<string>[] = [];
  const attempt = async (): Promise<string> => {
    sent++;
    if (sent <= 3) throw statusError(503, {});
    return 'page';
  };
  const get = (): Promise<string> => withRetry(attempt, judge, ASSETS, deps, { signal, onWait: stall });
  const deps = {
    ...DEPS,
    outage: newOutage(),
    now: () => nowMs,
    sleep: async (ms: number): Promise<void> => {
      if (others.length === 0) others.push(get());
      nowMs += ms;
    },
  };
  const { signal } = new AbortController();
  const stall = async (): Promise<void> => {
    if (nowMs === 0) nowMs = 5_400_000;
  };
  expect(await get()).toBe('page');
  expect(await Promise.all(others)).toEqual(['page']);
});

test('a refusal is an answer, which ends an outage', async () => {
  const refusals = [statusError(400, {})];
  const list = createList(READ_BUDGET, (nowMs) => {
    if (nowMs === 0 || nowMs > 400_000) return null;
    return nowMs > 200_000 ? (refusals.pop() ?? statusError(503, {})) : statusError(503, {});
  });
  expect(await list.get()).toBe(0);
  list.pass(1);
  expect(await list.get()).toMatchObject({ status: 400 });
  expect(await list.get()).toBeGreaterThan(400_000);
});
