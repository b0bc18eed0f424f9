// pages that say that they failed, and those without pagination
import { expect, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { clientAt } from './client.test-support.ts';
import { get, inTurn, type Reply } from './responses.test-support.ts';

const END = '"items":[],"metadata":{"pagination":{"nextCursor":""}}';
const ROW = '"items":[{"assetId":"a"}],"metadata":{"pagination":{"nextCursor":"b"}}';
const PAGE = `{${ROW}}`;

const send =
  (body: string): Reply =>
  (response) =>
    response.end(body);

test.each([
  [`{${END},"error":true,"message":"backend timeout"}`, '"error": true, "message": "backend timeout"'],
  [`{"success":false,${END}}`, '"success": false'],
  [`{"status":"error",${END}}`, '"status": "error"'],
  [`{"errors":1,"errorMessage":"shard failed",${END}}`, '"errors": 1, "errorMessage": "shard failed"'],
  ['{"items":[],"metadata":{"error":"busy","pagination":{"nextCursor":""}}}', '"error": "busy"'],
  ['{"items":[],"error":"busy"}', '"error": "busy"'],
  [
    `{${END},"_shards":{"total":5,"successful":4,"failed":1}}`,
    '"_shards": {"total":5,"successful":4,"failed":1}',
  ],
  [`{"terminated_early":true,${END}}`, '"terminated_early": true'],
  [
    `{"responseHeader":{"status":0,"partialResults":true},${END}}`,
    '"responseHeader": {"status":0,"partialResults":true}',
  ],
  [`{"complete":false,${END}}`, '"complete": false'],
])('an empty page that says that it failed is no end, but an outage: %s', async (body, said) => {
  const { address } = await inTurn(send(body), send(PAGE));
  const passing = await get(address);
  expect(passing.result).toMatchObject({ rows: [{}] });
  expect(passing.counts).toStrictEqual({ requests: 2, retries: 1 });
  const lasting = await get((await inTurn(send(body))).address);
  expect(lasting.result).toMatchObject({
    code: 'API_UNAVAILABLE',
    failureType: 'transient_error',
    message: expect.stringContaining(
      `Last error: the page reports a failure, so rows may be missing: ${said} (status 200, no content type).`,
    ),
  });
});

test('a page with rows that says that it failed is no page; what stays so is the answer of the list', async () => {
  const rows = Array.from({ length: 50 }, () => '{"assetId":"a"}').join(',');
  const body = `{"items":[${rows}],"metadata":{"pagination":{}},"errors":[{"message":"shard 3 timed out"}]}`;
  const { result } = await get((await inTurn(send(body))).address);
  expect((result as ConnectorError).message).toBe(
    'assets: the page cannot be read: the page reports a failure, so rows may be missing: "errors": ' +
      '[{"message":"shard 3 timed out"}] (status 200, no content type). This did not pass within 20 s, so ask ' +
      "the API's provider to correct it.",
  );
});

test.each([
  [`{${END},"error":{"code":401,"message":"token revoked"}}`, [401, 401]],
  [`{${END},"error":"Token has expired"}`, [401, 401]],
])('a failure that states a status counts as that: %s', async (body, statuses) => {
  const { refused } = await get((await inTurn(send(body))).address);
  expect(refused).toStrictEqual(statuses);
});

test.each([
  '"_shards":{"total":5,"successful":5,"skipped":0,"failed":0}',
  '"terminated_early":false',
  '"responseHeader":{"status":0,"QTime":3,"params":{"q":"*"}}',
  '"complete":true',
  '"summary":{"complete":false,"failed":3}',
  '"error":{"code":0,"message":"OK"}',
  '"errors":{"count":0,"list":[]}',
  '"error":"none","status":"active"',
])('a page with %s is accepted', async (member) => {
  const { result, counts } = await get((await inTurn(send(`{${member},${END}}`))).address);
  expect(result).toMatchObject({ rows: [] });
  expect(counts.requests).toBe(1);
});

/** Requests pages, and returns the rows, the number of requests, and the waits before the page. */
async function outcomeOf(query: string, ...replies: Reply[]) {
  let requests = 0;
  const { address } = await startLoopback((_, response) =>
    replies[Math.min(requests++, replies.length - 1)]?.(response),
  );
  let waitedMs = 0;
  const context = {
    signal: new AbortController().signal,
    onWait: async ({ waitMs }: { readonly waitMs: number }): Promise<void> => {
      waitedMs += waitMs;
    },
  };
  const outcome = await clientAt(address, {})
    .get(new URLSearchParams(query), () => undefined, context)
    .then(
      ({ rows }) => `${rows.length} rows`,
      (error: unknown) => (error as ConnectorError).message,
    );
  return { outcome, requests, seconds: waitedMs / 1000 };
}

const BARE = '{"items":[],"metadata":{}}';

test.each([
  ['limit=9', 2, 4],
  ['limit=9&offset=0', 2, 4],
  ['createdSince=2026', 2, 4],
  ['after=b', 20, 45],
  ['limit=9&offset=9', 20, 45],
])('an empty page without pagination is asked for again, then believed: %s', async (query, least, most) => {
  for (const body of [BARE, '{"items":[],"metadata":{"pagination":null}}', '{"items":[]}']) {
    const { outcome, requests, seconds } = await outcomeOf(query, send(body));
    expect(outcome).toBe('0 rows');
    expect(requests).toBeGreaterThan(2);
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThan(most);
  }
});

const down: Reply = (response) => response.writeHead(503).end();

test('an empty page without pagination that does not stay is none', async () => {
  const { outcome, requests } = await outcomeOf('', send(BARE), send(BARE), down, send(BARE), send(PAGE));
  expect([outcome, requests]).toStrictEqual(['1 rows', 5]);
});
