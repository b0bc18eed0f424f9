import { expect, test } from 'vitest';
import { NO_DELAY, NO_STATE, readModel, type ModelState } from './model-reads.fake.ts';
import { FORMAT, ORDINARY_SERVER, createModelServer, evenRows, instantAt } from './model-server.fake.ts';

const ROWS = evenRows(200, 3);
const [order, cursors] = ['ascending', 'keys'] as const;

/** Reads what is visible at a time, in units. Returns what was said, and the state. */
async function readAt(now: number, from: ModelState, start: number | undefined) {
  const server = createModelServer({
    ...ORDINARY_SERVER,
    rows: ROWS.map((row) => ({ ...row, visible: row.bounded })),
    order,
    cursors,
    pageSize: 5,
    steps: [0],
    now,
  });
  const limits = { end: undefined, limit: undefined, lookback: 5, chains: 1, pageSize: null };
  const said: string[] = [];
  let state = from;
  for await (const batch of readModel(
    server,
    from,
    { ...limits, start, format: FORMAT, tuning: {} },
    NO_DELAY,
  )) {
    said.push(...batch.said);
    state = batch.state();
  }
  return { said, state };
}

test('what a start date leaves out of a question is kept in the state, until an earlier one asks for it', async () => {
  // a first read leaves out of nothing
  expect((await readAt(300, NO_STATE, 100)).state.leftOut).toBe(null);
  const first = await readAt(300, NO_STATE, undefined);
  const question = 288;
  expect(first.state.question).toBe(instantAt(question));
  const same = await readAt(400, first.state, question);
  expect([same.said, same.state.leftOut]).toEqual([[], null]);
  const later = await readAt(400, first.state, question + 1);
  const leftOut = { since: instantAt(question), until: instantAt(question + 1) };
  expect([later.said, later.state.leftOut]).toEqual([[], leftOut]);
  const kept = await readAt(500, later.state, question + 1);
  expect([kept.said, kept.state.leftOut]).toEqual([[], leftOut]);
  const earlier = await readAt(500, kept.state, question);
  expect([earlier.said, earlier.state.leftOut]).toEqual([['left out asked'], null]);
});
