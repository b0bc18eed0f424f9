import { expect, test } from 'vitest';
import { readOffsetList } from './offset/read.ts';
import { readOf } from './offset/moving-list.fake.ts';

const PAGE = 50_000;
/** The maximum number of rows between two turns of the event loop: signals are handled between them. */
const MAX_ROWS = 20_000;

/** Counts rows between turns of the event loop while a list is read to its end. */
async function maxRowsPerTurn(read: (countRow: () => void) => AsyncIterable<unknown>): Promise<number> {
  let rows = 0;
  let max = 0;
  let isOver = false;
  const turn = (): void => {
    rows = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const count = (): void => {
    rows++;
    max = Math.max(max, rows);
  };
  let batches = 0;
  for await (const _ of read(count)) batches++;
  isOver = true;
  expect(batches).toBeGreaterThan(2);
  return max;
}

const offsetList = (signal: AbortSignal, onRow: () => void) =>
  readOffsetList<number>({
    ...readOf(async (offset) => {
      const length = Math.min(PAGE, 2 * PAGE - offset);
      const rows = Array.from({ length }, (_, index) => offset + index);
      return { rows, total: 2 * PAGE, bytes: 0 };
    }),
    keyOf: (row) => {
      onRow();
      return String(row);
    },
    signal,
  });

test('identifying rows yields within a large page', async () => {
  const { signal } = new AbortController();
  const max = await maxRowsPerTurn((countRow) => offsetList(signal, countRow));
  expect(max).toBeGreaterThan(1000);
  expect(max).toBeLessThan(MAX_ROWS);
});

test('an abort takes effect within a large page', async () => {
  const controller = new AbortController();
  let rows = 0;
  const onRow = (): void => {
    rows++;
    // as a signal does: in the next turn of the event loop
    if (rows === 1) setImmediate(() => controller.abort(new Error('told to stop')));
  };
  await expect(offsetList(controller.signal, onRow).next()).rejects.toThrow('told to stop');
  expect(rows).toBeLessThan(MAX_ROWS);
});
