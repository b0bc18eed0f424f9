import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { BadPageError } from '../rows/page.ts';
import { clientAt, createRetry } from './client.test-support.ts';
import { get, inTurn, type Reply } from './responses.test-support.ts';

const rows = (count: number, odd: string, at: number): string =>
  Array.from(
    { length: count },
    (_, index) => `{"assetId":"é${index}","n":${index === at ? odd : '[1,"],{"]'}}`,
  ).join(',');
const withRows = (text: string): string => `{"metadata":{"pagination":{},"items":[[],[]]},"items":[${text}]}`;

test.each<[what: string, body: string, words: RegExp]>([
  [
    'NaN',
    withRows(rows(400, 'NaN', 299)),
    /^the body is not valid JSON at byte \d+, in row 300 \(items\[299\]\): "NaN", expected a value \(status 200,/,
  ],
  [
    'a lost quote',
    withRows('{"a":1},{"a":x"}'),
    /^the body is not valid JSON at byte \d+, in row 2 \(items\[1\]\): "x", expected a value \(/,
  ],
  [
    'a comma too many',
    withRows('{"a":1},{"a":1,}'),
    /at byte \d+, in row 2 \(items\[1\]\): ",", there must be no comma before the } that follows \(/,
  ],
  ['an invalid escape', withRows('{"a":1},{"a":"\\x"}'), /, in row 2 \(items\[1\]\): an invalid string \(/],
  [
    'text after its end',
    `${withRows(rows(3, '1', 0))} ok`,
    /at byte \d+: "ok", expected the end of the text \(/,
  ],
])(
  'a page with %s is a config_error that names byte, row and token, if it does not pass within 20 s',
  async (_, body, words) => {
    for (const encoding of ['identity', 'gzip']) {
      const { address } = await inTurn((response) =>
        response.setHeader('content-encoding', encoding).end(encoding === 'gzip' ? gzipSync(body) : body),
      );
      const { result, waits } = await get(address);
      const { code, failureType, message } = result as ConnectorError;
      expect([code, failureType]).toStrictEqual(['PAGES_UNUSABLE', 'config_error']);
      const [, last = '', outlook = ''] = /^assets: the page cannot be read: (.*)\. (This did .*)$/.exec(
        message,
      ) ?? [message];
      expect(last).toMatch(words);
      expect(outlook).toBe("This did not pass within 20 s, so ask the API's provider to correct it.");
      const waitedMs = waits.reduce((sum, [, waitMs]) => sum + Number(waitMs), 0);
      expect(waitedMs).toBeGreaterThanOrEqual(20_000);
      expect(waitedMs).toBeLessThan(40_000);
      const [, byte, token = ''] = /byte (\d+)(?:.*?: (?:"(.+?)"|(?=an invalid string)))?/.exec(last) ?? [];
      const found = Buffer.from(body).subarray(Number(byte)).toString();
      expect(found.startsWith(message.includes('string (') ? '"' : token)).toBe(true);
    }
  },
);

test.each<[what: string, body: string, words: RegExp]>([
  [
    'its end missing',
    withRows(rows(3, '1', 0)).slice(0, -10),
    /, in row 3 \(items\[2\]\): the text ends, expected a /,
  ],
  [
    'a string that is cut',
    withRows('{"a":1},{"a":"xyz"}').slice(0, -5),
    /, in row 2 \(items\[1\]\): the text ends in this string \(/,
  ],
  ['a literal that is cut', withRows('{"a":tr').slice(0, -2), /: "tr", expected a value \(/],
])('a page with %s is an outage', async (_, body, words) => {
  const { address } = await inTurn((response) => response.end(body));
  const { code, message } = (await get(address)).result as ConnectorError;
  expect(code).toBe('API_UNAVAILABLE');
  const [, last = '', outlook = ''] = /Last error: (.*)\. (The page was .*)$/.exec(message) ?? [message];
  expect(last).toMatch(words);
  expect(outlook).toBe(
    "The page was broken at this place in each attempt: ask the API's provider to correct it.",
  );
});

const broken: Reply = (response) => response.end(withRows('{"a":NaN}'));
const whole: Reply = (response) => response.end(withRows('{"a":1}'));
const down: Reply = (response) => response.writeHead(503).end();

test('a failure in between begins the time for broken pages anew', async () => {
  const { address } = await inTurn(
    ...Array.from({ length: 40 }, (_, index) => (index % 3 === 2 ? down : broken)),
  );
  expect(((await get(address)).result as ConnectorError).code).toBe('API_UNAVAILABLE');
});

test('the time in which stdout is not read does not count for broken pages', async () => {
  const { address } = await inTurn(broken, broken, broken, whole);
  const retry = createRetry(0);
  // the line about each wait blocks for a minute
  const { signal } = new AbortController();
  const context = { onWait: () => retry.sleep(60_000, signal), signal };
  const { rows: received } = await clientAt(address, { retry }).get(
    new URLSearchParams(),
    () => undefined,
    context,
  );
  expect(received).toHaveLength(1);
});

test.each([
  [
    'items that are no objects',
    '{"items":["a"],"metadata":{"pagination":{}}}',
    /items\[0\] is not an object with fields/,
  ],
  ['an empty item', '{"items":[{}],"metadata":{"pagination":{}}}', /items\[0\] is not an object with fields/],
])('a page with %s cannot be read either', async (_, body, words) => {
  const { address } = await inTurn((response) => response.end(body));
  const { code, message } = (await get(address)).result as ConnectorError;
  expect(code).toBe('PAGES_UNUSABLE');
  expect(message).toMatch(words);
});

test('the error for invalid UTF-8 names byte and row', async () => {
  const body = Buffer.concat([
    Buffer.from('{"items":[{"a":"\ufffd"},{"a":"'),
    Buffer.from([0xe9]),
    Buffer.from('"}]}'),
  ]);
  const { address } = await inTurn((response) => response.end(body));
  expect(((await get(address)).result as Error).message).toContain(
    `the body is not valid UTF-8 at byte ${body.indexOf(0xe9)}, in row 2 (items[1]) (status 200,`,
  );
});

test('a page after other text is reported with the byte up to which that goes', async () => {
  const body = `<br />\n<b>Warning</b>: "x" in é.php<br />\n${withRows('{"a":1}')}`;
  const { address } = await inTurn((response) => response.end(body));
  const { code, message } = (await get(address)).result as ConnectorError;
  expect(code).toBe('PAGES_UNUSABLE');
  expect(message).toContain(': the body is preceded by other text, up to byte 43 (status 200');
});

function statesOtherOffset(): void {
  throw new BadPageError('the page states offset 5, but 0 was requested');
}

test('what a check finds in each page for 20 s is no outage', async () => {
  const { address } = await inTurn((response) => response.end(withRows('{"a":1}')));
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  const client = clientAt(address, { retry: createRetry(0) });
  await expect(client.get(new URLSearchParams(), statesOtherOffset, context)).rejects.toMatchObject({
    code: 'PAGES_UNUSABLE',
    message:
      'assets: the page cannot be read: the page states offset 5, but 0 was requested. ' +
      "This did not pass within 20 s, so ask the API's provider to correct it.",
  });
});
