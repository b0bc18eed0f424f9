import { describe, expect, test } from 'vitest';
import { rowOf } from '../rows/row.test-support.ts';
import type { Row } from '../rows/row.ts';
import {
  createdFieldError,
  keyFieldError,
  keyFields,
  keyProblem,
  timeFields,
  checkFields,
} from './cursor-fields.ts';

const LIST = { name: 'events', place: 'lists[1]' };

function rowsOf(...values: Record<string, unknown>[]): Row[] {
  return values.map(rowOf);
}

const ROWS = rowsOf(
  {
    n: 1,
    alarmId: 'a',
    assetId: 'x',
    raised: '2026-01-01T00:00:00Z',
    seenAt: 1_767_225_600_000,
    cleared: null,
    code: 5,
  },
  {
    n: 2,
    alarmId: 'b',
    assetId: 'x',
    raised: '2026-01-02',
    seenAt: 1_767_225_600_001,
    cleared: '2026-01-03',
    code: 5,
  },
);

test('fields with a plausible time in every row', () => {
  expect(timeFields(ROWS)).toStrictEqual(['raised', 'seenAt']);
  expect(timeFields(rowsOf({ serial: 9_007_199_254_740_991, old: '1900-01-01T00:00:00Z' }))).toStrictEqual(
    [],
  );
  expect(timeFields([])).toStrictEqual([]);
});

test('fields that identify rows, those named like an id first', () => {
  expect(keyFields(ROWS)).toStrictEqual(['alarmId', 'n', 'raised', 'seenAt']);
});

test.each([
  ['alarmId', null],
  ['assetId', 'has the same value in several of 2 rows checked'],
  ['cleared', 'has no string or number in 1 of 2 rows checked'],
  ['toString', 'has no string or number in 2 of 2 rows checked'],
])('%s as a key', (field, problem) => {
  expect(keyProblem(ROWS, field)).toBe(problem);
});

test('an empty text is not a key', () => {
  expect(keyProblem(rowsOf({ id: '' }, { id: 'b' }), 'id')).toBe(
    'has no string or number in 1 of 2 rows checked',
  );
});

describe('the errors suggest other fields', () => {
  test('for the created field', () => {
    expect(createdFieldError(LIST, ROWS, 'createdDate', '').message).toBe(
      'events: no time can be read in "createdDate" (lists[1].created_field) in any row (2 rows checked). Fields with ' +
        'a time in every row: "raised", "seenAt". Set lists[1].created_field to the one with the created time.',
    );
    const none = checkFields(LIST, { created_field: 'createdDate' }, rowsOf({ code: 5 }));
    expect(none).toMatch(/^ok, but for full_refresh only: no row has a readable time .*\(1 row checked\)$/);
  });

  test('for the key', () => {
    expect(keyFieldError(LIST, ROWS, 'assetId', 'is wrong').message).toBe(
      'events: "assetId" (lists[1].id_field) is wrong. Fields that identify rows: "alarmId", "n", "raised", "seenAt". Set ' +
        'lists[1].id_field to the right one, or omit it.',
    );
    expect(keyFieldError(LIST, rowsOf({ a: 1 }, { a: 1 }), 'a', 'is wrong').message).toBe(
      'events: "a" (lists[1].id_field) is wrong. No other field identifies rows either; omit lists[1].id_field.',
    );
  });
});
