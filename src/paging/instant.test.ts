import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import {
  floorTo,
  resolutionOf,
  mergedFormat,
  readTime,
  readWritten,
  writeTime,
  type TimeFormat,
} from './instant.ts';

const SECOND = 1_000_000_000n;

describe('reading a time', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['2026-01-02T03:04:05Z', 1_767_323_045n * SECOND],
    ['2026-01-02T03:04:05.123456789Z', 1_767_323_045_123_456_789n],
    ['2026-01-02T03:04:05.1Z', 1_767_323_045_100_000_000n],
    ['2026-01-02T03:04:05,1Z', 1_767_323_045_100_000_000n],
    ['2026-01-02t03:04:05z', 1_767_323_045n * SECOND],
    ['2026-01-02 03:04:05', 1_767_323_045n * SECOND],
    ['2026-01-02T03:04:05+02:00', (1_767_323_045n - 7200n) * SECOND],
    ['2026-01-02T03:04:05-0530', (1_767_323_045n + 19_800n) * SECOND],
    ['2026-01-02T03:04:05+01', (1_767_323_045n - 3600n) * SECOND],
    ['2026-01-02T03:04Z', 1_767_323_040n * SECOND],
    ['2026-01-02 03:04:05 UTC', 1_767_323_045n * SECOND],
    ['2026-01-02T03:04:05GMT', 1_767_323_045n * SECOND],
    ['2026-01-02 03:04:05 +0000 UTC', 1_767_323_045n * SECOND],
    ['2026-01-02 03:04:05.5 +0100 CET', (1_767_323_045n - 3600n) * SECOND + SECOND / 2n],
    ['2026-01-02T03:04:05+00:00Z', 1_767_323_045n * SECOND],
    ['20260102T030405Z', 1_767_323_045n * SECOND],
    ['20260102T030405.25+0100', (1_767_323_045n - 3600n) * SECOND + SECOND / 4n],
    ['20260102T0304', 1_767_323_040n * SECOND],
    ['2026-01-02', 1_767_312_000n * SECOND],
    ['1767323045', 1_767_323_045n * SECOND],
    ['1767323045.25', 1_767_323_045_250_000_000n],
    ['1767323045123', 1_767_323_045_123_000_000n],
    ['1767323045123456', 1_767_323_045_123_456_000n],
    ['1767323045123456789', 1_767_323_045_123_456_789n],
    ['1.71184692E12', 1_711_846_920n * SECOND],
    ['0.171184692E+10', 1_711_846_920n * SECOND],
    ['1.711846920125e9', 1_711_846_920_125_000_000n],
    ['20260102', 1_767_312_000n * SECOND],
    ['202601020304', 1_767_323_040n * SECOND],
    ['20260102030405', 1_767_323_045n * SECOND],
    ['20260102030405123', 1_767_323_045_123_000_000n],
    ['19900101', 631_152_000n * SECOND],
    ['20991231235959', 4_102_444_799n * SECOND],
    ['201301020304', 1_357_095_840n * SECOND],
  ])('%s', (text, instant) => {
    expect(readTime(text)?.instant).toBe(instant);
  });

  test.each([
    '',
    'yesterday',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:00Z',
    '2026-01-02T03:04:05+25:00',
    '2026-01-02T03:04:05 GMT+2', // some write the opposite sign
    '2026-01-02T03:04:05 CET',
    '2026-01-02T03:04:05Z CET',
    '2026-01-02T03:04:05+02:00Z',
    '20260102T03',
    '20260102T030405123',
    '12',
    'NaN',
    '1e11',
    '20260230',
    // other years than those of epochs
    '19891231',
    '00010101000000',
    '99991231235959',
    '260605102030',
    // no epoch has a leading zero
    '01767323045',
    '01062026060000',
    // as yyyyMMddHHmm and as yyMMddHHmmss, and epochs that may be digits of a time, of 2026 mostly
    '200601051230',
    '2606011230',
    '2026060112',
    '2026060112300099',
    '2026152063000',
    '2026152063000.5',
    '2.026152063E12',
    '2026152063000123',
    '2026152063000123456',
    // nor are other orders times
    '15062026123000',
    '12312026123000',
    // ticks of .NET and a Windows file time
    '638843004000000000',
    '133932132000000000',
    '/Date(1711846920000)/',
    'Fri, 02 Jan 2026 03:04:05 GMT',
    '2026-01-02T03:04:05.1234567890Z',
  ])('%j: no time', (text) => {
    expect(readTime(text)).toBeUndefined();
  });

  test.each([
    '2026-01-02T24:04:05.123Z',
    '2026-01-02T03:60:05.123Z',
    '2026-01-02T03:04:60.123Z',
    '2026-01-02T03:04:05x123Z',
    '2026-01-02T03:04:05.12xZ',
    '2026-01-02T0x:04:05.123Z',
    '2026-01-02x03:04:05.123Z',
    '2026-01-02T03x04:05.123Z',
  ])('%s is no time, although one that is written alike was read before', (text) => {
    expect(readTime('2026-01-02T03:04:05.123Z')).toBeDefined();
    expect(readTime(text)).toBeUndefined();
  });

  test('two times that differ in the last of nine digits are different', () => {
    const [a, b] = ['2026-01-02T03:04:05.123456788Z', '2026-01-02T03:04:05.123456789Z'].map(readTime);
    expect((b?.instant ?? 0n) - (a?.instant ?? 0n)).toBe(1n);
  });
});

