import { expect, test } from 'vitest';
import { startLoopback } from '../http/loopback.test-support.ts';
import { clientAt, retryDeps } from './client.test-support.ts';
import type { ListExchange } from './client.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{"totalCount":7}}}';

test('the observer sees each attempt: its request, time and outcome', async () => {
  let turn = 0;
  const { address } = await startLoopback((_, response) => {
    turn += 1;
    if (turn === 1) response.writeHead(503).end('busy');
    else if (turn === 2) response.destroy();
    else response.end(turn === 3 ? 'no page' : PAGE);
  });
  const exchanges: ListExchange[] = [];
  let nowMs = 0;
  // advances by a second on each call
  const now = (): number => {
    nowMs += 1000;
    return nowMs;
  };
  const client = clientAt(address, {
    retry: { ...retryDeps, now },
    observe: (one) => exchanges.push(one),
  });
  const { signal } = new AbortController();
  const query = new URLSearchParams({ limit: '1' });
  await client.get(query, () => undefined, { signal, onWait: async () => undefined });
  expect(exchanges.map(({ url }) => url.search)).toStrictEqual([
    '?limit=1',
    '?limit=1',
    '?limit=1',
    '?limit=1',
  ]);
  expect(exchanges.map(({ ms }) => ms)).toStrictEqual([1000, 1000, 1000, 1000]);
  expect(exchanges.map(({ problem, page }) => [problem?.slice(0, 17), page?.pagination])).toStrictEqual([
    ['status 503: busy', undefined],
    [expect.any(String), undefined],
    ['the body is not v', undefined],
    [undefined, { totalCount: 7 }],
  ]);
});
