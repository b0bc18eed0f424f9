import { expect, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { clientAt, createRetry } from './client.test-support.ts';
import { zstd } from './response-bytes.test-support.ts';
import { inTurn, type Reply } from './responses.test-support.ts';

const PAGE = '{"items":[{"assetId":"é"}],"metadata":{"pagination":{}}}';
const PRETTY = JSON.stringify(JSON.parse(PAGE), null, 2);

const failure = (body: string) => failureAfter((response) => response.end(body));

/** The error for a server that always answers so, and the largest number of failures that smaller pages may avoid. */
async function failureAfter(reply: Reply): Promise<readonly [error: ConnectorError, failures: number]> {
  const { address } = await inTurn(reply);
  const counts: number[] = [];
  const context = {
    signal: new AbortController().signal,
    onWait: async () => undefined,
    limitAfter: (failures: number): number => {
      counts.push(failures);
      return 500;
    },
  };
  const error = await clientAt(address, { retry: createRetry(0) })
    .get(new URLSearchParams('limit=500'), () => undefined, context)
    .then(
      () => Promise.reject(new Error('it did not fail')),
      (failed: unknown) => failed as ConnectorError,
    );
  return [error, Math.max(...counts)];
}

test.each([
  [`callback(${PAGE});`, 'preceded by other text, up to byte 9, and followed by other text from byte 66 on'],
  [`/**/jQuery_1(${PRETTY})`, 'preceded by other text, up to byte 13, and followed by other text from byte'],
  [`callback([{"assetId":"a"}])`, 'preceded by other text, up to byte 9, and followed by other text'],
  ['fn({"items":[],"metadata":{"pagination":{}}})', 'preceded by other text, up to byte 3, and followed'],
  [`)]}',\n${PAGE}`, 'preceded by other text, up to byte 6 ('],
  [`for(;;);${PRETTY}`, 'preceded by other text, up to byte 8 ('],
  [`${PAGE};`, '";", expected the end of the text'],
])(
  'a page that other text surrounds is no outage, and smaller pages are not tried: %s',
  async (body, words) => {
    const [{ code, message }, failures] = await failure(body);
    expect(code).toBe('PAGES_UNUSABLE');
    expect(message).toContain(words);
    expect(failures).toBe(0);
  },
);

test.each([
  `<html><script>data = ${PAGE};</script></html>`,
  `callback(${PAGE.slice(0, -2)}`,
  'upstream error {"code":7} in service',
  'busy: {"message":"later"}',
  'callback({"message":"maintenance"});',
])('a text that holds no page is an outage: %s', async (body) => {
  const [{ code }, failures] = await failure(body);
  expect([code, failures]).toStrictEqual(['API_UNAVAILABLE', 0]);
});

test.each<[what: string, reply: Reply]>([
  ['zstd', (response) => response.setHeader('content-encoding', 'zstd').end(zstd)],
  ['101', (response) => response.socket?.end('HTTP/1.1 101 No\r\n\r\n')],
])('a form that was not asked for is no outage, and smaller pages are not tried: %s', async (what, reply) => {
  const [{ code, message }, failures] = await failureAfter(reply);
  expect([code, failures]).toStrictEqual(['INVALID_HTTP', 0]);
  expect(message).toContain(what);
  expect(message).toMatch(
    /not asked for.*\. The operator of the server, or of a proxy on the way, must correct it\.$/,
  );
});
