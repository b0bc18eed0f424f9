import { expect, test } from 'vitest';
import { fingerprint } from '../identities.ts';
import { earlierPrintOf, printOf, readPrint, writePrint } from './print.ts';

const text = Buffer.from('{"id":1}');

test.each([
  ['', 0xef46db3751d8e999n],
  ['a', 0xd24ec4f1a98c6e5bn],
  ['xxhash', 0x32dd38952c4bc720n],
])('the print of %j is its XXH64, as published', (published, print) => {
  expect(printOf(Buffer.from(published))).toBe(print);
});

test('a state has a print as 11 characters, also with zeros in front, and reads it again', () => {
  for (const print of [0n, 255n, 2n ** 64n - 1n, printOf(text)]) {
    expect(writePrint(print)).toMatch(/^[\w-]{11}$/);
    expect(readPrint(writePrint(print))).toBe(print);
  }
});

test('prints of earlier versions are kept as they are, and those of 0.1.0 are 12 of their 16 characters', () => {
  const earlier = earlierPrintOf(text);
  expect(readPrint(writePrint(earlier))).toBe(earlier);
  expect(earlier).toHaveLength(12);
  expect(readPrint(fingerprint(text))).toBe(earlier);
});
