import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { fingerprint } from './fingerprint.ts';
import { createFingerprintSet } from './fingerprint-set.ts';

test('it answers as a Set does', () => {
  const some = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 4000 });
  fc.assert(
    fc.property(some, (numbers) => {
      const set = createFingerprintSet();
      const model = new Set<string>();
      for (const number of numbers) {
        const entry = fingerprint(String(number));
        expect(set.has(entry)).toBe(model.has(entry));
        expect(set.add(entry)).toBe(!model.has(entry));
        model.add(entry);
      }
      expect(set.size()).toBe(model.size);
    }),
    { numRuns: 50 },
  );
});

test('entries that differ in one character are different, the one of all zero bits included', () => {
  const set = createFingerprintSet();
  const entries = [
    'AAAAAAAAAAAAAAAA',
    'BAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAB',
    'AAAA____----9999',
    'AAAA____----9998',
  ];
  expect(entries.map((entry) => set.add(entry))).toStrictEqual(entries.map(() => true));
  expect(entries.map((entry) => set.add(entry))).toStrictEqual(entries.map(() => false));
});

test('a million rows are told apart in at most 64 MB', () => {
  const before = process.memoryUsage().arrayBuffers;
  const set = createFingerprintSet();
  let most = 0;
  for (let row = 0; row < 1_000_000; row++) {
    set.add(fingerprint(`row ${row}`));
    if (row % 50_000 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(set.size()).toBe(1_000_000);
  expect(Math.max(most, process.memoryUsage().arrayBuffers - before)).toBeLessThanOrEqual(64 * 1024 * 1024);
});
