import { describe, expect, test } from 'vitest';
import { MINUTE } from '../instant.ts';
import type { CursorStart } from './list.ts';
import { beginReading, unreturnedIn } from './reading.ts';
import { readBy } from './reading.test-support.ts';
import {
  FORMAT,
  ORDINARY_SERVER,
  createModelServer,
  instantAt,
  rowsAt,
  type ModelRow,
} from './model-server.fake.ts';
import { NO_DELAY, NO_STATE, readModel, type ModelBatch, type ModelState } from './model-reads.fake.ts';
import { secondOf } from './known.ts';

describe('rows of a state that its question must return again, if none came', () => {
  const question = instantAt(0);
  const readAt = question + 10n * MINUTE;
  const rowAt = (minutes: number, seconds: number) => {
    return { print: BigInt(minutes), second: secondOf(question) + 60 * minutes + seconds };
  };
  // servers may leave out what was created in the minute of a bound
  const seen = [rowAt(0, 59), rowAt(1, 0), rowAt(1, 1), rowAt(9, 59), rowAt(10, 0)];
  const from: CursorStart = { ...readBy(1).from, question, readAt, format: FORMAT, seen };

  test.each<[number, string, Partial<ReturnType<typeof readBy>>]>([
    [2, 'those between the minute of the question and the last finished read', { from }],
    [1, 'up to the end date', { from, end: readAt - MINUTE }],
    [2, 'a start date that is not later changes nothing', { from, start: question }],
    [0, 'none if a later start date was asked for', { from, start: question + 1n }],
    [0, 'none without a finished read', { from: { ...from, readAt: null } }],
  ])('%i: %s', (count, _, changes) => {
    const read = { ...readBy(1), ...changes };
    const reading = beginReading(read);
    expect(unreturnedIn(reading, read)).toBe(count);
    reading.awaited = new Set();
    expect(unreturnedIn(reading, read)).toBe(0);
  });
});

test('a row is an answer by its second, too: its text may differ in each response', async () => {
  const [order, cursors] = ['ascending', 'keys'] as const;
  const base = { ...ORDINARY_SERVER, order, cursors, pageSize: 5, steps: [0], now: 400 };
  const limits = { start: undefined, end: undefined, limit: undefined, lookback: 5, chains: 1 };
  const config = { ...limits, pageSize: null, format: FORMAT, tuning: {} };
  const readRows = async (rows: readonly ModelRow[], from: ModelState) => {
    const server = createModelServer({ ...base, rows });
    let last: ModelBatch | null = null;
    for await (const batch of readModel(server, from, config, NO_DELAY)) last = batch;
    return { said: last?.said, state: { ...(last?.state() ?? NO_STATE) } };
  };
  const rows = rowsAt([100, 200, 300]);
  const { state } = await readRows(rows, NO_STATE);
  const changed = rows.map((row) => ({ ...row, text: `changed ${row.text}` }));
  expect((await readRows(changed, state)).said).toEqual([]);
  expect((await readRows(changed.slice(0, 2), state)).said).toEqual(['unreturned']);
});
