import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { startOfDay, timeKind } from './times.ts';

test.each([
  ['2025-01-31T10:00:00Z', 'utcTime'],
  ['2025-01-31T10:00:00+00:00', 'utcTime'],
  ['2025-01-31T10:00:00-00:00', 'utcTime'],
  ['2025-01-31T10:00:00.123456Z', 'utcTime'],
  ['2024-02-29T23:59:59Z', 'utcTime'],
  ['0001-01-01T00:00:00Z', 'utcTime'],
  ['2025-01-31T10:00:00', 'localTime'],
  ['2025-01-31T10:00:00.5', 'localTime'],
  // columns of times truncate to the microsecond
  ['2025-01-31T10:00:00.1234567Z', 'otherTime'],
  ['2025-01-31T10:00:00.123456789Z', 'otherTime'],
  // some loaders read this as 10:00 in UTC
  ['2025-01-31T10:00:00+02:00', 'otherTime'],
  ['2025-01-31T10:00:00-00:30', 'otherTime'],
  ['2025-01-31T10:00Z', 'otherTime'],
  ['2025-01-31T10:00', 'otherTime'],
  ['2025-01-31 10:00:00Z', 'otherTime'],
  ['2025-01-31T10:00:00z', 'otherTime'],
  ['2025-01-31T10:00:00.Z', 'otherTime'],
  ['2025-01-31T10:00:00Z\n', 'otherTime'],
  ['2025-01-31 10:00 or so', 'otherTime'],
  // loads fail on these, or they do not exist
  ['2016-12-31T23:59:60Z', 'unrealTime'],
  ['2025-01-31T24:00:00Z', 'unrealTime'],
  ['2025-01-31T10:60', 'unrealTime'],
  ['2025-02-29T10:00:00Z', 'unrealTime'],
  ['2025-13-01T10:00:00Z', 'unrealTime'],
  ['2025-00-01T10:00:00Z', 'unrealTime'],
  ['2025-01-00T10:00:00Z', 'unrealTime'],
  ['2025-01-31t10:00:00z', 'text'],
  ['2025-01-31', 'text'],
  ['20250131T100000Z', 'text'],
  [' 2025-01-31T10:00:00Z', 'text'],
  ['+02025-01-31T10:00:00Z', 'text'],
  ['n/a', 'text'],
  ['', 'text'],
])('%j: %s', (text, kind) => {
  expect(timeKind(text)).toBe(kind);
});

const digits = (value: number): string => String(value).padStart(2, '0');

test('real days are distinguished from others, in any order', () => {
  const day = fc.tuple(fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }));
  fc.assert(
    fc.property(fc.constantFrom(2023, 2024, 1900, 2000), fc.array(day), (year, days) => {
      for (const [month, date] of days) {
        const lastDate = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0;
        const isReal = date >= 1 && date <= lastDate;
        const written = `${year}-${digits(month)}-${digits(date)}`;
        expect(startOfDay(written)).toBe(isReal ? Date.UTC(year, month - 1, date) : undefined);
        expect(timeKind(`${written}T10:00:00Z`)).toBe(isReal ? 'utcTime' : 'unrealTime');
      }
    }),
  );
});

test.each(['', '2026', '2026-01', '2026-1-1', '2026-01-01T00:00:00Z', '12026-01-01', '-026-01-01'])(
  '%j is not a calendar day',
  (text) => {
    expect(startOfDay(text)).toBeUndefined();
  },
);
