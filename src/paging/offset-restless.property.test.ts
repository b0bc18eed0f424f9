import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { createMovingList } from './moving-list.fake.ts';
import type { Change, MovingList, MovingListOptions, TotalMode } from './moving-list.fake.ts';
import { ignore, missing, read, repeated, totals, type Outcome } from './offset-read.arbitraries.fake.ts';

/** Far more requests than any of these reads needs: a read that exceeds it would not end. */
const ENDLESS = 20_000;
const NO_END = 'no end';
/** Requests, or rounds of 40 changes, for which a shrinking list stays longer than a page: more than its reads take. */
const REQUESTS = 100;
const CYCLES = 3;

interface Restless {
  /** Requested page size, and maximum page size of the server. */
  readonly limit: number;
  readonly cap: number;
  /** Changes before each request: always the same, or different each time. */
  readonly changes: readonly (readonly Change[])[];
  /** Minimum number of rows: a list so small that all its rows are replaced between two answers cannot be judged. */
  readonly minRows: number;
}

const inserted = (count: number): Change => ({ kind: 'insert', at: 0, count });
const place = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const pageSize = fc.integer({ min: 2, max: 50 });
const cap = fc.oneof(fc.constant(1000), pageSize);
const granted = fc
  .tuple(pageSize, cap)
  .map(([limit, max]) => ({ limit, cap: max, page: Math.min(limit, max) }));

/** The same number of rows is inserted at the head before each request, up to a fifth more than a page. */
const steadyInserts: fc.Arbitrary<Restless> = granted.chain(({ limit, cap: max, page }) =>
  fc
    .integer({ min: 1, max: Math.max(1, Math.floor(page * 1.2)) })
    .map((count) => ({ limit, cap: max, changes: [[inserted(count)]], minRows: 0 })),
);

/** The same numbers of rows are inserted and, at one place, deleted before each request. */
const steadyChanges: fc.Arbitrary<Restless> = granted.chain(({ limit, cap: max, page }) =>
  fc
    .tuple(fc.nat(Math.ceil(page / 4)), fc.integer({ min: 1, max: Math.ceil(page / 4) }), place)
    .map(([come, gone, at]): Restless => ({
      limit,
      cap: max,
      changes: [[inserted(come), { kind: 'delete', at, count: gone }]],
      minRows: page + Math.max(0, gone - come) * REQUESTS,
    })),
);

/**
 * Different numbers of rows are inserted and deleted before each request, up to half a page. (Pages of two rows find the place
 * only by chance, so such reads end, but take long.)
 */
const randomChanges: fc.Arbitrary<Restless> = granted
  .filter(({ page }) => page > 2)
  .chain(({ limit, cap: max, page }) => {
    const some = fc.nat(Math.ceil(page / 4));
    return fc.array(fc.tuple(some, some, place), { minLength: 40, maxLength: 40 }).map((moves) => ({
      limit,
      cap: max,
      changes: moves.map(([come, count, at]): Change[] => [inserted(come), { kind: 'delete', at, count }]),
      minRows:
        page +
        Math.max(
          0,
          moves.reduce((sum, [come, gone]) => sum + gone - come, 0),
        ) *
          CYCLES,
    }));
  });

/** Such a list, with its rows and totals. */
function listOf(restless: fc.Arbitrary<Restless>): fc.Arbitrary<MovingListOptions> {
  return fc
    .tuple(restless, fc.nat(300), fc.constantFrom<TotalMode>(...totals), fc.boolean())
    .map(([{ minRows, ...list }, rows, total, isSlow]) => ({
      ...list,
      rows: minRows + rows,
      total,
      isEndless: true,
      shortBy: [],
      delays: isSlow ? [0, 3, 1, 7] : [],
      tieSize: 1,
    }));
}

