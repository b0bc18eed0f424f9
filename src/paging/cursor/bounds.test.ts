import { describe, expect, test } from 'vitest';
import { readTime, writeTime } from '../instant.ts';
import { precisionOf, readTo, readToEnd, requestedBound } from './bounds.ts';

describe('the bound that is requested', () => {
  test.each([
    ['is a whole minute', '2026-01-01T00:05:59.999Z', '2026-01-01T00:04:00.000Z'],
    ['is a minute earlier if the time is a whole minute', '2026-01-01T00:05:00Z', '2026-01-01T00:04:00Z'],
    ['has the offset of the rows', '2026-01-01T00:05:30+05:30', '2026-01-01T00:04:00+05:30'],
    ['is an hour earlier without a zone', '2026-01-01T02:05:30', '2026-01-01T01:04:00'],
    ['is a day earlier without a time of day', '2026-01-02', '2026-01-01'],
    ['is an epoch if times are', '1767225930', '1767225840'],
  ])('%s', (_, since, bound) => {
    const time = readTime(since);
    expect(time && requestedBound(time.instant, time.format)).toBe(bound);
  });
});

describe('the lower bound of a range, with a lookback of five minutes', () => {
  const LOOKBACK = 300_000_000_000n;
  /** The bounds after the times up to `reached` were returned, by a chain that started at `started`. */
  function boundsOf(reached: string, started: string): readonly string[] {
    const [time, start] = [reached, started].map((text) => readTime(text));
    if (time === undefined || start === undefined) throw new Error('no time');
    const precision = precisionOf(LOOKBACK, 16, time.format);
    const written = (bound: bigint): string => writeTime(bound, time.format);
    return [readTo, readToEnd].map((bound) => written(bound(time.instant, start.instant, precision)));
  }

  test.each([
    [
      'is the lookback before the time reached',
      '2026-01-01T10:00:00Z',
      '2026-01-01T12:00:00Z',
      '2026-01-01T09:55:00Z',
    ],
    [
      'is the lookback before the start of the chain',
      '2026-01-01T12:01:00Z',
      '2026-01-01T12:00:00Z',
      '2026-01-01T11:55:00Z',
    ],
    [
      'is an hour earlier without a zone',
      '2026-01-01T10:00:00',
      '2026-01-01T12:00:00Z',
      '2026-01-01T08:55:00',
    ],
  ])('%s', (_, reached, started, bound) => {
    expect(boundsOf(reached, started)).toStrictEqual([bound, bound]);
  });

  test('is the day before while a chain of dates goes on, and the day itself at its end', () => {
    expect(boundsOf('2026-01-02', '2026-01-02T12:00:00Z')).toStrictEqual(['2026-01-01', '2026-01-02']);
  });
});
