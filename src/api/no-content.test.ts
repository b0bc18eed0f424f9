import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { clientAt, createRetry } from './client.test-support.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{}}}';

/** What each query in turn gets from a list that returns a page, and for others a 204 for so long; the number of requests. */
async function read(queries: readonly string[], seconds: number, headers: Readonly<Record<string, string>>) {
  let requests = 0;
  const retry = createRetry(0);
  const { address } = await startLoopback(({ url }, response) => {
    requests++;
    const isEmpty = url?.includes('empty') === true && retry.now() < seconds * 1000;
    if (isEmpty) response.writeHead(204, headers).end();
    else response.end(PAGE);
  });
  const warnings: string[] = [];
  const client = clientAt(address, { retry, warn: (message) => warnings.push(message) });
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  const found: unknown[] = [];
  for (const query of queries)
    found.push(
      await client
        .get(new URLSearchParams(query), () => undefined, context)
        .then(
          ({ rows }) => rows.length,
          (error: unknown) => (isConnectorError(error, null) ? error.code : String(error)),
        ),
    );
  return { found, requests, seconds: retry.now() / 1000, warnings };
}

test.each([
  ['offset=0&empty', 'a list by offset'],
  ['createdSince=2026-01-01&empty', 'a list by cursor'],
])('%s: %s without rows may answer 204', async (query) => {
  const { found, requests, seconds, warnings } = await read([query, query], 999, {});
  expect(found).toStrictEqual([0, 0]);
  expect(seconds).toBeGreaterThanOrEqual(20);
  expect(seconds).toBeLessThan(60);
  expect(warnings).toStrictEqual([
    expect.stringMatching(/^assets: .* 204 .* without rows.* check assets\.base_url\.$/),
  ]);
  // once it is known, it costs no time
  expect(requests).toBeLessThan(12);
});

test('so may the page behind the last cursor', async () => {
  expect((await read(['', 'after=x&empty'], 999, {})).found).toStrictEqual([1, 0]);
});

test.each([
  ['a 204 that passes is an accident', ['offset=0&empty'], 15, {}, [1]],
  ['a 204 that says when to come back is no page', ['empty'], 100, { 'retry-after': '30' }, [1]],
  [
    'in a list by offset that has rows, a 204 is an outage: rows would be missing',
    ['offset=0', 'offset=500&empty', 'offset=500&empty'],
    200,
    {},
    [1, 1, 1],
  ],
  [
    'and one that does not pass fails the read',
    ['offset=0', 'offset=500&empty'],
    9999,
    {},
    [1, 'API_UNAVAILABLE'],
  ],
])('%s', async (_, queries, seconds, headers, expected) => {
  expect((await read(queries, seconds, headers)).found).toStrictEqual(expected);
});