/** Its reads stay far from the last covered row for a long time. */
const LAGGING: MovingListOptions = {
  limit: 4,
  cap: 1000,
  changes: [[inserted(3)]],
  rows: 213,
  total: 'pageLength',
  isEndless: true,
  shortBy: [],
  delays: [0, 3, 1, 7],
  tieSize: 1,
};

async function readBounded(list: MovingList, atOnce: number): Promise<Outcome> {
  const bounded: MovingList = {
    ...list,
    fetchPage: (offset, signal) => {
      if (list.requests() >= ENDLESS) throw new Error(`${NO_END} after ${ENDLESS} requests`);
      return list.fetchPage(offset, signal);
    },
  };
  return read(bounded, atOnce, null, Infinity, ignore);
}

describe('a list that moves with every request', () => {
  test.each([
    { name: 'the same number of rows is inserted each time', lists: steadyInserts },
    { name: 'the same numbers are inserted and deleted each time', lists: steadyChanges },
    { name: 'different numbers are inserted and deleted each time', lists: randomChanges },
  ])('is read to its end, with nothing lost or repeated: $name', async ({ lists }) => {
    await fc.assert(
      fc.asyncProperty(listOf(lists), fc.constantFrom(1, 4, 16), async (options, atOnce) => {
        const list = createMovingList(options);
        const { emitted, failed, warnings } = await readBounded(list, atOnce);
        expect(missing(failed ? [] : list.persistent(), emitted)).toStrictEqual([]);
        expect(repeated(emitted)).toStrictEqual([]);
        expect(failed).toBe(false);
        // rows inserted during a pass are not expected
        if (options.total === 'right') expect(warnings).toStrictEqual([]);
      }),
      { numRuns: runs(400) },
    );
  });

  test.each([
    { count: 49, max: 70 },
    { count: 60, max: 70 },
  ])('$count rows before each request, pages of 50: no more requests than needed', async ({ count, max }) => {
    const list = createMovingList({
      ...LAGGING,
      limit: 50,
      rows: 500,
      changes: [[inserted(count)]],
      delays: [],
    });
    const { emitted, failed } = await readBounded(list, 1);
    expect({ failed, lost: missing(list.persistent(), emitted) }).toStrictEqual({
      failed: false,
      lost: [],
    });
    expect(list.requests()).toBeLessThanOrEqual(max);
  });

  test.each([4, 5, 6])(
    '%i rows, pages of 2, one row inserted and one deleted before each request: the read ends',
    async (rows) => {
      const changes = [[inserted(1), { kind: 'delete', at: 0.5, count: 1 } as const]];
      const list = createMovingList({ ...LAGGING, limit: 2, rows, total: 'right', changes, delays: [] });
      const { emitted, failed } = await readBounded(list, 1);
      expect({ failed, lost: missing(list.persistent(), emitted) }).toStrictEqual({
        failed: false,
        lost: [],
      });
    },
  );

  test('nothing is lost where pages are cut short too', async () => {
    const cut = fc.array(fc.nat(3), { minLength: 1, maxLength: 30 });
    const scenario = fc.tuple(listOf(fc.oneof(steadyInserts, steadyChanges, randomChanges)), cut);
    await fc.assert(
      fc.asyncProperty(scenario, fc.constantFrom(1, 4, 16), async ([options, shortBy], atOnce) => {
        const list = createMovingList({ ...options, shortBy });
        // pages of a few rows hardly keep up with such a list: only reads that end can have lost rows
        const outcome = await readBounded(list, atOnce).catch((error: unknown) => {
          if (!String(error).includes(NO_END)) throw error;
          return null;
        });
        const ended = outcome === null || outcome.failed ? [] : list.persistent();
        expect(missing(ended, outcome?.emitted ?? [])).toStrictEqual([]);
        expect(repeated(outcome?.emitted ?? [])).toStrictEqual([]);
      }),
      { numRuns: runs(400), examples: [[[LAGGING, [2, 3, 2, 3, 2, 0, 2, 3, 3, 0]], 4]] },
    );
  });
});
