import type { ServerResponse } from 'node:http';

import { expect, test } from 'vitest';

import { startLoopback } from '../http/loopback.test-support.ts';
import { clientAt, retryParts } from './client.test-support.ts';
import type { ListAnswer } from './client.ts';
import { PATIENT, PROMPT } from '../limits.ts';
import type { Patience } from '../limits.ts';
import { createConcurrencyLimit } from './request-limits.ts';
import type { ConcurrencyLimit } from './request-limits.ts';

const PAGE = '{"items":[],"metadata":{"pagination":{}}}';

/** Asks for a page, with waits that take no time. */
function get(address: string, budget: Patience, concurrency: ConcurrencyLimit): Promise<ListAnswer> {
  const client = clientAt(address, {
    retry: { ...retryParts, budget },
    concurrency,
  });
  return client.get(new URLSearchParams(), () => undefined, {
    signal: new AbortController().signal,
    onWait: async () => undefined,
  });
}

test('a 429 halves what the whole process has in flight', async () => {
  const held: ServerResponse[] = [];
  let wave = 0;
  const widths: number[] = [];
  const { address } = await startLoopback(async (_, response) => {
    held.push(response);
    const whole = wave === 0 ? 8 : 4;
    if (held.length < whole) return;
    // whoever else has sent something has arrived by then
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
  const concurrency = createConcurrencyLimit();
  // eight clients, as those of several streams are
  const answers = await Promise.all(Array.from({ length: 8 }, () => get(address, PATIENT, concurrency)));
  expect(answers).toHaveLength(8);
  expect(widths).toStrictEqual([8, 4]);
});

test('an attempt that stalls lasts as long as the budget allows', async () => {
  const { address } = await startLoopback(() => undefined);
  const budget = { ...PROMPT, deadlineMs: 50, lastStartMs: 40 };
  await expect(get(address, budget, createConcurrencyLimit())).rejects.toThrow(
    'assets: the API gave no usable answer in 1 attempt and 0 s of waiting. Last answer: no whole answer within ' +
      '0.05 s. It may pass; try again later.',
  );
});
