import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { StreamState } from '../protocol/messages.ts';
import { NOW, SECOND, longServer } from './alarm-server.arbitraries.fake.ts';
import type { AlarmServerOptions } from './alarm-server.fake.ts';
import { createAlarmServer } from './alarm-server.fake.ts';
import { CONFIG, WHOLE, readOnce } from './alarms-runs.fake.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 2000);
const severalChains = fc.constantFrom(2, 4, 8);

/** s by which half of the rows around the present are older. */
const age = fc.constantFrom(0n, 3000n, 12_000n, 19_990n);

/** Lists in ascending order with one or two clusters, at the present or long before it. */
const clustered: fc.Arbitrary<AlarmServerOptions> = fc
  .tuple(longServer, age, age)
  .map(([options, even, odd]) => ({
    ...options,
    order: 'ascending',
    alarms: options.alarms.map((alarm) => {
      if (alarm.created < NOW - 30n * SECOND) return alarm;
      const older = (alarm.id % 2 === 0 ? even : odd) * SECOND;
      return { ...alarm, created: alarm.created - older, visible: alarm.visible - older };
    }),
  }));

describe('alarms by several chains', () => {
  test('each alarm is emitted once too where the server refuses cursors on the way', async () => {
    const cursorLives = fc.constantFrom(1, 2, 3, 8, 20);
    await fc.assert(
      fc.asyncProperty(clustered, cursorLives, severalChains, async (options, cursorLife, chains) => {
        const api = createAlarmServer({ ...options, cursorLife, staleCursor: 'refuse' });
        const { rows } = await readOnce(api, null, WHOLE, { ...CONFIG, parallel_chains: chains });
        expect(rows.filter((id, index) => rows.indexOf(id) !== index)).toStrictEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('a state whose cursors are too old repeats nothing that left before it, and loses nothing', async () => {
    const killed = fc.record({
      killedAfter: fc.integer({ min: 5, max: 60 }),
      states: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
    });
    const manyKilled = fc.array(killed, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(clustered, manyKilled, severalChains, async (options, planned, chains) => {
        const api = createAlarmServer({
          ...options,
          steps: [],
          cursorLife: Number.POSITIVE_INFINITY,
        });
        const config = { ...CONFIG, parallel_chains: chains };
        let state: StreamState | null = null;
        const covered = new Set<number>();
        const emitted = new Set<number>();
        for (const run of planned) {
          const result = await readOnce(api, state, run, config);
          expect(result.rows.filter((id) => covered.has(id))).toStrictEqual([]);
          for (const id of result.rows.slice(0, result.rowsBeforeState)) covered.add(id);
          for (const id of result.rows) emitted.add(id);
          ({ state } = result);
          // longer than a cursor is worth a try
          api.pass(3700n * SECOND);
        }
        const expected = api.visible();
        const { rows } = await readOnce(api, state, WHOLE, config);
        expect(rows.filter((id) => covered.has(id))).toStrictEqual([]);
        for (const id of rows) emitted.add(id);
        expect(expected.filter((id) => !emitted.has(id))).toStrictEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });
});
