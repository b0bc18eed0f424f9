import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ConnectorError, configError } from '../errors.ts';
import { closedAddress, startLoopback, type Answer } from '../http/loopback.test-support.ts';
import type { RequestContext, Waiting } from '../http/request.ts';
import { createPatience } from '../http/patience.ts';
import { READ_BUDGET } from '../limits.ts';
import { createRedactor } from '../protocol/redactor.ts';
import { BadPageError } from '../rows/page.ts';
import { textsOf } from '../rows/row.test-support.ts';
import { clientAt } from './client.test-support.ts';
import type { ListPage, PageCheck } from './client.ts';

const PAGE = '{"items":[{"assetId":"a","n":1.10}],"metadata":{"pagination":{"totalCount":1}}}';
const TOKEN = 'canary-token-0123456789';
const START = 1_700_000_000_000;

interface TestClient {
  readonly get: (query: Record<string, string>, check: PageCheck) => Promise<ListPage>;
  readonly counts: { requests: number; retries: number };
  readonly waits: Waiting[];
}

/** A client whose waits take no time. */
function clientOf(
  baseUrl: string,
  getToken: (context: RequestContext) => Promise<string>,
  signal: AbortSignal,
): TestClient {
  const redactor = createRedactor();
  redactor.hide(TOKEN);
  const counts = { requests: 0, retries: 0 };
  const waits: Waiting[] = [];
  let now = START;
  const client = clientAt(baseUrl, {
    getToken,
    retry: {
      patience: createPatience(READ_BUDGET),
      now: () => now,
      random: () => 0.5,
      sleep: async (ms) => {
        now += ms;
      },
      count: (what) => {
        counts[what]++;
      },
    },
    redact: redactor.redact,
  });
  const onWait = async (waiting: Waiting): Promise<void> => {
    waits.push(waiting);
  };
  return {
    get: (query, check) => client.get(new URLSearchParams(query), check, { signal, onWait }),
    counts,
    waits,
  };
}

function withToken(baseUrl: string): TestClient {
  return clientOf(baseUrl, async () => TOKEN, new AbortController().signal);
}

const accepted: PageCheck = () => undefined;

/** Responds with these answers in turn, and repeats the last one. */
function inTurn(answers: readonly ((response: ServerResponse) => unknown)[]): Answer {
  let turn = 0;
  return (_, response) => answers[Math.min(turn++, answers.length - 1)]?.(response);
}

function limited(response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': '30' }).end('slow down');
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': String(PAGE.length) });
  response.write(PAGE.slice(0, 20), () => response.socket?.destroy());
}

async function failureOf(answered: Promise<unknown>): Promise<ConnectorError> {
  const error: unknown = await answered.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConnectorError);
  return error as ConnectorError;
}

test('requests a page with query, token and headers, and returns its rows and times', async () => {
  let seen: [string | undefined, IncomingHttpHeaders] = ['', {}];
  const { address } = await startLoopback((request, response) => {
    seen = [`${request.method} ${request.url}`, request.headers];
    response.setHeader('date', 'Tue, 14 Nov 2023 22:13:20 GMT');
    response.end(PAGE);
  });
  const { get, counts, waits } = withToken(`${address}/base`);
  const answer = await get(
    { limit: '5', after: 'a+b/ü&', createdSince: '2026-01-01 00:00:00+02:00' },
    accepted,
  );
  expect(seen[0]).toBe(
    'GET /base/v1/assets?limit=5&after=a%2Bb%2F%C3%BC%26&createdSince=2026-01-01%2000%3A00%3A00%2B02%3A00',
  );
  expect(seen[1]).toMatchObject({ authorization: `Bearer ${TOKEN}`, accept: 'application/json' });
  expect(textsOf(answer.rows)).toStrictEqual(['{"assetId":"a","n":1.10}']);
  expect(answer.pagination).toStrictEqual({ totalCount: 1 });
  expect(answer.sentAtMs).toBe(START);
  expect(answer.serverTimeMs).toBeLessThan(START);
  expect(answer.serverTimeMs).toBeGreaterThan(START - 10_000);
  expect([counts, waits]).toStrictEqual([{ requests: 1, retries: 0 }, []]);
});

test('a response without a date has no server time', async () => {
  const { address } = await startLoopback((_, response) => {
    response.sendDate = false;
    response.end(PAGE);
  });
  expect((await withToken(address).get({}, accepted)).serverTimeMs).toBeUndefined();
});

