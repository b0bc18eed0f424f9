import { expect, test } from 'vitest';
import { rowOf } from '../../rows/row.test-support.ts';
import type { Row } from '../../rows/row.ts';
import { createdFieldError, timeFields } from './cursor-fields.ts';

const LIST = { name: 'events', place: 'lists[1]' };

function rowsOf(...values: Record<string, unknown>[]): Row[] {
  return values.map(rowOf);
}

const ROWS = rowsOf(
  { n: 1, closedAt: '2026-02-01', raised: '2026-01-01T00:00:00Z', created: 1_767_225_600_000, cleared: null },
  { n: 2, closedAt: '2026-02-01', raised: '2026-01-02', created: 1_767_225_600_001, cleared: '2026-01-03' },
);

test('fields with a plausible time in every row, those named like the created time first', () => {
  expect(timeFields(ROWS)).toStrictEqual(['created', 'raised', 'closedAt']);
  const numbers = { serial: 9_007_199_254_740_991, old: '1900-01-01T00:00:00Z' };
  expect(timeFields(rowsOf(numbers))).toStrictEqual([]);
  expect(timeFields([])).toStrictEqual([]);
});

const CURE =
  'Fields with a time in every row: "created", "raised", "closedAt". Set lists[1].created_field to the one with the created time.';

test.each<[field: string, problem: string]>([
  ['createdDate', 'is not a field of the 2 rows checked'],
  [
    'times.created',
    'is a path, and paths into nested values are not supported: only a top-level field can be used',
  ],
  ['n', 'has no readable time in any of 2 rows checked: its values, such as 1, are no times'],
])('the error for a created field that %s', (field, problem) => {
  expect(createdFieldError(LIST, ROWS, field, '').message).toBe(
    `events: "${field}" (lists[1].created_field) ${problem}. ${CURE}`,
  );
});

test.each<[value: unknown, words: RegExp]>([
  [
    null,
    /has no readable time in any of 1 row checked: its values, such as null, are no times\. No other field/,
  ],
  [[2026, 1, 6, 10, 0], /: its values, such as \[2026,1,6,10,0\], are no times\./],
  [{ $date: '2026-01-06T10:00:00Z' }, /such as \{"\$date":"2026-01-06T10:00:00Z"\}, are no times/],
  ['x'.repeat(99), /such as "x{59}…, are no times/],
  [
    638_843_004_000_000_000,
    /such as 638843004000000000, seem to be ticks of \.NET, which are not supported\. No other field/,
  ],
  [
    '260601123000',
    /such as "260601123000", seem to be times in other digits than yyyyMMddHHmmss, which are not/,
  ],
  [2_026_152_063_000, /such as 2026152063000, seem to be times in other digits than/],
  ['Tue, 06 Jan 2026 10:00:00 GMT', /seem to be HTTP dates/],
])('a created field whose value is %j', (value, words) => {
  expect(createdFieldError(LIST, rowsOf({ created: value }), 'created', '').message).toMatch(words);
});
