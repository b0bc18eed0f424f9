import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { fingerprint } from './fingerprint.ts';
import { createIdentities } from './identities.ts';
import { createShortDigest } from './short-digest.ts';

const prefix = 'id:';
const short = createShortDigest(prefix);

test('a short text has the fingerprint that Node.js gives it', () => {
  const bytes = fc.uint8Array({ maxLength: short.most, size: 'max' });
  fc.assert(
    fc.property(bytes, fc.nat({ max: 5 }), (text, before) => {
      const identities = createIdentities();
      const around = Buffer.concat([Buffer.alloc(before, 'x'), text, Buffer.from('xyz')]);
      const words = short.wordsOf(around, before, before + text.length);
      const print = fingerprint(Buffer.concat([Buffer.from(prefix), text]));
      expect(identities.print(identities.ofWords(words))).toBe(print);
      expect(identities.of(print)).toBe(0);
    }),
    { numRuns: 2000 },
  );
});

test.each([0, 1, 51, 52])('a text of %i bytes fits', (length) => {
  const text = Buffer.alloc(length, 'é');
  const identities = createIdentities();
  expect(identities.ofWords(short.wordsOf(text, 0, length))).toBe(
    identities.of(fingerprint(Buffer.concat([Buffer.from(prefix), text]))),
  );
});

test('no text that is too long is said to fit', () => {
  expect(short.most).toBe(52);
});