describe('a permanent error', () => {
  test('is a config_error after one request', async () => {
    const lines: string[] = [];
    for (const status of [400, 401, 402, 403, 404, 405, 410, 422, 301, 307, 308]) {
      const { address } = await startLoopback((_, response) => {
        response.writeHead(status, { location: 'https://elsewhere.example/v1/assets' });
        response.end(`{"message": "status\n${status}, you sent ${TOKEN}"}`);
      });
      const { get, counts } = withToken(address);
      const error = await failureOf(get({ limit: '500', offset: '0' }, accepted));
      expect(counts).toStrictEqual({ requests: 1, retries: 0 });
      expect(error.failureType).toBe('config_error');
      lines.push(`${status} ${error.code} ${error.message.replaceAll(address, 'BASE')}`);
    }
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "400 REQUEST_REFUSED assets: the API rejected the request (400) with "limit=500&offset=0". The server says: {"message": "status 400, you sent ******"}. If that does not say what to change: Check assets.page_size or assets.base_url.
      401 UNAUTHORIZED assets: status 401. The server says: {"message": "status 401, you sent ******"}. Ask the operator of the server about that. If it is not the reason: the API rejected a valid token for audience "AMAPI" (401). Check assets.audience: the token must be valid for the module of assets. Also check that assets.base_url and auth_url belong to the same environment.
      402 FORBIDDEN assets: status 402. The server says: {"message": "status 402, you sent ******"}. Ask the operator of the server about that. If it is not the reason: the product was not bought (402), for audience "AMAPI" (assets.audience). The organization must have bought the product.
      403 FORBIDDEN assets: status 403. The server says: {"message": "status 403, you sent ******"}. Ask the operator of the server about that. If it is not the reason: the permission is missing or the product was not bought (403), for audience "AMAPI" (assets.audience). A privileged user in the customer organization must grant the integrator the permission for assets. The organization must have bought the product.
      404 NOT_FOUND assets: there is no list at BASE/v1/assets (404). assets.base_url (currently "BASE") is probably wrong; base_url is the part before "/v1/assets". If it is right, the organization may not have bought the product of assets. The server says: {"message": "status 404, you sent ******"}
      405 NOT_FOUND assets: there is no list at BASE/v1/assets (405). assets.base_url (currently "BASE") is probably wrong; base_url is the part before "/v1/assets". If it is right, the organization may not have bought the product of assets. The server says: {"message": "status 405, you sent ******"}
      410 NOT_FOUND assets: there is no list at BASE/v1/assets (410). assets.base_url (currently "BASE") is probably wrong; base_url is the part before "/v1/assets". If it is right, the organization may not have bought the product of assets. The server says: {"message": "status 410, you sent ******"}
      422 REQUEST_REFUSED assets: the API rejected the request (422) with "limit=500&offset=0". The server says: {"message": "status 422, you sent ******"}. If that does not say what to change: Check assets.page_size or assets.base_url.
      301 REDIRECTED assets: the address redirects (301) to https://elsewhere.example/v1/assets. Redirects are never followed, because they could send the token to another host. Set assets.base_url (currently "BASE") to the final address, https://elsewhere.example.
      307 REDIRECTED assets: the address redirects (307) to https://elsewhere.example/v1/assets. Redirects are never followed, because they could send the token to another host. Set assets.base_url (currently "BASE") to the final address, https://elsewhere.example.
      308 REDIRECTED assets: the address redirects (308) to https://elsewhere.example/v1/assets. Redirects are never followed, because they could send the token to another host. Set assets.base_url (currently "BASE") to the final address, https://elsewhere.example."
    `);
  });

  test('quotes nothing if the body is empty', async () => {
    const { address } = await startLoopback((_, response) => response.writeHead(403).end());
    const { message } = await failureOf(withToken(address).get({}, accepted));
    expect(message).not.toContain('The server says');
  });

  test('a failure to get a token is thrown unchanged, without a request', async () => {
    const refused = configError('TOKEN_REFUSED', 'no token');
    const { get, counts } = clientOf(
      await closedAddress(),
      () => Promise.reject(refused),
      new AbortController().signal,
    );
    await expect(get({}, accepted)).rejects.toBe(refused);
    expect(counts).toStrictEqual({ requests: 0, retries: 0 });
  });
});

describe('a temporary error', () => {
  test('is a transient_error after a minute, which quotes the last response', async () => {
    const answers: [what: string, answer: (response: ServerResponse) => unknown][] = [
      ['500', (response) => response.writeHead(500).end(`<h1>Oops ${TOKEN}</h1>`)],
      ['503', (response) => response.writeHead(503).end()],
      ['408', (response) => response.writeHead(408).end('slow')],
      ['202', (response) => response.writeHead(202).end(PAGE)],
      ['304', (response) => response.writeHead(304).end()],
      ['HTML', (response) => response.setHeader('content-type', 'text/html').end('<html>Sign in</html>')],
      ['{}', (response) => response.setHeader('content-type', 'application/json').end('{}')],
      ['empty', (response) => response.end()],
      [
        'gzip',
        (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(PAGE).subarray(0, 30)),
      ],
    ];
    const lines: string[] = [];
    for (const [what, answer] of answers) {
      const { address } = await startLoopback((_, response) => answer(response));
      const { get, counts } = withToken(address);
      const error = await failureOf(get({}, accepted));
      expect(counts).toStrictEqual({ requests: 10, retries: 9 });
      expect([error.code, error.failureType]).toStrictEqual(['API_UNAVAILABLE', 'transient_error']);
      lines.push(`${what}: ${error.message}`);
    }
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "500: assets: no usable response after 10 attempts in 60 s. Last error: status 500: Oops ******. Try again later.
      503: assets: no usable response after 10 attempts in 60 s. Last error: status 503. Try again later.
      408: assets: no usable response after 10 attempts in 60 s. Last error: status 408: slow. Try again later.
      202: assets: no usable response after 10 attempts in 60 s. Last error: status 202: {"items":[{"assetId":"a","n":1.10}],"metadata":{"pagination":{"totalCount":1}}}. Try again later.
      304: assets: no usable response after 10 attempts in 60 s. Last error: status 304. Try again later.
      HTML: assets: no usable response after 10 attempts in 60 s. Last error: the body is not valid JSON (status 200, text/html): Sign in. Check assets.base_url; if it is right, try again later.
      {}: assets: no usable response after 10 attempts in 60 s. Last error: the body has no array \`items\` (status 200, application/json): {}. Check assets.base_url; if it is right, try again later.
      empty: assets: no usable response after 10 attempts in 60 s. Last error: the body is empty (status 200, no content type). Check assets.base_url; if it is right, try again later.
      gzip: assets: no usable response after 10 attempts in 60 s. Last error: the response is not valid gzip (unexpected end of file). Try again later."
    `);
  });

  test('the wait after a 429 is observed and counted', async () => {
    const { address } = await startLoopback(inTurn([limited, limited, (response) => response.end(PAGE)]));
    const { get, counts, waits } = withToken(address);
    expect((await get({}, accepted)).rows).toHaveLength(1);
    expect(counts).toStrictEqual({ requests: 3, retries: 2 });
    const wait = { reason: 'status 429: slow down', isRateLimited: true, waitMs: 30_000 };
    expect(waits).toStrictEqual([wait, wait]);
  });

  test('a 429 with a wait beyond the budget is a transient_error', async () => {
    const { address } = await startLoopback((_, response) =>
      response.writeHead(429, { 'retry-after': '901' }).end(),
    );
    const { get, counts } = withToken(address);
    const error = await failureOf(get({}, accepted));
    expect(counts).toStrictEqual({ requests: 1, retries: 0 });
    expect([error.failureType, error.message]).toStrictEqual([
      'transient_error',
      'assets: no usable response after 1 attempt in 0 s. Last error: status 429. The API asks ' +
        'to wait 16 min, until 2023-11-14T22:28:21Z. Try again later.',
    ]);
  });

  test('a truncated page is requested again', async () => {
    const { address } = await startLoopback(inTurn([cut, (response) => response.end(PAGE)]));
    const { get, counts } = withToken(address);
    expect((await get({}, accepted)).rows).toHaveLength(1);
    expect(counts).toStrictEqual({ requests: 2, retries: 1 });
  });

  test('a page that fails its check is requested again', async () => {
    const { address } = await startLoopback((_, response) => response.end(PAGE));
    const { get, counts, waits } = withToken(address);
    let checks = 0;
    await get({}, ({ pagination }) => {
      expect(pagination).toStrictEqual({ totalCount: 1 });
      if (++checks < 3) throw new BadPageError('another page');
    });
    expect(counts).toStrictEqual({ requests: 3, retries: 2 });
    expect(waits.map(({ reason }) => reason)).toStrictEqual(['another page', 'another page']);
  });

  test('a refused connection, which does not count as a request', async () => {
    const { get, counts } = withToken(await closedAddress());
    const error = await failureOf(get({}, accepted));
    // nothing was sent
    expect(counts).toStrictEqual({ requests: 0, retries: 9 });
    expect(error.message).toMatch(
      / Last error: ECONNREFUSED: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check assets\.base_url and the network\. If both are right, try again later\.$/,
    );
  });
});

test('an abort ends a request at once, whatever the budget', async () => {
  const controller = new AbortController();
  const reason = new Error('stopped');
  const { address } = await startLoopback(() => controller.abort(reason));
  const { get, counts } = clientOf(address, async () => TOKEN, controller.signal);
  await expect(get({}, accepted)).rejects.toBe(reason);
  expect(counts).toStrictEqual({ requests: 1, retries: 0 });
});
