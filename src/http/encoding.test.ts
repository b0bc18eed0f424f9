import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { startLoopback } from './loopback.test-support.ts';
import { decodedBody, exchange } from './request.ts';
import { acceptedEncoding } from './route.ts';

test.each([
  ['https://api.fleet.example/v1', 'gzip'],
  ['http://10.0.0.7/', 'gzip'],
  ['http://127.0.0.1:4700/', 'identity'],
  ['http://[::1]/', 'identity'],
  ['http://localhost/', 'identity'],
])('%s: accept-encoding %s', (url, encoding) => {
  expect(acceptedEncoding(new URL(url))).toBe(encoding);
});

test('gzip is decoded byte for byte', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 5000 }),
      fc.constantFrom('gzip', 'GZIP', ' x-gzip '),
      (bytes, name) => {
        const body = Buffer.from(bytes);
        expect(decodedBody(gzipSync(body), name, 5000).equals(body)).toBe(true);
        expect(decodedBody(body, undefined, 5000)).toBe(body);
      },
    ),
    { numRuns: 200 },
  );
});

const PAGE = Buffer.from('{"items":[{"assetId":"a"},{"assetId":"b"}],"metadata":{"pagination":{}}}');

test.each([
  ['gzip', true, gzipSync(PAGE)],
  ['deflate', true, deflateSync(PAGE)],
  ['deflate', false, deflateRawSync(PAGE)],
  ['br', false, brotliCompressSync(PAGE)],
])('a body in %s that is cut at any byte is whole, an error, or no JSON', (encoding, hasTrailer, whole) => {
  const found = new Set<string>();
  for (let length = 0; length < whole.length; length++)
    try {
      const body = decodedBody(whole.subarray(0, length), encoding, 1000);
      if (body.equals(PAGE)) found.add('whole');
      else expect(() => JSON.parse(body.toString()) as unknown).toThrow(SyntaxError);
    } catch (error) {
      expect(String(error)).toContain(`the response is not valid ${encoding}`);
      found.add('error');
    }
  expect([...found].toSorted()).toStrictEqual(hasTrailer ? ['error', 'whole'] : ['error']);
});

test('a damaged body is an error', () => {
  const damaged = gzipSync(PAGE);
  damaged.writeUInt8((damaged.at(-6) ?? 0) ^ 1, damaged.length - 6);
  expect(() => decodedBody(damaged, 'gzip', 1000)).toThrow('not valid gzip (incorrect data check)');
});

test('a decoded body beyond the maximum size and other encodings are errors', () => {
  expect(() => decodedBody(gzipSync(Buffer.alloc(100_001)), 'gzip', 100_000)).toThrow(
    'the response is larger than 100000 bytes',
  );
  expect(() => decodedBody(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd', 10)).toThrow(
    'the response has an encoding that was not asked for: zstd',
  );
});

test.each(['utf-8', 'gzip', 'x-gzip', 'gzip, utf-8'])(
  'a text that is labeled %s is what it says',
  (encoding) => {
    const html = Buffer.from('<html>down for maintenance</html>');
    expect(decodedBody(html, encoding, 100).equals(html)).toBe(true);
  },
);

test('over a real socket', async () => {
  const { address } = await startLoopback((request, response) =>
    response
      .setHeader('content-encoding', 'gzip')
      .end(gzipSync(`asked for: ${request.headers['accept-encoding']}`)),
  );
  const { body } = await exchange({
    method: 'GET',
    url: new URL(address),
    headers: {},
    body: null,
    deadlineMs: 50_000,
    maxBytes: 1000,
    signal: new AbortController().signal,
  });
  expect(body.toString()).toBe('asked for: identity');
});
