import { expect, test } from 'vitest';
import { MAX_INSTANT, readTime, writeTime, type Instant } from '../instant.ts';
import { boundBelow, precisionOf, questionAfter } from './bounds.ts';

const at = (text: string): Instant => readTime(text)?.instant ?? 0n;
/** ns */
const LOOKBACK = 300_000_000_000n;

/** The question after a time that is written in its own form, as text. */
function question(time: string, serverTime: string, end: string | null): string {
  const { instant, format } = readTime(time) ?? { instant: 0n, format: null };
  const limits = { serverTime: at(serverTime), end: end === null ? MAX_INSTANT : at(end) };
  return writeTime(questionAfter(instant, limits, precisionOf(LOOKBACK, format)), format);
}

test.each<[time: string, serverTime: string, end: string | null, expected: string, why: string]>([
  [
    '2026-01-02T10:00:30Z',
    '2026-01-02T12:00:00Z',
    null,
    '2026-01-02T09:54:00Z',
    'the lookback, and at least a minute',
  ],
  ['2026-01-02T10:05:00Z', '2026-01-02T12:00:00Z', null, '2026-01-02T09:59:00Z', 'also from a whole minute'],
  ['2026-01-02T14:00:00Z', '2026-01-02T12:00:00Z', null, '2026-01-02T11:54:00Z', 'a clock is ahead'],
  [
    '2026-01-02T10:00:00Z',
    '2026-01-02T12:00:00Z',
    '2026-01-01T00:00:00Z',
    '2025-12-31T23:54:00Z',
    'an end date',
  ],
  ['2026-01-02T10:00:30', '2026-01-02T12:00:00Z', null, '2026-01-02T08:54:00', 'no zone: an hour more'],
  ['2026-01-02', '2026-01-02T12:00:00Z', null, '2026-01-01', 'dates: this day and the one before'],
  ['2026-01-02', '2026-01-02T00:04:00Z', null, '2025-12-31', 'dates, just after midnight'],
  ['2026-01-02', '2026-01-09T00:00:00Z', '2026-01-01', '2025-12-31', 'dates, with an end date'],
  ['2026-01-02T10:00Z', '2026-01-02T12:00:00Z', null, '2026-01-02T09:54Z', 'times to the minute'],
  ['1767348030', '2026-01-02T12:00:00Z', null, '1767347640', 'epochs'],
])('after %s, at %s, up to %s: %s (%s)', (time, serverTime, end, expected, _why) => {
  expect(question(time, serverTime, end)).toBe(expected);
});

test('a question is below a time by at least a granule, and less than two', () => {
  for (const seconds of [0n, 1n, 59n, 60n, 61n]) {
    const time = at('2026-01-02T10:00:00Z') + seconds * 1_000_000_000n;
    const below = time - boundBelow(time, { granule: 60_000_000_000n });
    expect(below >= 60_000_000_000n && below < 120_000_000_000n).toBe(true);
  }
});

/** s */
const margin = (text: string): bigint =>
  precisionOf(LOOKBACK, readTime(text)?.format ?? null).margin / 1_000_000_000n;

test('where times have no zone, rows may be an hour older than the bound', () => {
  expect([margin('2026-01-02T10:00:30Z'), margin('2026-01-02T10:00:30'), margin('2026-01-02')]).toEqual([
    60n,
    3660n,
    86_400n,
  ]);
});

test.each([
  ['2026-01-02T10:00:30Z', 301n],
  ['2026-01-02T10:00Z', 360n],
  ['2026-01-02', 86_400n],
])('in ascending order, rows may be older by the lookback in whole units: %s', (text, tolerance) => {
  const format = readTime(text)?.format ?? null;
  expect(precisionOf(LOOKBACK + 1_000_000_000n, format).tolerance).toBe(tolerance * 1_000_000_000n);
  expect(precisionOf(tolerance * 1_000_000_000n, format).tolerance).toBe(tolerance * 1_000_000_000n);
});
