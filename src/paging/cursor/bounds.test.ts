import { describe, expect, test } from 'vitest';
import { readTime } from '../instant.ts';
import { requestedBound } from './bounds.ts';

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
