import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { get, inTurn, type Reply } from './responses.test-support.ts';
import type { ListPage } from './client.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{"totalCount":1}}}';

/** The message of a failure, with the address of the server replaced. */
function failure({ result }: { result: ListPage | ConnectorError }, address: string): string {
  const { code, message } = result as ConnectorError;
  return `${code} ${message}`.replaceAll(address, 'BASE');
}

/** 1,700,000,000 s after the epoch. */
const FIXED = 'Tue, 14 Nov 2023 22:13:20 GMT';

const page: Reply = (response) => response.end(PAGE);

test.each<[what: string, reply: Reply, wait: [isRateLimited: boolean, waitMs: number]]>([
  [
    'a 429 labelled gzip, without a body',
    (response) => response.writeHead(429, { 'content-encoding': 'gzip', 'retry-after': '2' }).end(),
    [true, 2000],
  ],
  [
    'a 403 with Retry-After',
    (response) => response.writeHead(403, { 'retry-after': '60' }).end('{}'),
    [true, 60_000],
  ],
  [
    'a 429 with Retry-After as seconds since the epoch',
    (response) => response.writeHead(429, { 'retry-after': '1700000007', date: FIXED }).end(),
    [true, 7000],
  ],
  [
    'a 429 with Retry-After as ms since the epoch',
    (response) => response.writeHead(429, { 'retry-after': '1700000007000', date: FIXED }).end(),
    [true, 7000],
  ],
  [
    'a 420 with Retry-After',
    (response) => response.writeHead(420, { 'retry-after': '3' }).end('enhance your calm'),
    [true, 3000],
  ],
  [
    'a 400 with Retry-After',
    (response) => response.writeHead(400, { 'retry-after': '3' }).end('{"error":"busy"}'),
    [true, 3000],
  ],
  [
    'a 503 with Retry-After, labelled br',
    (response) => response.writeHead(503, { 'content-encoding': 'br', 'retry-after': '9' }).end('down'),
    [false, 9000],
  ],
  [
    'a 200 with an error and Retry-After',
    (response) => response.writeHead(200, { 'retry-after': '45' }).end('{"error":"busy"}'),
    [false, 45_000],
  ],
  [
    'a 200 with HTML and Retry-After',
    (response) => response.writeHead(200, { 'retry-after': '45' }).end('<html>maintenance</html>'),
    [false, 45_000],
  ],
])('the wait that %s asks for is obeyed', async (_, reply, wait) => {
  const { address } = await inTurn(reply, page);
  const { result, waits, refused } = await get(address);
  expect([(result as ListPage).rows.length, waits, refused]).toStrictEqual([1, [wait], []]);
});

test.each([
  ['"Out of call volume quota. Quota will be replenished in 00:00:30."'],
  ['"Rate limit is exceeded. Try again in 4 seconds."'],
  ['"userRateLimitExceeded"'],
  ['"quotaExceeded"'],
  ['"Limits exceeded"'],
  ['"Usage limit exceeded"'],
  ['"dailyLimitExceeded"'],
  ['"Over Queries Per Second Limit"'],
  ['"Spike arrest violation. Allowed rate : 10ps"'],
  ['"QUOTA_EXCEEDED"'],
  ['"Quota exceeded for quota metric"'],
  ['"The daily quota has been exceeded"'],
  ['"You have exceeded your daily request quota for this API"'],
  ['"TooManyRequests"'],
  ['"REQUEST_LIMIT_EXCEEDED"'],
  ['"API calls limit exceeded"'],
  ['"Request was throttled."'],
])('a 403 that says %s is a rate limit', async (words) => {
  const { address } = await inTurn((response) => response.writeHead(403).end(`{"message":${words}}`), page);
  const { result, waits } = await get(address);
  expect((result as ListPage).rows).toHaveLength(1);
  expect(waits).toStrictEqual([[true, expect.any(Number)]]);
});

test('a 403 that names no limit is a refusal', async () => {
  const { address } = await inTurn((response) => response.writeHead(403).end('{"message":"limited access"}'));
  expect((await get(address)).refused).toStrictEqual([403, 403]);
});

test('a Retry-After on a valid page is ignored', async () => {
  const { address } = await inTurn((response) => response.writeHead(200, { 'retry-after': '60' }).end(PAGE));
  expect((await get(address)).waits).toStrictEqual([]);
});

test('a 401 with a body that cannot be decoded is a 401', async () => {
  const { address } = await inTurn(
    (response) => response.writeHead(401, { 'content-encoding': 'br' }).end('Unauthorized'),
    page,
  );
  const { result, refused, waits } = await get(address);
  expect([(result as ListPage).rows.length, refused, waits]).toStrictEqual([1, [401], []]);
});

test.each<[what: string, location: (address: string) => string | null, cure: string]>([
  [
    'with a slash at its end',
    () => '/v1/assets/?limit=1',
    'to BASE/v1/assets/. Redirects are never followed, because they could send the token to another host. Use an entry of `lists` with path "/v1/assets/" instead of assets, whose path is fixed.',
  ],
  [
    'on another host',
    () => 'https://eu.example/fleet/v1/assets?limit=1&key=canary',
    'to https://eu.example/fleet/v1/assets. Redirects are never followed, because they could send the token to another host. Set assets.base_url (currently "BASE") to the final address, https://eu.example/fleet.',
  ],
  [
    'of a sign-in page',
    () => 'https://me:canary@login.example/sign-in#canary',
    'to https://login.example/sign-in. Redirects are never followed, because they could send the token to another host. It does not lead to the list, but perhaps to a page to sign in: check that assets.base_url is the address of the API, and that this machine may access it.',
  ],
  [
    'that is missing',
    () => null,
    'to no address. Redirects are never followed, because they could send the token to another host. It does not lead to the list, but perhaps to a page to sign in: check that assets.base_url is the address of the API, and that this machine may access it.',
  ],
])('a redirect names its target and the key to change: an address %s', async (_, location, cure) => {
  let address = '';
  const server = await inTurn((response) => {
    const target = location(address);
    response.writeHead(307, target === null ? {} : { location: target }).end();
  });
  address = server.address;
  expect(failure(await get(address), address)).toBe(`REDIRECTED assets: the address redirects (307) ${cure}`);
});

/** Starts a server that responds with these bytes to each connection. */
async function startRaw(bytes: string | Buffer): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HEAD = 'HTTP/1.1 200 OK\r\n';

test.each<[bytes: string | Buffer, words: string]>([
  [
    `${HEAD}x: ${'y'.repeat(140_000)}\r\n\r\n`,
    "the response is not valid HTTP: its headers are larger than 128 KiB (HPE_HEADER_OVERFLOW: Parse Error: Header overflow). Ask the API's provider to send fewer headers.",
  ],
  [
    `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
    'the response is not valid HTTP: Duplicate Content-Length (HPE_UNEXPECTED_CONTENT_LENGTH). The operator of the server, or of a proxy on the way, must correct it.',
  ],
  [
    'SSH-2.0-OpenSSH_9.6\r\n',
    'the response is not valid HTTP: it begins with "SSH-2.0-OpenSSH_9.6" (HPE_INVALID_CONSTANT). Check that assets.base_url, with its port, is the address of an HTTP server.',
  ],
])('a response that violates HTTP is a config_error after one request: %j', async (bytes, words) => {
  const address = await startRaw(bytes);
  const answer = await get(address);
  expect(failure(answer, address)).toBe(`INVALID_HTTP assets: ${words}`);
  expect((answer.result as ConnectorError).failureType).toBe('config_error');
  expect(answer.counts).toStrictEqual({ requests: 1, retries: 0 });
});
