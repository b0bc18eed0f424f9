import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.test-support.ts';
import { STILL, createMovingList } from './moving-list.fake.ts';
import type { Change, MovingList, MovingListOptions, TotalMode } from './moving-list.fake.ts';
import { ignore, missing, read, repeated, totals, type Outcome } from './arbitraries.fake.ts';

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
const pageSize = fc.integer({ min: 8, max: 50 });
const cap = fc.oneof(fc.constant(1000), pageSize);
const granted = fc
  .tuple(pageSize, cap)
  .map(([limit, max]) => ({ limit, cap: max, page: Math.min(limit, max) }));

/** The same number of rows is inserted at the head before each request, up to a quarter of a page. */
const steadyInserts: fc.Arbitrary<Restless> = granted.chain(({ limit, cap: max, page }) =>
  fc
    .integer({ min: 1, max: Math.max(1, page >> 2) })
    .map((count) => ({ limit, cap: max, changes: [[inserted(count)]], minRows: 0 })),
);

/** The same numbers of rows are inserted and, at one place, deleted before each request. */
const steadyChanges: fc.Arbitrary<Restless> = granted.chain(({ limit, cap: max, page }) =>
  fc
    .tuple(fc.nat(page >> 3), fc.integer({ min: 1, max: page >> 3 }), place)
    .map(([come, gone, at]): Restless => ({
      limit,
      cap: max,
      changes: [[inserted(come), { kind: 'delete', at, count: gone }]],
      minRows: page + Math.max(0, gone - come) * REQUESTS,
    })),
);

/**
 * Different numbers of rows are inserted and deleted before each request, up to a quarter of a page.
 */
const randomChanges: fc.Arbitrary<Restless> = granted
  .filter(({ page }) => page > 2)
  .chain(({ limit, cap: max, page }) => {
    const some = fc.nat(page >> 3);
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
      ...STILL,
      ...list,
      rows: minRows + rows,
      total,
      isEndless: true,
      delays: isSlow ? [0, 3, 1, 7] : [],
    }));
}

/** Its reads stay far from the last covered row for a long time. */
const LAGGING: MovingListOptions = {
  ...STILL,
  limit: 4,
  changes: [[inserted(3)]],
  rows: 213,
  total: 'length of the page',
  isEndless: true,
  delays: [0, 3, 1, 7],
};

