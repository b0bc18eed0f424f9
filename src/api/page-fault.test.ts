import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { OtherShapeError } from '../rows/page.ts';
import { clientAt } from './client.test-support.ts';
import { describeShape } from './page-fault.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{"totalCount":1}}}';

test.each<[body: string, shape: string | null]>([
  ['[]', 'an empty array'],
  ['[{"a":1},{"a":2}]', 'an array of 2 objects'],
  ['[[[]]]', 'an array of 1 value'],
  ['{"data":[{"a":1}],"page":1}', 'an object with "data" (an array of 1 object), "page"'],
  ['\ufeff{"data":[]}', 'an object with "data" (an empty array)'],
  [
    '{"data":[{}],"message":"OK","error":null}',
    'an object with "data" (an array of 1 object), "message", "error" (null)',
  ],
  ['{"items":[{"a":1}],"total":1}', 'an object with "items" (an array of 1 object), "total"'],
  [
    '{"items":[{"a":1}],"metadata":{"page":1,"pages":2}}',
    'an object with "items" (an array of 1 object), "metadata" (an object with "page", "pages")',
  ],
  ['{"items":null,"total":0}', 'an object with "items" (null), "total"'],
  [
    '{"items":7,"_links":{"next":"/2"}}',
    'an object with "items" (a number), "_links" (an object with "next")',
  ],
  ['{"data":{"items":[]}}', 'an object with "data" (an object with "items")'],
  [
    '{"data":{"a":1,"b":2,"c":3,"d":4,"e":5}}',
    'an object with "data" (an object with "a", "b", "c", "d", …)',
  ],
  ['{"status":"UP"}', 'an object with "status"'],
  [
    '{"data":[],"errors":[],"defaultSize":5}',
    'an object with "data" (an empty array), "errors" (an empty array), "defaultSize"',
  ],
  // serialized twice
  [
    JSON.stringify(PAGE),
    'a string that contains an object with "items" (an array of 1 object), "metadata" (an object with "pagination")',
  ],
  [JSON.stringify('[{"a":1}]'), 'a string that contains an array of 1 object'],
  [
    JSON.stringify({ statusCode: 200, body: PAGE }),
    'an object with "statusCode", "body" (a string that contains an object with "items", "metadata")',
  ],
  [JSON.stringify('{"error":"busy"}'), null],
  // failures, which may pass
  ['{"error":"busy"}', null],
  ['{"errors":[{"code":7}]}', null],
  ['{"status":500,"message":"busy"}', null],
  ['{"items":[],"lastError":"busy"}', null],
  ['{}', null],
  ['"busy"', null],
  ['<html>', null],
  [PAGE, null],
  ['{"items":null,"metadata":{"pagination":{"totalCount":0}}}', null],
])('the shape of %s', (body, shape) => {
  expect(describeShape(Buffer.from(body))?.words ?? null).toBe(shape);
});

type Reply = (response: ServerResponse) => unknown;
const send =
  (body: string): Reply =>
  (response) =>
    response.end(body);

/** Requests a page twice from a server that answers in turn. */
async function outcomesOf(...replies: Reply[]) {
  let turn = 0;
  const { address } = await startLoopback((_, response) =>
    replies[Math.min(turn++, replies.length - 1)]?.(response),
  );
  const client = clientAt(address, {});
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  const get = (): Promise<string> =>
    client
      .get(new URLSearchParams(), () => undefined, context)
      .then(
        ({ rows }) => `${rows.length} rows`,
        (error: unknown) => {
          const { code, message } = error as ConnectorError;
          return `${code} ${message.replaceAll(address, 'BASE')}`;
        },
      );
  return { outcomes: [await get(), await get()], attempts: () => turn };
}

test('another shape is a config_error after a moment, with what was found and what is supported', async () => {
  const { outcomes, attempts } = await outcomesOf(send('{"data":[{"assetId":"a"}],"totalPages":9}'));
  expect(attempts()).toBe(6);
  expect(outcomes[0]).toBe(
    'PAGES_UNUSABLE assets: the response is not a page that can be read: the body is an object with "data" (an array of 1 object), ' +
      '"totalPages". Supported are objects with "items" (an array of objects) and "metadata": {"pagination": {…}}, where "pagination" ' +
      'has "offset" and "totalCount" (paging "offset") or "nextCursor" (paging "cursor"). Check assets.base_url: is there such a list ' +
      'at BASE/v1/assets? A list of another shape cannot be read.',
  );
});

test.each<[what: string, replies: Reply[], outcomes: (string | RegExp)[], attempts: number]>([
  ['for a moment', [send('[]'), send('[]'), send(PAGE)], ['1 rows', '1 rows'], 4],
  [
    'with another failure in between',
    [send('[]'), (response) => response.writeHead(503).end(), send('[]')],
    [/^PAGES_UNUSABLE/, /^PAGES_UNUSABLE/],
    8,
  ],
  ['after a page: a fault that may pass', [send(PAGE), send('[]')], ['1 rows', /^API_UNAVAILABLE/], 27],
  ['after a page: maintenance', [send(PAGE), send('{"status":"down"}')], ['1 rows', /^API_UNAVAILABLE/], 27],
  [
    'after a page: one row that is no array',
    [send(PAGE), send('{"items":{"assetId":"b"},"metadata":{"pagination":{}}}')],
    [
      '1 rows',
      /^PAGES_UNUSABLE .*"items" \(an object with "assetId"\).* Earlier pages had it\. This did not pass within 20 s/,
    ],
    9,
  ],
  [
    'after a page: other names',
    [send(PAGE), send('{"data":[{"assetId":"b"}]}')],
    ['1 rows', /^PAGES_UNUSABLE/],
    9,
  ],
  [
    'after a page: a page that is serialized twice',
    [send(PAGE), send(JSON.stringify(PAGE))],
    ['1 rows', /^PAGES_UNUSABLE .*a string that contains an object with "items"/],
    9,
  ],
  [
    'after a page: a page in a member of an envelope',
    [send(PAGE), send(JSON.stringify({ statusCode: 200, body: PAGE }))],
    ['1 rows', /^PAGES_UNUSABLE .*"body" \(a string/],
    9,
  ],
  [
    'a page that is serialized twice',
    [send(JSON.stringify(PAGE))],
    [/^PAGES_UNUSABLE/, /^PAGES_UNUSABLE/],
    6,
  ],
  ['a failure in a 200 may pass', [send('{"error":"busy"}')], [/^API_UNAVAILABLE/, /^API_UNAVAILABLE/], 11],
])('another shape: %s', async (_, replies, expected, count) => {
  const { outcomes, attempts } = await outcomesOf(...replies);
  for (const [index, outcome] of outcomes.entries()) expect(outcome).toMatch(expected[index] ?? '');
  expect(attempts()).toBe(count);
});

function refuse(): never {
  throw new OtherShapeError('it is paged by cursor', 'Set lists[0].paging to "cursor".', true);
}

test('a check of the caller may find another shape, with a cure of its own', async () => {
  const { address } = await startLoopback((_, response) => response.end(PAGE));
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  const failed = clientAt(address, {}).get(new URLSearchParams(), refuse, context);
  await expect(failed).rejects.toMatchObject({
    code: 'PAGES_UNUSABLE',
    message: expect.stringMatching(/^assets: it is paged by cursor\. Set lists\[0\]\.paging to "cursor"\.$/),
  });
});
