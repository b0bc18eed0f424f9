import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startLoopback } from '../http/loopback.test-support.ts';
import { clientAt, createRetry } from './client.test-support.ts';
import { LateRequestError, type ListPage } from './client.ts';
import { createPatience } from '../http/patience.ts';
import { READ_BUDGET, INTERACTIVE_BUDGET, type RetryBudget } from '../limits.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from './request-limits.ts';

const PAGE = '{"items":[],"metadata":{"pagination":{}}}';

/** Requests a page, with waits that take no time. */
function get(address: string, budget: RetryBudget, limitConcurrency: ConcurrencyLimit): Promise<ListPage> {
  const client = clientAt(address, {
    retry: { ...createRetry(0), patience: createPatience(budget) },
    limitConcurrency,
  });
  return client.get(new URLSearchParams(), () => undefined, {
    signal: new AbortController().signal,
    onWait: async () => undefined,
  });
}

test('a 429 halves the number of requests in flight in the whole process', async () => {
  const held: ServerResponse[] = [];
  let wave = 0;
  const widths: number[] = [];
  const { address } = await startLoopback(async (_, response) => {
    held.push(response);
    const whole = wave === 0 ? 8 : 4;
    if (held.length < whole) return;
    // by then every request that was sent has arrived
    for (let turn = 0; turn < 20; turn++)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    if (wave < 2) widths.push(held.length);
    wave++;
    for (const one of held.splice(0)) {
      if (wave === 1) one.writeHead(429, { 'retry-after': '0' }).end();
      else one.end(PAGE);
    }
  });
  const limit = createConcurrencyLimit();
  // each with its own client, as streams have
  const answers = await Promise.all(Array.from({ length: 8 }, () => get(address, READ_BUDGET, limit)));
  expect(answers).toHaveLength(8);
  expect(widths).toStrictEqual([8, 4]);
});

test('a stalled attempt ends at the deadline of the budget', async () => {
  const { address } = await startLoopback(() => undefined);
  const budget = { ...INTERACTIVE_BUDGET, deadlineMs: 500, firstFailureMs: 250 };
  await expect(get(address, budget, createConcurrencyLimit())).rejects.toThrow(
    /^assets: no usable response after 2 attempts in \S+ s\. Last error: no complete response within 0\.5 s\. Try again later\.$/,
  );
});

test('a bound that the server cannot process is named, unless the list has returned pages', async () => {
  let isBroken = true;
  const { address } = await startLoopback((_, response) =>
    isBroken ? response.writeHead(500).end() : response.end(PAGE),
  );
  const client = clientAt(address, {});
  const ask = () =>
    client.get(new URLSearchParams({ createdSince: 'x' }), () => undefined, {
      signal: new AbortController().signal,
      onWait: async () => undefined,
      boundAdvice: 'Move it.',
    });
  await expect(ask()).rejects.toThrow(/Try again later\. If it fails each time: Move it\.$/);
  isBroken = false;
  await ask();
  isBroken = true;
  await expect(ask()).rejects.toThrow(/Try again later\.$/);
});

test('after two time-outs fewer rows are requested, although no time is left for a third', async () => {
  const urls: string[] = [];
  const { address } = await startLoopback(({ url = '' }, response) => {
    urls.push(url);
    if (urls.length > 2) response.end(PAGE);
  });
  let nowMs = 0;
  const client = clientAt(address, {
    retry: {
      ...createRetry(0),
      patience: createPatience({ ...READ_BUDGET, deadlineMs: 200 }),
      // each attempt takes as long as an ordinary deadline
      now: () => {
        nowMs += READ_BUDGET.deadlineMs;
        return nowMs;
      },
    },
  });
  const page = await client.get(new URLSearchParams({ limit: '500' }), () => undefined, {
    signal: new AbortController().signal,
    onWait: async () => undefined,
    limitAfter: (failures) => (failures < 2 ? 500 : 250),
  });
  expect(urls.map((url) => new URL(url, address).search)).toStrictEqual([
    '?limit=500',
    '?limit=500',
    '?limit=250',
  ]);
  expect(page.failures).toBe(2);
});

test.each([
  ['an hour after its time', -3_600_000, 0],
  ['once its time has passed while it waits to be retried', 1000, 1],
])('a request is not sent %s', async (_, leftMs, sent) => {
  let requests = 0;
  const { address } = await startLoopback((_request, response) => {
    requests++;
    response.writeHead(503, { 'retry-after': '2' }).end();
  });
  let nowMs = 1_700_000_000_000;
  const sendByMs = nowMs + leftMs;
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  const client = clientAt(address, { retry: { ...createRetry(0), now: () => nowMs, sleep } });
  const context = { signal: new AbortController().signal, onWait: async () => undefined, sendByMs };
  await expect(client.get(new URLSearchParams(), () => undefined, context)).rejects.toThrow(LateRequestError);
  expect(requests).toBe(sent);
});
