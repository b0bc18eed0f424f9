import { expect, test } from 'vitest';
import { compareRows } from './compare-rows.ts';

async function* rows(from: number, to: number): AsyncGenerator<string> {
  for (let row = from; row < to; row += 1) yield `{"row":${row}}`;
}

test.each([
  ['each row once, in any order', [3, 1, 2], 1, 4, 1, 4, {}],
  ['rows that may be there or not', [1, 2, 3], 2, 3, 0, 5, {}],
  ['rows that are not there', [3], 1, 4, 1, 4, { lost: 2, examples: ['{"row":1}', '{"row":2}'] }],
  ['rows that are there twice and thrice', [1, 1, 2, 2, 2], 1, 3, 1, 3, { doubled: 3 }],
  ['rows that nobody has', [1, 2, 3.5], 1, 3, 1, 3, { strange: 1, examples: ['{"row":3.5}'] }],
])('%s', async (_, emitted, from, to, least, most, expected) => {
  const texts = emitted.map((row) => `{"row":${row}}`);
  const found = await compareRows(texts, rows(from, to), rows(least, most));
  expect(found).toMatchObject({ lost: 0, doubled: 0, strange: 0, ...expected });
});
