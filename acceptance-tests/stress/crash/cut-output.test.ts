import { expect, test } from 'vitest';
import { cutOutput } from './cut-output.ts';
import type { Cut } from './cut-output.ts';

const cases: [Cut, number, string][] = [
  ['all', 1, 'one\ntwo\nthr'],
  ['byte', 5, 'one\nt'],
  ['byte', 4, 'one\n'],
  ['byte', 100, 'one\ntwo\nthr'],
  ['lineEnd', 6, 'one'],
  ['lineEnd', 8, 'one\ntwo'],
  ['lineEnd', 2, ''],
];

test.each(cases)('%s at byte %i', (cut, bytes, left) => {
  expect(cutOutput(Buffer.from('one\ntwo\nthr'), bytes, cut).toString()).toBe(left);
});
