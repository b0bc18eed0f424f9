import { expect, test } from 'vitest';

import { asSaid, retryAfterMs, shownAddress, wordsOf } from './answer.ts';

function excerptOf(body: Buffer, redact: (text: string) => string): string {
  return wordsOf({ headers: {}, body }, redact).excerpt;
}

function plain(text: string): string {
  return text;
}

test('the first 200 characters on one line', () => {
  expect(excerptOf(Buffer.from(' <html>\r\n\t<body>\u2028no  </body> '), plain)).toBe(
    '<html> <body> no </body>',
  );
  expect(excerptOf(Buffer.from('é'.repeat(500)), plain)).toBe('é'.repeat(200));
  expect(excerptOf(Buffer.alloc(0), plain)).toBe('');
});

test('a secret across the cut is masked, not cut in two', () => {
  const secret = 'canary-secret-0123456789';
  const redact = (text: string): string => text.replaceAll(secret, '******');
  const excerpt = excerptOf(Buffer.from(`${'x'.repeat(190)}${secret} and more`), redact);
  expect(excerpt).toBe(`${'x'.repeat(190)}****** and`);
});

test('no half of a character stands at the end', () => {
  expect(excerptOf(Buffer.from(`x${'\u{1f69a}'.repeat(200)}`), plain)).toBe(`x${'\u{1f69a}'.repeat(99)}`);
});

test('a large body is not decoded as a whole', () => {
  let seen = 0;
  excerptOf(Buffer.alloc(10_000_000, 'x'), (text) => {
    seen = text.length;
    return text;
  });
  expect(seen).toBeLessThan(100_000);
});

function mask(text: string): string {
  return text.replaceAll('canary', '******');
}

test('the ids that servers and gateways give an answer are told behind its words, without secrets', () => {
  const headers = {
    'x-request-id': 'canary-1',
    'cf-ray': 'r'.repeat(500),
    'set-cookie': ['x-request-id=no'],
    'x-other': 'no',
  };
  const ids = `x-request-id ******-1, cf-ray ${'r'.repeat(100)}`;
  expect(asSaid(wordsOf({ headers, body: Buffer.from('busy') }, mask))).toBe(
    ` The server says: busy (${ids})`,
  );
  expect(asSaid(wordsOf({ headers, body: Buffer.alloc(0) }, mask))).toBe(` (${ids})`);
  expect(asSaid(wordsOf({ headers: {}, body: Buffer.alloc(0) }, mask))).toBe('');
});

test.each([
  ['{"error":"no"}', false],
  ['"no"', false],
  ['<html>no</html>', true],
  ['', false],
  ['\n[{"error":"line\nend"', false],
  ['Access denied', true],
])('what an API says in JSON is told from what a gateway says: %j', (body, isForeign) => {
  expect(wordsOf({ headers: {}, body: Buffer.from(body) }, plain).isForeign).toBe(isForeign);
});

test.each([
  ['https://me:canary@auth.example/token/?key=canary#canary', 'https://auth.example/token'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
])('of an address only origin and path are shown', (address, shown) => {
  expect(shownAddress(new URL(address))).toBe(shown);
});

const NOW = Date.parse('2026-10-21T07:28:00Z');

test.each<[retryAfter: string | undefined, date: string | undefined, ms: number | undefined]>([
  [undefined, undefined, undefined],
  ['', undefined, undefined],
  ['0', undefined, 0],
  ['120', undefined, 120_000],
  [' 7 ', 'garbage', 7000],
  ['1.2', undefined, 2000],
  ['0.0', undefined, 0],
  ['-5', undefined, undefined],
  ['+5', undefined, undefined],
  ['1e3', undefined, undefined],
  ['5s', undefined, undefined],
  ['120, 60', undefined, undefined],
  ['99999999999', undefined, undefined],
  ['soon', undefined, undefined],
  // Date.parse makes dates of these
  ['retry 10', undefined, undefined],
  ['May 1', undefined, undefined],
  ['monkey 5', undefined, undefined],
  // dates, against the local clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', undefined, 30_000],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'garbage', 30_000],
  ['Wed, 21 Oct 2026 07:27:30 GMT', undefined, 0],
  // against the server's clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'Wed, 21 Oct 2026 07:28:10 GMT', 20_000],
  ['Tue, 01 Jan 2030 00:00:10 GMT', 'Tue, 01 Jan 2030 00:00:00 GMT', 10_000],
  ['Thu, 01 Jan 2015 00:00:10 GMT', 'Thu, 01 Jan 2015 00:00:20 GMT', 0],
  // the two older forms of HTTP
  ['Wednesday, 21-Oct-26 07:28:30 GMT', undefined, 30_000],
  ['Wed Oct 21 07:28:30 2026', undefined, 30_000],
  ['Wed, 99 Oct 2026 07:28:30 GMT', undefined, undefined],
])('Retry-After %j with Date %j: %j', (retryAfter, date, ms) => {
  expect(retryAfterMs({ 'retry-after': retryAfter, date }, NOW)).toBe(ms);
});