const calendarFormat: fc.Arbitrary<TimeFormat> = fc.record({
  kind: fc.constant('calendar' as const),
  separator: fc.constantFrom('T', ' ', ''),
  seconds: fc.boolean(),
  fractionDigits: fc.integer({ min: 0, max: 9 }),
  zone: fc.constantFrom('Z', ''),
});
const epochFormat: fc.Arbitrary<TimeFormat> = fc.record({
  kind: fc.constant('epoch' as const),
  unit: fc.constantFrom(SECOND, 1_000_000n, 1000n, 1n),
  fractionDigits: fc.constant(0),
});
const digitsFormat: fc.Arbitrary<TimeFormat> = fc
  .record({
    separator: fc.constantFrom('', 'T'),
    seconds: fc.boolean(),
    fractionDigits: fc.constantFrom(0, 3),
  })
  .map((one) => ({ kind: 'calendar', ...one, zone: '', compact: 'digits' }));
const basicFormat: fc.Arbitrary<TimeFormat> = fc
  .record({
    separator: fc.constant('T'),
    seconds: fc.boolean(),
    fractionDigits: fc.integer({ min: 0, max: 9 }),
    zone: fc.constantFrom('Z', ''),
  })
  .map((one) => ({ kind: 'calendar', ...one, compact: 'basic' }));
/** Formats that exist: no fraction without seconds, no zone without a time of day. */
const format = fc.oneof(calendarFormat, epochFormat, digitsFormat, basicFormat).map((one): TimeFormat => {
  if (one.kind === 'epoch') return one;
  if (one.separator === '') return { ...one, seconds: false, fractionDigits: 0, zone: '' };
  return one.seconds ? one : { ...one, fractionDigits: 0 };
});
const instant = fc.bigInt({ min: 1_000_000_000n * SECOND, max: 4_000_000_000n * SECOND });

describe('writing a time', () => {
  test('a written time reads back in the same format, rounded down to its resolution', () => {
    fc.assert(
      fc.property(instant, format, (time, as) => {
        const text = writeTime(time, as);
        const read = readWritten(text);
        const cut = time - (read?.instant ?? 0n);
        expect(cut >= 0n && cut < resolutionOf(as)).toBe(true);
        expect(writeTime(read?.instant ?? 0n, read?.format ?? as)).toBe(text);
      }),
      { numRuns: runs(3000) },
    );
  });

  test('times keep their order', () => {
    fc.assert(
      fc.property(instant, instant, format, (a, b, as) => {
        const [first, second] = [a, b].map((time) => readWritten(writeTime(time, as))?.instant ?? 0n) as [
          bigint,
          bigint,
        ];
        expect(a <= b ? first <= second : first >= second).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });
});

test.each(['260605102030', '19850101', '2026152063000'])('%s is a time if this program wrote it', (text) => {
  const written = readWritten(text);
  expect(writeTime(written?.instant ?? 0n, written?.format ?? null)).toBe(text);
});

test.each([
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000000000Z'],
  ['9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59.999999999Z'],
])('a late end of all times is quoted as it is, up to the last year of four digits: %s', (text, quoted) => {
  const end = readTime(text);
  expect(writeTime(end?.instant ?? 0n, null)).toBe(quoted);
  // in any zone
  expect(writeTime(end?.instant ?? 0n, end?.format ?? null)).toBe('9999-12-30T23:59:59Z');
});

test('a time before 1970 is rounded down too', () => {
  const seconds = readTime('1969-12-31T23:59:59Z')?.format ?? null;
  expect(floorTo(-1n, resolutionOf(seconds))).toBe(-SECOND);
  expect(floorTo(-SECOND, resolutionOf(seconds))).toBe(-SECOND);
});

const compactOf = (one: TimeFormat) => (one.kind === 'calendar' ? one.compact : undefined);

describe('a format merged from two', () => {
  test.each([
    ['2026-01-01T00:01Z', '2026-01-01T00:00:05.120Z', '2026-01-01T00:01:00.000Z'],
    ['2026-01-01T00:00:05.120Z', '2026-01-01T00:01Z', '2026-01-01T00:00:05.120Z'],
    ['2026-01-01T00:00:01Z', '2026-01-01T00:00:05.123456Z', '2026-01-01T00:00:01.000000Z'],
    ['2026-01-01', '2026-01-01T06:00:00+02:00', '2026-01-01T00:00:00Z'],
    ['1767225601', '1767225605.25', '1767225601.00'],
    ['202601010001', '20260101000005120', '20260101000100000'],
    ['20260101', '20260101060000', '20260101000000'],
    ['20260101T0001Z', '20260101T000005.120Z', '20260101T000100.000Z'],
  ])('%s and %s', (one, other, written) => {
    const [first, second] = [one, other].map((text) => readTime(text));
    const merged = mergedFormat(first?.format ?? null, second?.format as TimeFormat);
    expect(writeTime(first?.instant ?? 0n, merged)).toBe(written);
  });

  test('it expresses every time of either format, and reads it back', () => {
    fc.assert(
      fc.property(format, format, instant, (a, b, time) => {
        if (a.kind !== b.kind || compactOf(a) !== compactOf(b)) return;
        const merged = mergedFormat(a, b);
        for (const one of [a, b]) {
          const writable = floorTo(time, resolutionOf(one));
          expect(readWritten(writeTime(writable, merged))?.instant).toBe(writable);
        }
      }),
    );
  });
});
