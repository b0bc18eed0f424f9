import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import type { ListClientDeps } from './client.ts';
import { clientAt } from './client.test-support.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{}}}';

/** The outcome of each `get` in turn, ok or an error code, and the total number of requests. */
async function outcomes(
  statuses: readonly number[],
  gets: number,
  {
    mayBeRefused = true,
    ...deps
  }: Partial<ListClientDeps> & { readonly mayBeRefused?: boolean | 'in its form' },
): Promise<[string[], number]> {
  let requests = 0;
  const { address } = await startLoopback((_, response) => {
    response.writeHead(statuses[requests++] ?? 200).end(PAGE);
  });
  const client = clientAt(address, deps);
  const found: string[] = [];
  for (let count = 0; count < gets; count++)
    found.push(
      await client
        .get(new URLSearchParams(), () => undefined, {
          signal: new AbortController().signal,
          onWait: async () => undefined,
          mayBeRefused,
        })
        .then(
          () => 'ok',
          (error: unknown) => (isConnectorError(error, null) ? error.code : String(error)),
        ),
    );
  return [found, requests];
}

test.each([400, 403, 404, 410, 302, 511])(
  '%i fails at once if the list has never returned a page',
  async (status) => {
    const [[first], requests] = await outcomes([status], 1, {});
    expect(first).not.toBe('ok');
    expect(requests).toBe(1);
  },
);

test.each([400, 404, 410])('%i is retried for a moment if the list has returned a page', async (status) => {
  const codes = ['ok', 'ok', expect.stringMatching(/^(REQUEST_REFUSED|NOT_FOUND)$/) as string];
  const [found, requests] = await outcomes([200, status, status, 200, ...times(status, 99)], 3, {});
  expect([found, requests]).toStrictEqual([codes, 7]);
});

test('a refusal that has lasted is the answer at once when the server says it again', async () => {
  const [found, requests] = await outcomes([200, ...times(400, 99)], 20, {});
  expect(found).toStrictEqual(['ok', ...Array.from({ length: 19 }, () => 'REQUEST_REFUSED')]);
  // the first one is confirmed by two more requests
  expect(requests).toBe(1 + 3 + 18);
});

test.each<[status: number, mayBeRefused: boolean | 'in its form']>([
  [302, true],
  [511, true],
  [400, false],
  [404, false],
  [405, false],
  [421, false],
  [404, 'in its form'],
  [405, 'in its form'],
])(
  '%i is an outage if the list has returned a page, and the request may be refused: %s',
  async (status, mayBeRefused) => {
    const [found, requests] = await outcomes([200, ...times(status, 5), 200], 2, { mayBeRefused });
    expect([found, requests]).toStrictEqual([['ok', 'ok'], 7]);
    const [lasting] = await outcomes([200, ...times(status, 99)], 2, { mayBeRefused });
    expect(lasting).toStrictEqual(['ok', 'API_UNAVAILABLE']);
  },
);

test.each([400, 422])('%i is no outage if the form of a bound may be the reason', async (status) => {
  const [found] = await outcomes([200, ...times(status, 99)], 2, { mayBeRefused: 'in its form' });
  expect(found).toStrictEqual(['ok', 'REQUEST_REFUSED']);
});

const times = (status: number, count: number): number[] => Array.from({ length: count }, () => status);

test('401 fails at once if the list has never returned a page', async () => {
  expect(await outcomes([401, 200], 1, {})).toStrictEqual([['UNAUTHORIZED'], 1]);
});

test.each([401, 403])('%i is retried like a 503 if the list has returned a page', async (status) => {
  const retry: Partial<ListClientDeps> = { onRefusal: async () => 'retry' };
  expect(await outcomes([200, ...times(status, 5), 200], 2, retry)).toStrictEqual([['ok', 'ok'], 7]);
  expect(await outcomes([200, ...times(status, 99)], 2, retry)).toStrictEqual([
    ['ok', 'API_UNAVAILABLE'],
    27,
  ]);
});

test("a refusal is judged by its status and the list's earlier responses to tokens", async () => {
  const judged: object[] = [];
  let token = 'first';
  const deps: Partial<ListClientDeps> = {
    getToken: async () => token,
    onRefusal: async (refusal) => {
      judged.push(Object.values(refusal));
      if (judged.length === 3) token = 'second';
      return judged.length === 3 ? 'resend' : 'retry';
    },
  };
  expect(await outcomes([403, 200, 401, 401, 401, 200], 2, deps)).toStrictEqual([['ok', 'ok'], 6]);
  expect(judged).toStrictEqual([
    // token, status, hasReturnedPage, wasAccepted, isRepeated
    ['first', 403, false, false, false],
    ['first', 401, true, true, false],
    ['first', 401, true, true, true],
    ['second', 401, true, false, false],
  ]);
});

const REFUSED_TOKENS: [
  what: string,
  status: number,
  headers: Record<string, string>,
  body: string,
  query: string,
][] = [
  ['498', 498, {}, '', 'after=c'],
  ['a header', 400, { 'www-authenticate': 'Bearer error="invalid_token"' }, '', 'after=c'],
  ['a code', 400, {}, '{"error":"invalid_token"}', 'offset=5'],
  ['words', 400, {}, '{"message":"Token has expired"}', 'createdSince=2026-01-01'],
];

test.each(REFUSED_TOKENS)(
  'a token that is refused by %s is replaced',
  async (...[, status, headers, body, query]) => {
    const refused: number[] = [];
    let token = 'old';
    const { address } = await startLoopback((request, response) => {
      if (request.headers.authorization === 'Bearer new') response.end(PAGE);
      else response.writeHead(status, headers).end(body);
    });
    const onRefusal: ListClientDeps['onRefusal'] = async (refusal) => {
      refused.push(refusal.status);
      token = 'new';
      return 'resend';
    };
    const client = clientAt(address, { getToken: async () => token, onRefusal });
    const context = { signal: new AbortController().signal, onWait: async () => undefined };
    await client.get(new URLSearchParams(query), () => undefined, context);
    expect(refused).toStrictEqual([401]);
  },
);

test.each(REFUSED_TOKENS)(
  'a token that is refused by %s: the error says so',
  async (...[, status, headers, body, query]) => {
    const { address } = await startLoopback((_, response) => response.writeHead(status, headers).end(body));
    const context = { signal: new AbortController().signal, onWait: async () => undefined };
    const failing = clientAt(address, {}).get(new URLSearchParams(query), () => undefined, context);
    await expect(failing).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  },
);

test('words about a token may mean a cursor', async () => {
  let requests = 0;
  const { address } = await startLoopback((_, response) => {
    requests++;
    response.writeHead(400).end('{"message":"invalid token"}');
  });
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  const failing = clientAt(address, {}).get(new URLSearchParams('after=c'), () => undefined, context);
  await expect(failing).rejects.toMatchObject({ code: 'REQUEST_REFUSED' });
  expect(requests).toBe(1);
});
