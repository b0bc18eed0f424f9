import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasLoneSurrogate } from './lone-surrogate.ts';

const PIECES = [
  '\\ud83d',
  '\\uDE00',
  '\\uDBFF',
  '\\udc00',
  '\\u0041',
  '\\\\',
  '\\n',
  '\\"',
  'ud83d',
  'é',
  '😀',
  'a',
];

test('half a surrogate pair is found exactly where JSON.parse makes one', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => `"${pieces.join('')}"`);
  fc.assert(
    fc.property(text, (json) => {
      // with the flag u a pair is one character, and only half of one is a surrogate
      const isHalf = /\p{Surrogate}/u.test(JSON.parse(json) as string);
      expect(hasLoneSurrogate(json)).toBe(isHalf);
    }),
    { numRuns: 5_000 },
  );
});
