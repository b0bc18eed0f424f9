import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isConnectorError } from '../errors.ts';
import { createMovingList, identifyNumber } from './moving-list.fake.ts';
import type { Change, MovingList, MovingListOptions, TotalMode } from './moving-list.fake.ts';
import { readOffsetList } from './offset-read.ts';
import type { OffsetPass } from './offset-read.ts';
import type { OffsetPosition } from './offset-place.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 2000);

const totals: TotalMode[] = ['right', 'absent', 'zero', 'small', 'large', 'pageLength', 'reached'];
const place = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true }));
const insertAtHead: fc.Arbitrary<Change> = fc.constant({ kind: 'insert', at: 0, count: 1 });
const insertAnywhere: fc.Arbitrary<Change> = place.map((at) => ({ kind: 'insert', at, count: 1 }));
const deletion: fc.Arbitrary<Change> = fc
  .tuple(
    place,
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 25 }) },
    ),
  )
  .map(([at, count]) => ({ kind: 'delete', at, count }));

function optionsWith(change: fc.Arbitrary<Change>): fc.Arbitrary<MovingListOptions> {
  return fc.record({
    rows: fc.integer({ min: 0, max: 45 }),
    changes: fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 30, size: 'max' }),
    limit: fc.integer({ min: 2, max: 9 }),
    cap: fc.oneof(
      { weight: 3, arbitrary: fc.constant(1000) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 9 }) },
    ),
    total: fc.constantFrom(...totals),
    shortBy: fc.oneof(fc.constant([]), fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 })),
    delays: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }),
    tieSize: fc.constant(1),
  });
}

const concurrency = fc.integer({ min: 1, max: 16 });
const anything = fc.oneof(insertAtHead, insertAnywhere, deletion);

interface Outcome {
  readonly emitted: number[];
  readonly warnings: string[];
  readonly positions: { readonly position: OffsetPosition; readonly emittedBefore: number }[];
  /** The list gave up as too restless: an honest failure. */
  readonly failed: boolean;
}

async function read(
  list: MovingList,
  atOnce: number,
  from: OffsetPosition | null,
  batchesAtMost: number,
  onBatch: (pass: OffsetPass) => void,
): Promise<Outcome> {
  const outcome = {
    emitted: [] as number[],
    warnings: [] as string[],
    positions: [] as Outcome['positions'],
    failed: false,
  };
  let batches = 0;
  try {
    const batchesOf = readOffsetList<number>({
      fetchPage: list.fetchPage,
      identify: identifyNumber,
      concurrency: atOnce,
      from,
      warn: async (words) => {
        outcome.warnings.push(words);
      },
      signal: new AbortController().signal,
    });
    for await (const { pass, rows, position } of batchesOf) {
      onBatch(pass);
      outcome.emitted.push(...rows);
      if (position !== null) outcome.positions.push({ position, emittedBefore: outcome.emitted.length });
      if (++batches >= batchesAtMost) break;
    }
  } catch (error) {
    if (!isConnectorError(error, 'LIST_UNSTABLE')) throw error;
    outcome.failed = true;
  }
  return outcome;
}

const ignore = (): void => undefined;

/** A long list in which whole pages of rows go and come between two requests. */
const upheaval: fc.Arbitrary<MovingListOptions> = fc.record({
  rows: fc.integer({ min: 60, max: 260 }),
  changes: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(upheavals(), { minLength: 1, maxLength: 2 }).map((some) => some.flat()),
      },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
  limit: fc.integer({ min: 8, max: 40 }),
  cap: fc.constant(1000),
  total: fc.constantFrom<TotalMode>('right', 'absent'),
  shortBy: fc.constant([]),
  delays: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }),
  tieSize: fc.constant(1),
});

function upheavals(): fc.Arbitrary<Change[]> {
  const many = fc.integer({ min: 10, max: 110 });
  const gone = fc.tuple(place, many).map(([at, count]): Change => ({ kind: 'delete', at, count }));
  const come = many.map((count): Change => ({ kind: 'insert', at: 0, count }));
  return fc.oneof(
    fc.tuple(gone, come),
    come.map((one) => [one]),
    gone.map((one) => [one]),
  );
}

function missing(expected: readonly number[], emitted: readonly number[]): number[] {
  const got = new Set(emitted);
  return expected.filter((row) => !got.has(row));
}

function repeated(emitted: readonly number[]): number[] {
  return emitted.filter((row, index) => emitted.indexOf(row) !== index);
}

/** The reader that everybody writes first: on by the page size, until a page is short or empty. */
async function plainRead(
  list: MovingList,
  limit: number,
  ends: (rows: number) => boolean,
): Promise<number[]> {
  const emitted: number[] = [];
  for (let offset = 0; ; offset += limit) {
    const { rows } = await list.fetchPage(offset, new AbortController().signal);
    emitted.push(...rows);
    if (ends(rows.length)) return emitted;
  }
}

