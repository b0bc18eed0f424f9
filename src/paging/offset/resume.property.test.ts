import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.test-support.ts';
import { STILL, createMovingList } from './moving-list.fake.ts';
import type { OffsetPosition } from './place.ts';
import {
  anything,
  concurrency,
  ignore,
  insertAtHead,
  missing,
  optionsWith,
  read,
  upheaval,
} from './arbitraries.fake.ts';

/** A list that grows fast and then stops: the reader must not assume that it grows forever. */
const CALM_AT_LAST = {
  options: {
    ...STILL,
    rows: 0,
    changes: [0, 2, 1, 0, 3, 0, 0, 0, 3, 3, 3, 2, 3, 4, 0, 3, 4, 4, 4].map((count) =>
      Array.from({ length: count }, () => ({ kind: 'insert', at: 0, count: 1 }) as const),
    ),
    limit: 2,
    total: 'what was shown',
  } as const,
  atOnce: 1,
  stops: [6],
};

/** The batches after which each read but the last is killed. */
const killedAfter = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });

describe('a read that is resumed', () => {
  test.each([
    { name: 'killed repeatedly', lists: optionsWith(anything) },
    { name: 'killed while whole pages of rows are deleted and inserted', lists: upheaval },
  ])('$name: nothing is lost, and nothing that a state covers is repeated', async ({ lists }) => {
    const scenario = fc.record({
      options: lists,
      atOnce: concurrency,
      stops: killedAfter,
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ options, atOnce, stops }) => {
        const list = createMovingList(options);
        const covered = new Set<number>();
        const all = new Set<number>();
        let from: OffsetPosition | null = null;
        for (const stopAfter of [...stops, Infinity]) {
          const { emitted, positions, warnings, failed } = await read(list, atOnce, from, stopAfter, ignore);
          expect(failed).toBe(false);
          for (const row of emitted) all.add(row);
          // if every row that marks the head or the place is deleted, rows are repeated after a warning
          if (warnings.length > 0) covered.clear();
          expect(emitted.filter((row) => covered.has(row))).toStrictEqual([]);
          const saved = positions.at(-1);
          for (const row of emitted.slice(0, saved?.emittedBefore ?? 0)) covered.add(row);
          from = saved?.position ?? from;
        }
        expect(missing(list.persistent(), [...all])).toStrictEqual([]);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('rows inserted at the head in between are emitted too', async () => {
    const scenario = fc.record({
      options: optionsWith(insertAtHead),
      atOnce: concurrency,
      stops: killedAfter,
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ options, atOnce, stops }) => {
        const list = createMovingList(options);
        const all = new Set<number>();
        let from: OffsetPosition | null = null;
        for (const stopAfter of stops) {
          const { emitted, positions } = await read(list, atOnce, from, stopAfter, ignore);
          for (const row of emitted) all.add(row);
          from = positions.at(-1)?.position ?? from;
        }
        const before = [...list.present()];
        for (const row of (await read(list, atOnce, from, Infinity, ignore)).emitted) all.add(row);
        expect(missing(before, [...all])).toStrictEqual([]);
      }),
      { numRuns: runs(2000), examples: [[CALM_AT_LAST]] },
    );
  });
});
