import { expect, test } from 'vitest';
import { NO_DELAY, NO_STATE, readModel, type ModelState } from './model-reads.fake.ts';
import { FORMAT, ORDINARY_SERVER, createModelServer, evenRows } from './model-server.fake.ts';

const ROWS = evenRows(300, 1);

test.each([
  [2, 1],
  [9, 1],
  [9, 2],
])(
  'a list, newest first, that grows by %i rows per request of %i, seems to ascend: nothing is lost',
  async (growth, pageSize) => {
    const server = createModelServer({
      ...ORDINARY_SERVER,
      rows: ROWS,
      order: 'descending',
      pageSize,
      cursors: 'row numbers',
      steps: [growth],
      now: 100,
    });
    const limits = { start: undefined, limit: undefined, lookback: 5, chains: 8 };
    const config = { ...limits, pageSize: null, format: FORMAT, tuning: {} };
    const emitted = new Set<string>();
    let state: ModelState = NO_STATE;
    for (const end of [90, undefined]) {
      for await (const batch of readModel(server, state, { ...config, end }, NO_DELAY)) {
        for (const text of batch.texts) emitted.add(text);
        state = batch.state();
      }
      server.options.steps = [0];
    }
    expect(server.visible().filter(({ text }) => !emitted.has(text))).toEqual([]);
  },
);
