import { expect, test } from 'vitest';
import { NO_STATE, readModel, turns } from './model-reads.fake.ts';
import { FORMAT, ORDINARY_SERVER, createModelServer } from './model-server.fake.ts';
import { MINUTE, choicesOf } from './model-worlds.fake.ts';

test('a chain goes on until the one ahead of it has all late rows, although its server leaves out the minute of a bound', async () => {
  const [order, cursors, bound] = ['arrival', 'keys', 'later'] as const;
  for (let seed = 1; seed <= 25; seed++) {
    const { between, chance } = choicesOf(seed);
    const lookback = between(1, 5);
    const rows = Array.from({ length: 400 }, (_, id) => {
      const time = between(0, 900);
      const visible = time + (chance(0.5) ? between(0, lookback) : 0);
      return { id, text: `${id}`, created: time, bounded: time, visible, isFar: false };
    });
    const base = {
      ...ORDINARY_SERVER,
      rows,
      order,
      cursors,
      bound,
      boundUnit: MINUTE,
      steps: [0],
      now: 2000,
    };
    const server = createModelServer({ ...base, pageSize: between(2, 6) });
    const limits = { start: undefined, end: undefined, limit: undefined, pageSize: null };
    const tuning = { enough: between(1, 3), jumpOverlaps: 1n, jumpPages: 1n };
    const config = { ...limits, lookback, chains: between(2, 4), format: FORMAT, tuning };
    const emitted = new Set<string>();
    const delay = turns(() => between(0, 6));
    for await (const { texts } of readModel(server, NO_STATE, config, delay))
      for (const text of texts) emitted.add(text);
    expect(rows.filter(({ text }) => !emitted.has(text)).map(({ id }) => `${seed}: ${id}`)).toEqual([]);
  }
});
