import { gzipSync } from 'node:zlib';
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

test('a body truncated at any byte is an error, never a shorter body', () => {
  const whole = gzipSync(Buffer.from('{"items":[{"assetId":"a"}],"metadata":{"pagination":{}}}'));
  for (let length = 0; length < whole.length; length++)
    expect(() => decodedBody(whole.subarray(0, length), 'gzip', 1000)).toThrow(
      /the response is not valid gzip/,
    );
});

test('a decoded body beyond the maximum size and other encodings are errors', () => {
  expect(() => decodedBody(gzipSync(Buffer.alloc(100_001)), 'gzip', 100_000)).toThrow(
    'the response is larger than 100000 bytes',
  );
  expect(() => decodedBody(Buffer.from('x'), 'br', 10)).toThrow(
    'the response has an unexpected encoding: br',
  );
});

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
