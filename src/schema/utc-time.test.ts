import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ValueKind } from '../protocol/row.ts';
import { rowOf } from '../protocol/row.test-support.ts';
import { isUtcTime } from './utc-time.ts';

test.each([
  ['2025-01-31T10:00:00Z', true],
  ['2025-01-31T10:00:00+00:00', true],
  ['2025-01-31T10:00:00.123456Z', true],
  ['2024-02-29T23:59:59Z', true],
  ['0001-01-01T00:00:00Z', true],
  // columns of times cut what is finer than a microsecond
  ['2025-01-31T10:00:00.1234567Z', false],
  ['2025-01-31T10:00:00.123456789Z', false],
  // and there are loaders that take this for 10:00 in UTC
  ['2025-01-31T10:00:00+02:00', false],
  ['2025-01-31T10:00:00-00:30', false],
  // loads fail on these, or there is no such time
  ['2016-12-31T23:59:60Z', false],
  ['2025-01-31T24:00:00Z', false],
  ['2025-01-31T10:00Z', false],
  ['2025-01-31t10:00:00z', false],
  ['2025-01-31 10:00:00Z', false],
  ['2025-01-31T10:00:00.Z', false],
  ['2025-02-29T10:00:00Z', false],
  ['2025-13-01T10:00:00Z', false],
  ['2025-01-31T10:00:00', false],
  ['2025-01-31', false],
  ['20250131T100000Z', false],
  [' 2025-01-31T10:00:00Z', false],
  ['2025-01-31T10:00:00Z\n', false],
  ['n/a', false],
  ['', false],
])('%j: %s', (text, isOne) => {
  expect(isUtcTime(text)).toBe(isOne);
});

const digits = (value: number): string => String(value).padStart(2, '0');

test('a day that exists, before and behind days that do not', () => {
  const day = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }));
  fc.assert(
    fc.property(fc.constantFrom(2023, 2024, 1900, 2000), fc.array(day), (year, days) => {
      for (const [month, date] of days) {
        const isOne = date <= new Date(Date.UTC(year, month, 0)).getUTCDate();
        expect(isUtcTime(`${year}-${digits(month)}-${digits(date)}T10:00:00Z`)).toBe(isOne);
      }
    }),
  );
});

/** So many digits or more. */
const number = (width: number, most: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(width, '0'));
/** What usually stands between two parts, and now and then another. */
const separator = (usual: string): fc.Arbitrary<string> =>
  fc.constantFrom(...Array.from({ length: 20 }, () => usual), ' ', '');

test('the scanner of pages tells the same times', () => {
  const text = fc
    .tuple(
      number(4, 2500),
      separator('-'),
      number(2, 13),
      separator('-'),
      number(2, 32),
      separator('T'),
      number(2, 24),
      separator(':'),
      number(2, 60),
      separator(':'),
      number(2, 60),
      fc.constantFrom('', '', '.', '.1', '.123456', '.1234567', ',5'),
      fc.constantFrom('Z', 'Z', 'z', '', '+00:00', '-00:00', '+01:00', '+00:30', '+0000', 'ZZ'),
    )
    .map((parts) => parts.join(''));
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(text, (time) => {
      const { places, firstPlace } = rowOf({ time });
      const isTime = places[firstPlace + 2] === ValueKind.utcTime;
      seen[`${isTime}`]++;
      expect(isTime).toBe(isUtcTime(time));
    }),
    { numRuns: 10_000 },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
});
