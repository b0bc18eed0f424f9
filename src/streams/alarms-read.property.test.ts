import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTime } from '../paging/instant.ts';
import { runs } from '../property-runs.test-support.ts';
import type { StreamState } from '../protocol/messages.ts';
import { createAlarmServer, type AlarmServer } from './alarm-server.fake.ts';
import { LOOKBACK_SECONDS, NOW, SECOND, longServer, server } from './alarm-server.arbitraries.fake.ts';
import { CONFIG, WHOLE, readOnce, type Result, type Run } from './alarms-runs.fake.ts';

/** Fewer than usual: the simulation covers the same reads. */
const PART = 1 / 80;

const killedRuns = fc.array(
  fc.record({
    killedAfter: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    states: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
  }),
  { maxLength: 5 },
);

/** Number of parallel chains. */
const atOnce = fc.constantFrom(1, 1, 2, 4);

/** Several consecutive reads, each from the previous state, and a last one that is complete. */
async function readAll(
  api: AlarmServer,
  planned: readonly Run[],
  chains: number,
): Promise<{ results: Result[]; expected: readonly number[] }> {
  const results: Result[] = [];
  let state: StreamState | null = null;
  for (const run of planned) {
    const result = await readOnce(api, state, run, { ...CONFIG, parallel_chains: chains });
    results.push(result);
    state = result.state;
  }
  api.keepCursors();
  const expected = api.visible();
  results.push(await readOnce(api, state, WHOLE, { ...CONFIG, parallel_chains: chains }));
  return { results, expected };
}

function missing(expected: readonly number[], results: readonly Result[]): number[] {
  const got = new Set(results.flatMap(({ rows }) => rows));
  return expected.filter((id) => !got.has(id));
}

describe('alarms over several reads', () => {
  test('P7: every row visible at the start of the last complete read has been emitted, despite crashes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(server, longServer), killedRuns, atOnce, async (options, planned, chains) => {
        const { results, expected } = await readAll(createAlarmServer(options), planned, chains);
        expect(results.at(-1)?.complete).toBe(true);
        expect(missing(expected, results)).toStrictEqual([]);
      }),
      { numRuns: runs(2000, PART) },
    );
  });

  test('a read resumed with several chains finds rows that have arrived in the meantime', async () => {
    const killed = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(longServer, killed, fc.constantFrom(1, 2, 4), async (options, killedAfter, chains) => {
        // no rows just before now, so that the last range is finished early
        const alarms = options.alarms.filter(
          ({ created }) => created < NOW - 2000n * SECOND || created > NOW,
        );
        const api = createAlarmServer({ ...options, alarms, cursorLife: Number.POSITIVE_INFINITY });
        const first = await readOnce(
          api,
          null,
          { killedAfter, states: [true] },
          { ...CONFIG, parallel_chains: 4 },
        );
        api.pass(300n * SECOND);
        const expected = api.visible();
        const next = await readOnce(api, first.state, WHOLE, { ...CONFIG, parallel_chains: chains });
        expect(missing(expected, [first, next])).toStrictEqual([]);
      }),
      { numRuns: runs(2000, PART) },
    );
  });

  test('without crashes, each alarm is emitted exactly once, whatever the order, the bound and the time format', async () => {
    const quiet = fc.array(fc.constant(WHOLE), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(server, longServer), quiet, atOnce, async (options, planned, chains) => {
        const { results, expected } = await readAll(
          createAlarmServer({ ...options, cursorLife: Number.POSITIVE_INFINITY }),
          planned,
          // several chains rely on ascending order: without it they repeat rows after a warning
          options.order === 'ascending' ? chains : 1,
        );
        const all = results.flatMap(({ rows }) => rows);
        expect(all.filter((id, index) => all.indexOf(id) !== index)).toStrictEqual([]);
        expect(missing(expected, results)).toStrictEqual([]);
      }),
      { numRuns: runs(2000, PART) },
    );
  });

  test('after a crash, no row of an ascending list that was written before the last state is repeated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(server, longServer), killedRuns, atOnce, async (options, planned, chains) => {
        const api = createAlarmServer({
          ...options,
          order: 'ascending',
          cursorLife: Number.POSITIVE_INFINITY,
        });
        const { results } = await readAll(api, planned, chains);
        const covered = new Set<number>();
        for (const { rows, rowsBeforeState } of results) {
          expect(rows.filter((id) => covered.has(id))).toStrictEqual([]);
          for (const id of rows.slice(0, rowsBeforeState)) covered.add(id);
        }
      }),
      { numRuns: runs(2000, PART) },
    );
  });

  test('P8: the question never moves back, and stays at least the lookback before the time of the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(server, longServer), killedRuns, atOnce, async (options, planned, chains) => {
        const api = createAlarmServer(options);
        let state: StreamState | null = null;
        let before: bigint | undefined;
        for (const run of [...planned, WHOLE]) {
          const result = await readOnce(api, state, run, { ...CONFIG, parallel_chains: chains });
          state = result.state;
          const text = state?.['created_since'];
          const since = typeof text === 'string' ? readTime(text)?.instant : undefined;
          if (before !== undefined && result.complete) expect((since ?? 0n) >= before).toBe(true);
          if (since !== undefined) expect(since <= api.now() - BigInt(LOOKBACK_SECONDS) * SECOND).toBe(true);
          if (result.complete) before = since;
        }
      }),
      { numRuns: runs(2000, PART) },
    );
  });

  test('P9: the kind of bound does not change which rows are emitted', async () => {
    const bounds = [
      { bound: 'inclusive', precision: 1n },
      { bound: 'exclusive', precision: 1n },
      { bound: 'exclusive', precision: 60n * SECOND },
    ] as const;
    await fc.assert(
      fc.asyncProperty(server, fc.integer({ min: 1, max: 4 }), async (options, reads) => {
        const emitted = bounds.map(async (bound) => {
          // the clock must not depend on the number of requests
          const api = createAlarmServer({
            ...options,
            ...bound,
            steps: [],
            cursorLife: Number.POSITIVE_INFINITY,
          });
          const { results } = await readAll(
            api,
            Array.from({ length: reads }, () => WHOLE),
            1,
          );
          return results.flatMap(({ rows }) => rows).toSorted((a, b) => a - b);
        });
        const [first, ...others] = await Promise.all(emitted);
        for (const other of others) expect(other).toStrictEqual(first);
      }),
      { numRuns: runs(667, PART) },
    );
  });

  test('P10: several chains emit the same rows as one, in any interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(longServer, fc.integer({ min: 2, max: 8 }), async (options, chains) => {
        const emitted = [1, chains].map(async (count) => {
          const api = createAlarmServer({
            ...options,
            order: 'ascending',
            steps: [],
            cursorLife: Number.POSITIVE_INFINITY,
          });
          const { results } = await readAll(api, [WHOLE], count);
          return {
            rows: results.flatMap(({ rows }) => rows).toSorted((a, b) => a - b),
            since: results.at(-1)?.state?.['created_since'],
          };
        });
        const [one, several] = await Promise.all(emitted);
        expect(several).toStrictEqual(one);
      }),
      { numRuns: runs(2000, PART) },
    );
  });
});
