import { expect, test } from 'vitest';

import { excerptOf } from './excerpt.ts';

const plain = (text: string): string => text;

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
