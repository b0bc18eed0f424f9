import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { getFrom, startLoopback, startRaw } from './loopback.test-support.ts';
import type { HttpResponse } from './response.ts';

const STATUSES = [300, 400, 401, 403, 404, 429, 500, 503];

const get = (address: string): Promise<HttpResponse> => getFrom(address, 20_000, 1000);

const ERROR = '{"error":"no"}';
const BODIES: readonly [what: string, body: Buffer, encoding: string, text: string][] = [
  ['gzip without a body', Buffer.alloc(0), 'gzip', ''],
  ['plain text labelled br', Buffer.from('Unauthorized'), 'br', 'Unauthorized'],
  ['br', brotliCompressSync(ERROR), 'br', ERROR],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd', ''],
  ['gzip that was cut', gzipSync(ERROR).subarray(0, 12), 'gzip', ''],
  ['gzip labelled twice', gzipSync(ERROR), 'gzip, gzip', ERROR],
  ['gzip twice', gzipSync(gzipSync(ERROR)), 'gzip', ERROR],
  ['gzip labelled UTF-8', gzipSync(ERROR), 'UTF-8', ERROR],
  ['gzip without a label', gzipSync(ERROR), '', ERROR],
  ['JSON labelled deflate', Buffer.from(ERROR), 'deflate', ERROR],
  ['JSON labelled aws-chunked', Buffer.from(ERROR), 'aws-chunked', ERROR],
  ['more than the maximum', Buffer.alloc(2000, 'x'), '', ''],
];

describe.each(STATUSES)('status %i counts', (status) => {
  test.each(BODIES)('with %s', async (_, body, encoding, text) => {
    const { address } = await startLoopback((_request, response) => {
      if (encoding !== '') response.setHeader('content-encoding', encoding);
      response.writeHead(status, { 'retry-after': '7' }).end(body);
    });
    const response = await get(address);
    expect([response.status, response.headers['retry-after'], response.body.toString()]).toStrictEqual([
      status,
      '7',
      text,
    ]);
  });
});

// all at once: a body that stalls ends at the deadline, which leaves a busy machine the time to send the head
test.concurrent.each(
  STATUSES.flatMap((status) => [
    { status, what: 'is cut', ends: true },
    { status, what: 'stalls', ends: false },
  ]),
)('status $status counts with a body that $what', async ({ status, ends }) => {
  const head = `HTTP/1.1 ${status} No\r\ncontent-length: 99\r\nretry-after: 7\r\n\r\nhalf`;
  const response = await getFrom(await startRaw(head, ends), 5000, 1000);
  expect([response.status, response.headers['retry-after']]).toStrictEqual([status, '7']);
});

const PAGE = ' \n{"items":[]}';

test.each([
  ['UTF-8', Buffer.from(PAGE)],
  ['utf-8', Buffer.from(PAGE)],
  ['none', Buffer.from(PAGE)],
  ['identity', Buffer.from(PAGE)],
  ['json', Buffer.from(PAGE)],
  ['gzip', Buffer.from(PAGE)],
  ['gzip, utf-8', gzipSync(PAGE)],
  ['binary', gzipSync(PAGE)],
  ['gzip, gzip', gzipSync(gzipSync(PAGE))],
  ['', gzipSync(gzipSync(PAGE))],
  ['deflate', deflateSync(PAGE)],
  ['deflate', deflateRawSync(PAGE)],
  ['br', brotliCompressSync(PAGE)],
  ['br, gzip', gzipSync(brotliCompressSync(PAGE))],
  ['br', gzipSync(PAGE)],
])('a page labelled %s is read by its bytes', async (encoding, body) => {
  const { address } = await startLoopback((_, response) =>
    response.setHeader('content-encoding', encoding).end(body),
  );
  expect((await get(address)).body.toString()).toBe(PAGE);
});

test('a page in an unknown coding is no outage: the next one would be the same', async () => {
  const { address } = await startLoopback((_, response) =>
    response.setHeader('content-encoding', 'zstd').end(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])),
  );
  await expect(get(address)).rejects.toMatchObject({
    message: 'the response has an encoding that was not asked for: zstd',
    fault: 'unasked',
    advice: 'The operator of the server, or of a proxy on the way, must correct it.',
  });
});