async function readBounded(list: MovingList, atOnce: number): Promise<Outcome> {
  const bounded: MovingList = {
    ...list,
    fetchPage: (offset, limit, signal) => {
      if (list.requests() >= ENDLESS) throw new Error(`${NO_END} after ${ENDLESS} requests`);
      return list.fetchPage(offset, limit, signal);
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

  test.each([3, 4, 6])(
    'pages of two, a row inserted before every request in %i: the list is read',
    async (every) => {
      for (const rows of [2, 5, 60, 300]) {
        const changes = Array.from({ length: every }, (_, request) => (request === 0 ? [inserted(1)] : []));
        const list = createMovingList({ ...LAGGING, limit: 2, rows, total: 'right', changes, delays: [] });
        const { emitted, failed } = await readBounded(list, 1);
        expect(failed).toBe(false);
        expect(missing(list.persistent(), emitted)).toStrictEqual([]);
      }
    },
  );

  test('pages of two, a row inserted before each request: nothing is lost, or the read fails', async () => {
    for (const rows of [2, 4, 5, 6, 60]) {
      const list = createMovingList({ ...LAGGING, limit: 2, rows, total: 'right', changes: [[inserted(1)]] });
      const { emitted, failed } = await readBounded(list, 1);
      expect(missing(failed ? [] : list.persistent(), emitted)).toStrictEqual([]);
    }
  });

  test.each([
    { what: 'none', changes: [], max: 203 },
    { what: 'one inserted', changes: [[inserted(1)]], max: 253 },
    { what: 'one deleted', changes: [[{ kind: 'delete', at: 0.5, count: 1 } as const]], max: 253 },
    { what: 'five inserted', changes: [[inserted(5)]], max: 265 },
  ])('100,000 rows by 500, eight at once, rows changed by each request: $what', async ({ changes, max }) => {
    const options = {
      ...LAGGING,
      rows: 100_000,
      limit: 500,
      total: 'right',
      delays: [3, 1, 4, 1, 5, 9, 2, 6],
    } as const;
    const list = createMovingList({ ...options, changes });
    const { emitted, failed } = await readBounded(list, 8);
    expect(failed).toBe(false);
    expect(emitted.length).toBeGreaterThanOrEqual(99_000);
    expect(list.requests()).toBeLessThanOrEqual(max);
  });

  test('pages that are cut short do not make those requested ahead useless', async () => {
    const options = {
      ...LAGGING,
      rows: 4000,
      limit: 50,
      total: 'right',
      changes: [],
      shortBy: [0, 0, 20],
    } as const;
    const list = createMovingList(options);
    const { failed } = await readBounded(list, 8);
    expect(failed).toBe(false);
    expect(list.requests()).toBeLessThanOrEqual(125);
  });

  test('an empty page past the end is not followed by the last rows of a total that is too small', async () => {
    const changes = [[{ kind: 'delete', at: 0, count: 1 }]] as const;
    const list = createMovingList({
      ...STILL,
      limit: 17,
      rows: 199,
      changes,
      total: 'too small',
      isEndless: true,
    });
    const { emitted, failed } = await readBounded(list, 1);
    expect(failed).toBe(false);
    expect(missing(list.persistent(), emitted)).toStrictEqual([]);
  });

  test.each(['first page', 'last page'] as const)(
    'past the end, its %s is shown: the total says where to look for the end, so that hardly any such read fails',
    async (pastEnd) => {
      const numRuns = runs(500);
      let failures = 0;
      const now = fc.nat(100).map((percent) => percent < 45);
      const change = fc.tuple(now, fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }));
      const changes = fc
        .array(change, { minLength: 40, maxLength: 40 })
        .map((drawn) =>
          drawn.map(([comes, percent, at]): Change[] => [
            ...(comes ? [inserted(1 + (percent % 2))] : []),
            ...(percent < 25 ? [{ kind: 'delete' as const, at, count: 1 }] : []),
          ]),
        );
      const scenario = fc.record({
        limit: fc.integer({ min: 4, max: 10 }),
        rows: fc.integer({ min: 5, max: 60 }),
        changes,
      });
      await fc.assert(
        fc.asyncProperty(scenario, async (drawn) => {
          const list = createMovingList({ ...STILL, ...drawn, isEndless: true, pastEnd });
          const { emitted, failed } = await readBounded(list, 1);
          failures += Number(failed);
          expect(missing(failed ? [] : list.persistent(), emitted)).toStrictEqual([]);
        }),
        { numRuns },
      );
      expect(failures / numRuns).toBeLessThan(0.01);
    },
  );

  test('nothing is lost where pages are cut short too', async () => {
    const cut = fc.array(fc.nat(3), { minLength: 1, maxLength: 30 });
    const scenario = fc.tuple(listOf(fc.oneof(steadyInserts, steadyChanges, randomChanges)), cut);
    await fc.assert(
      fc.asyncProperty(scenario, fc.constantFrom(1, 4, 16), async ([options, shortBy], atOnce) => {
        const list = createMovingList({ ...options, shortBy });
        // pages of a few rows hardly keep up with such a list: it fails, or knows that rows are missing
        const { emitted, failed, warnings } = await readBounded(list, atOnce);
        const isTold = failed || warnings.some((words) => / of \d+ rows$/.test(words));
        expect(missing(isTold ? [] : list.persistent(), emitted)).toStrictEqual([]);
        expect(repeated(emitted)).toStrictEqual([]);
      }),
      { numRuns: runs(400), examples: [[[LAGGING, [2, 3, 2, 3, 2, 0, 2, 3, 3, 0]], 4]] },
    );
  });
});

/** Requests of a read of `rows` rows by `limit` while one row is inserted before every `every`th request, and far more rows are stated. */
async function requestsOf(rows: number, limit: number, every: number, atOnce: number) {
  const changes = Array.from({ length: every }, (_, request) => (request === 0 ? [inserted(1)] : []));
  const list = createMovingList({ ...LAGGING, rows, limit, changes, total: 'right', delays: [] });
  const overstated: MovingList = {
    ...list,
    fetchPage: async (offset, asked, signal) => ({
      ...(await list.fetchPage(offset, asked, signal)),
      total: 1_000_000,
    }),
  };
  const { emitted, failed } = await readBounded(overstated, atOnce);
  expect(repeated(emitted)).toStrictEqual([]);
  if (!failed) expect(missing(list.persistent(), emitted)).toStrictEqual([]);
  return list.requests();
}

test('a list that grows while it is read, and states far more rows than it has, is read in bounded time', async () => {
  for (const limit of [2, 3, 4, 8])
    for (const rows of [10, 40])
      for (const every of [1, 2, 3])
        for (const atOnce of [1, 4]) {
          const most = 300 + (20 * rows) / (limit - 1);
          expect(await requestsOf(rows, limit, every, atOnce), `${rows} by ${limit}`).toBeLessThan(30 * most);
        }
});
