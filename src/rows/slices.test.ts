import { expect, test } from 'vitest';
import { rowsOf } from './row.test-support.ts';
import { inTurns, mapInSlices, slicesOf } from './slices.ts';

test.each([0, 1, 8191, 8192, 8193, 20_000])('%i rows are mapped in order', async (length) => {
  const rows = Array.from({ length }, (_, index) => `row ${index}`);
  const mapping = inTurns(
    mapInSlices(rows, (row, index) => [row, index]),
    new AbortController().signal,
  );
  expect(mapping instanceof Promise).toBe(length > 8192);
  expect(await mapping).toStrictEqual(rows.map((row, index) => [row, index]));
});

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
