import { expect, test } from 'vitest';
import { NO_STATE, readModel, turns } from './model-reads.fake.ts';
import { FORMAT, ORDINARY_SERVER, createModelServer, evenRows } from './model-server.fake.ts';
import { choicesOf } from './model-worlds.fake.ts';

const ROWS = evenRows(600, 3);

test('chains whose cursors are refused and whose pages fail now and then lose and repeat nothing, whichever of them is given up', async () => {
  let restarts = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const { between } = choicesOf(seed);
    const server = createModelServer({
      ...ORDINARY_SERVER,
      rows: ROWS,
      order: 'ascending',
      pageSize: between(3, 8),
      cursors: 'keys',
      steps: [0],
      now: 3 * ROWS.length,
      refusals: between(2, 10),
      outages: between(0, 10),
      maxRequests: Infinity,
    });
    const config = {
      start: undefined,
      end: undefined,
      limit: undefined,
      lookback: 5,
      chains: between(2, 8),
      pageSize: null,
      format: FORMAT,
      tuning: {},
    };
    const delay = turns(() => between(0, 4));
    const emitted: string[] = [];
    for await (const { texts, said } of readModel(server, NO_STATE, config, delay)) {
      emitted.push(...texts);
      restarts += said.filter((event) => event === 'asked again').length;
    }
    expect(emitted.map(Number).toSorted((a, b) => a - b)).toStrictEqual(ROWS.map(({ id }) => id));
  }
  expect(restarts).toBeGreaterThan(100);
});
