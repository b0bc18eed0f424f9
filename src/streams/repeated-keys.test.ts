import { expect, test } from 'vitest';
import { rowOf } from '../rows/row.test-support.ts';
import { repeatedKeyWarning } from './messages/lists.ts';
import { watchRows } from './repeated-keys.ts';

const row = (id: unknown, n: number) => rowOf({ id, n });
const rows = (from: number, count: number) => Array.from({ length: count }, (_, at) => row(from + at, 0));

test('one key with different rows is told once', () => {
  const watch = watchRows('id');
  expect(watch([row('a', 1), row('b', 1), row('', 1), row(null, 2), row('1', 3), row(1, 4)])).toBeNull();
  // a row that is emitted again
  expect(watch([row('a', 1)])).toBeNull();
  expect(watch([row('c', 1), row('a', 2)])).toBe('a');
  expect(watch([row('b', 2)])).toBeNull();
});

test('the first 1,000 rows are watched', () => {
  const [short, long] = [watchRows('id'), watchRows('id')];
  short(rows(0, 990));
  expect(short([row('x', 1), row('x', 2)])).toBe('x');
  long(rows(0, 1_000));
  expect(long([row('x', 1), row('x', 2)])).toBeNull();
});

test('the warning names the key to change, if there is one', () => {
  expect(repeatedKeyWarning('7', 'id', 'One is kept.', 'lists[0]')).toBe(
    'different rows have the value "7" in "id" (lists[0].id_field). One is kept. If they are not versions of one row, "id" does not identify ' +
      'rows: correct lists[0].id_field; check proposes fields.',
  );
  expect(repeatedKeyWarning('7', 'assetId', '', null)).toMatch(/ask the API's provider for unique values\.$/);
});
