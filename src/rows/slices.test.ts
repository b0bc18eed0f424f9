import { expect, test } from 'vitest';
import { rowsOf } from './row.test-support.ts';
import { slicesOf } from './slices.ts';

test('slices are limited by their size, and contain each row once', () => {
  const small = rowsOf(Array.from({ length: 1000 }, (_, id) => `{"id":${id}}`));
  expect(slicesOf(small)).toStrictEqual([small]);
  expect(slicesOf([])).toStrictEqual([[]]);
  const fill = 'x'.repeat(3 * 1024 * 1024);
  const large = rowsOf(Array.from({ length: 7 }, (_, id) => `{"id":${id},"fill":"${fill}"}`));
  expect(slicesOf(large).map(({ length }) => length)).toStrictEqual([3, 3, 1]);
  expect(slicesOf(large).flat()).toStrictEqual(large);
  const [huge] = rowsOf([`{${Array.from({ length: 50_000 }, (_, id) => `"f${id}":1`).join(',')}}`]);
  const mixed = [...small, huge as never, ...small];
  expect(slicesOf(mixed)).toStrictEqual([small, [huge], small]);
});