describe('a list that moves while it is read', () => {
  test('P1, P2, P4: every row that exists throughout is emitted, exactly once, at any concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(optionsWith(anything), concurrency, async (options, atOnce) => {
        const list = createMovingList(options);
        const { emitted, failed } = await read(list, atOnce, null, Infinity, ignore);
        expect(failed).toBe(false);
        expect(missing(list.persistent(), emitted)).toStrictEqual([]);
        expect(repeated(emitted)).toStrictEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('P3: with inserts at the head only, whatever is alive from the end of the scan on is emitted too', async () => {
    await fc.assert(
      fc.asyncProperty(
        optionsWith(fc.oneof(insertAtHead, deletion)),
        concurrency,
        async (options, atOnce) => {
          const list = createMovingList(options);
          let mark = 0;
          const watched: MovingList = {
            ...list,
            fetchPage: async (offset, signal) => {
              const page = await list.fetchPage(offset, signal);
              if (offset === 0) mark = list.mark();
              return page;
            },
          };
          // the head pass begins with the last answer at offset 0 before its first batch
          let begin: number | null = null;
          const { emitted, failed } = await read(watched, atOnce, null, Infinity, (pass) => {
            if (pass === 'head') begin ??= mark;
          });
          expect(failed).toBe(false);
          expect(missing(list.aliveSince(begin ?? 0), emitted)).toStrictEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('P5: where rows of equal age change places, nothing is lost without a warning that says so', async () => {
    const shuffled = optionsWith(anything).chain((options) =>
      fc
        .integer({ min: 2, max: 5 })
        .map((tieSize) => ({ ...options, tieSize, total: 'right' as const, changes: [] })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, concurrency, async (options, atOnce) => {
        const list = createMovingList(options);
        const { emitted, warnings, failed } = await read(list, atOnce, null, Infinity, ignore);
        const lost = missing(list.persistent(), emitted).length;
        expect(lost === 0 || warnings.length > 0 || failed).toBe(true);
        expect(repeated(emitted)).toStrictEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    { name: 'killed again and again', lists: optionsWith(anything) },
    { name: 'killed while whole pages of rows go and come', lists: upheaval },
  ])('resume: $name, nothing is lost, and nothing repeated that a state covers', async ({ lists }) => {
    const scenario = fc.record({
      options: lists,
      atOnce: concurrency,
      stops: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
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
          // where every row that marked the head or the place is deleted, repeating is the safe answer, and said
          if (warnings.length > 0) covered.clear();
          expect(emitted.filter((row) => covered.has(row))).toStrictEqual([]);
          const saved = positions.at(-1);
          for (const row of emitted.slice(0, saved?.emittedBefore ?? 0)) covered.add(row);
          from = saved?.position ?? from;
        }
        expect(missing(list.persistent(), [...all])).toStrictEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('resume: what came in at the head meanwhile is emitted too', async () => {
    const scenario = fc.record({
      options: optionsWith(insertAtHead),
      atOnce: concurrency,
      stops: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
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
      { numRuns: RUNS },
    );
  });

  test('never more requests in flight than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(optionsWith(anything), concurrency, async (options, atOnce) => {
        const list = createMovingList(options);
        await read(list, atOnce, null, Infinity, ignore);
        expect(list.mostInFlight()).toBeLessThanOrEqual(atOnce);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a quiet list', () => {
  test('P6: costs at most one request more than its tied pages, and one for the head', async () => {
    const sizes = fc.record({
      rows: fc.integer({ min: 2, max: 300 }),
      limit: fc.integer({ min: 2, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(sizes, concurrency, async ({ rows, limit }, atOnce) => {
        const list = createMovingList({
          rows,
          limit,
          cap: 1000,
          changes: [],
          total: 'right',
          shortBy: [],
          delays: [],
          tieSize: 1,
        });
        const { emitted } = await read(list, atOnce, null, Infinity, ignore);
        expect(emitted).toStrictEqual(list.present());
        expect(list.requests()).toBeLessThanOrEqual(Math.ceil((rows - 1) / (limit - 1)) + 2);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the properties bite', () => {
  test.each([
    { name: 'a short page', ends: (limit: number) => (rows: number) => rows < limit },
    { name: 'an empty page', ends: () => (rows: number) => rows === 0 },
  ])('a plain offset reader that ends on $name loses rows and doubles others', async ({ ends }) => {
    const found = async (wrong: (list: MovingList, emitted: number[]) => boolean): Promise<boolean> => {
      const property = fc.asyncProperty(optionsWith(anything), async (options) => {
        const list = createMovingList(options);
        expect(wrong(list, await plainRead(list, options.limit, ends(options.limit)))).toBe(false);
      });
      return (await fc.check(property, { numRuns: 1000, endOnFailure: true })).failed;
    };
    expect(await found((list, emitted) => missing(list.persistent(), emitted).length > 0)).toBe(true);
    expect(await found((_, emitted) => repeated(emitted).length > 0)).toBe(true);
  });
});
