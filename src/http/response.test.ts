import { expect, test } from 'vitest';
import { displayUrl, excerptOf, printable, retryAfterMs, serverSays } from './response.ts';

function textOf(body: Buffer, redact: (text: string) => string): string {
  return excerptOf({ headers: {}, body }, redact).text;
}

function plain(text: string): string {
  return text;
}

test('the text is the first 200 characters on one line', () => {
  expect(textOf(Buffer.from(' <html>\r\n\t<body>\u2028no  </body> '), plain)).toBe(
    '<html> <body> no </body>',
  );
  expect(textOf(Buffer.from('é'.repeat(500)), plain)).toBe('é'.repeat(200));
  expect(textOf(Buffer.alloc(0), plain)).toBe('');
});

test('a secret across the cut is masked before the cut', () => {
  const secret = 'canary-secret-0123456789';
  const redact = (text: string): string => text.replaceAll(secret, '******');
  const excerpt = textOf(Buffer.from(`${'x'.repeat(190)}${secret} and more`), redact);
  expect(excerpt).toBe(`${'x'.repeat(190)}****** and`);
});

test('the text does not end with an unpaired surrogate', () => {
  expect(textOf(Buffer.from(`x${'\u{1f69a}'.repeat(200)}`), plain)).toBe(`x${'\u{1f69a}'.repeat(99)}`);
});

test('a large body is decoded only in part', () => {
  let seen = 0;
  textOf(Buffer.alloc(10_000_000, 'x'), (text) => {
    seen = text.length;
    return text;
  });
  expect(seen).toBeLessThan(100_000);
});

function mask(text: string): string {
  return text.replaceAll('canary', '******');
}

test('the request IDs of servers and gateways follow the text, without secrets', () => {
  const headers = {
    'x-request-id': 'canary-1',
    'cf-ray': 'r'.repeat(500),
    'set-cookie': ['x-request-id=no'],
    'x-other': 'no',
  };
  const ids = `x-request-id ******-1, cf-ray ${'r'.repeat(100)}`;
  expect(serverSays(excerptOf({ headers, body: Buffer.from('busy') }, mask))).toBe(
    ` The server says: busy (${ids})`,
  );
  expect(serverSays(excerptOf({ headers, body: Buffer.alloc(0) }, mask))).toBe(` (${ids})`);
  expect(serverSays(excerptOf({ headers: {}, body: Buffer.alloc(0) }, mask))).toBe('');
});

test.each([
  ['{"error":"no"}', false],
  ['"no"', false],
  ['<html>no</html>', true],
  ['', false],
  ['\n[{"error":"line\nend"', false],
  ['Access denied', true],
])('the JSON of an API is distinguished from the text of a gateway: %j', (body, isNotJson) => {
  expect(excerptOf({ headers: {}, body: Buffer.from(body) }, plain).isNotJson).toBe(isNotJson);
});

test.each([
  ['https://me:canary@auth.example/token/?key=canary#canary', 'https://auth.example/token/'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
])('only the origin and path of a URL are shown', (address, shown) => {
  expect(displayUrl(new URL(address))).toBe(shown);
});

const NOW = Date.parse('2026-10-21T07:28:00Z');

test.each<[retryAfter: string | null, date: string | null, ms: number | null]>([
  [null, null, null],
  ['', null, null],
  ['0', null, 0],
  ['120', null, 120_000],
  [' 7 ', 'garbage', 7000],
  ['1.2', null, 2000],
  ['0.0', null, 0],
  ['-5', null, null],
  ['+5', null, null],
  ['1e3', null, null],
  ['5s', null, null],
  ['120, 60', null, null],
  ['99999999999', null, null],
  ['soon', null, null],
  // Date.parse accepts these
  ['retry 10', null, null],
  ['May 1', null, null],
  ['monkey 5', null, null],
  // dates, relative to the local clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', null, 30_000],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'garbage', 30_000],
  ['Wed, 21 Oct 2026 07:27:30 GMT', null, 0],
  // relative to the server's clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'Wed, 21 Oct 2026 07:28:10 GMT', 20_000],
  ['Tue, 01 Jan 2030 00:00:10 GMT', 'Tue, 01 Jan 2030 00:00:00 GMT', 10_000],
  ['Thu, 01 Jan 2015 00:00:10 GMT', 'Thu, 01 Jan 2015 00:00:20 GMT', 0],
  // the two obsolete formats of HTTP
  ['Wednesday, 21-Oct-26 07:28:30 GMT', null, 30_000],
  ['Wed Oct 21 07:28:30 2026', null, 30_000],
  ['Wed, 99 Oct 2026 07:28:30 GMT', null, null],
])('Retry-After %j with Date %j: %j', (retryAfter, date, ms) => {
  const headers = { 'retry-after': retryAfter ?? undefined, date: date ?? undefined };
  expect(retryAfterMs(headers, NOW)).toBe(ms ?? undefined);
});

test('no character moves the cursor or hides what follows', () => {
  const hostile = 'a\u001B[2Jb\r\nc\u0085d\u2028e\u202Ef\u0000\u007F\u009Bg';
  expect(printable(hostile)).toBe('a [2Jb c d e f g');
});
