import { describe, expect, test } from 'vitest';
import { minTimes, timeKeywords } from './time-keywords.ts';

const withZone = { format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
const withoutZone = { airbyte_type: 'timestamp_without_timezone' };

const z = '2025-01-31T10:00:00Z';
const offset = '2025-01-31T10:00:00.123456+02:00';
const local = '2025-01-31T10:00:00.5';
const times = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('time keywords', () => {
  test.each([
    ['Z', times(20, z), withZone],
    ['offsets', times(20, offset), withZone],
    ['Z and offsets', [...times(10, z), ...times(10, offset)], withZone],
    ['leap day and leap second', [...times(19, '2024-02-29T00:00:00Z'), '2016-12-31T23:59:60Z'], withZone],
    ['no zone', times(20, local), withoutZone],
    ['zones and none', [...times(20, z), local], {}],
    ['none and zones', [...times(20, local), z], {}],
    ['19 with a zone', times(19, z), {}],
    ['19 without', times(19, local), {}],
    ['one odd text', [...times(100, z), 'n/a'], {}],
    ['one empty text', [...times(100, local), ''], {}],
    ['one day that does not exist', [...times(20, z), '2025-02-29T10:00:00Z'], {}],
    ['dates', times(20, '2025-01-31'), {}],
    ['digits', times(20, '20250131100000'), {}],
    ['nothing', [], {}],
  ])('%s', (_, texts, keywords) => {
    expect(timeKeywords(texts)).toStrictEqual(keywords);
  });

  test('twenty times are enough', () => {
    expect(minTimes).toBe(20);
  });
});
