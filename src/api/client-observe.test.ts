import { expect, test } from 'vitest';
import { startLoopback } from '../http/loopback.test-support.ts';
import { clientAt, createRetry } from './client.test-support.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{"totalCount":7}}}';

test('each attempt is logged with its request, time and outcome', async () => {
  let turn = 0;
  const { address } = await startLoopback((_, response) => {
    turn += 1;
    if (turn === 1) response.writeHead(503).end('busy');
    else if (turn === 2) response.destroy();
    else if (turn === 3) response.end('no page');
    else response.end(turn === 4 ? PAGE : PAGE.replace('"totalCount":7', ''));
  });
  const lines: string[] = [];
  let nowMs = 0;
  // advances by a second on each call
  const now = (): number => {
    nowMs += 1000;
    return nowMs;
  };
  const client = clientAt(address, {
    retry: { ...createRetry(0), now },
    log: (line) => lines.push(line),
  });
  const { signal } = new AbortController();
  const query = new URLSearchParams({ limit: '1' });
  for (const _ of ['with a total', 'without'])
    await client.get(query, () => undefined, { signal, onWait: async () => undefined });
  const get = `GET ${address}/v1/assets?limit=1: `;
  expect(lines).toStrictEqual([
    `${get}status 503: busy (1,000 ms)`,
    expect.stringMatching(/^GET \S+\/v1\/assets\?limit=1: .+ \(1,000 ms\)$/),
    expect.stringMatching(/^GET \S+\/v1\/assets\?limit=1: the body is not v.+ \(1,000 ms\)$/),
    `${get}1 row of 7 (1,000 ms)`,
    `${get}1 row (1,000 ms)`,
  ]);
});
