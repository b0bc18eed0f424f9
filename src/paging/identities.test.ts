import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstOf } from '../property-runs.test-support.ts';
import { createIdentities, createIdentitySet, fingerprint } from './identities.ts';

const some = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 4000 });

test('fingerprints are numbered as in a Map, and restored from their numbers', () => {
  fc.assert(
    fc.property(some, (rows) => {
      const identities = createIdentities();
      const model = new Map<string, number>();
      for (const row of rows) {
        const print = fingerprint(String(row));
        if (!model.has(print)) model.set(print, model.size);
        expect(identities.ofText(String(row))).toBe(model.get(print));
        expect(identities.of(print)).toBe(model.get(print));
      }
      for (const [print, identity] of model) expect(identities.print(identity)).toBe(print);
    }),
    { numRuns: 50 },
  );
});

test('a set of identities behaves like a Set', () => {
  fc.assert(
    fc.property(some, (identities) => {
      const set = createIdentitySet();
      const model = new Set<number>();
      for (const identity of identities) {
        expect(set.has(identity)).toBe(model.has(identity));
        expect(set.add(identity)).toBe(!model.has(identity));
        model.add(identity);
        expect(set.size()).toBe(model.size);
      }
    }),
    { numRuns: 50 },
  );
});

test('fingerprints that differ in one character are different, including all zero bits', () => {
  const prints = [
    'AAAAAAAAAAAAAAAA',
    'BAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAB',
    'AAAA____----9999',
    'AAAA____----9998',
  ];
  const identities = createIdentities();
  expect(prints.map(identities.of)).toStrictEqual([0, 1, 2, 3, 4]);
  expect(prints.map(identities.of)).toStrictEqual([0, 1, 2, 3, 4]);
  expect([0, 1, 2, 3, 4].map(identities.print)).toStrictEqual(prints);
});

// as many rows as fill the same part of the tables
test.each(firstOf(1, [125_000, 1_000_000]))(
  '%d rows are distinguished in at most 64 MB per million',
  (rows) => {
    const before = process.memoryUsage().arrayBuffers;
    const identities = createIdentities();
    const set = createIdentitySet();
    let peak = 0;
    for (let row = 0; row < rows; row++) {
      set.add(identities.ofText(`row ${row}`));
      if (row % 50_000 === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }
    expect(set.size()).toBe(rows);
    expect(Math.max(peak, process.memoryUsage().arrayBuffers - before)).toBeLessThanOrEqual(
      (64 * 1024 * 1024 * rows) / 1_000_000,
    );
  },
);
