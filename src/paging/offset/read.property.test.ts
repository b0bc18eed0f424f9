import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.test-support.ts';
import { STILL, createMovingList, type MovingList } from './moving-list.fake.ts';
import {
  anything,
  concurrency,
  deletion,
  ignore,
  isCalm,
  insertAtHead,
  missing,
  optionsWith,
  read,
  repeated,
} from './arbitraries.fake.ts';

/** The naive reader: advances by the page size until a page is short or empty. */
async function plainRead(
  list: MovingList,
  limit: number,
  ends: (rows: number) => boolean,
): Promise<number[]> {
  const emitted: number[] = [];
  for (let offset = 0; ; offset += limit) {
    const { rows } = await list.fetchPage(offset, limit, new AbortController().signal);
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
        if (isCalm(options)) expect(failed).toBe(false);
        if (failed) return;
        expect(missing(list.persistent(), emitted)).toStrictEqual([]);
        expect(repeated(emitted)).toStrictEqual([]);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('a wrong total that agrees by chance, after another row each time, is not the end', async () => {
    const come = { kind: 'insert', at: 0, count: 1 } as const;
    const gone = { kind: 'delete', at: 0, count: 1 } as const;
    const list = createMovingList({
      ...STILL,
      rows: 14,
      changes: [
        [gone, gone],
        [gone, gone],
        [],
        [come, come, come],
        [come],
        [come, come, come],
        [come, come],
        [come, come],
        [come],
      ],
      limit: 6,
      cap: 6,
      total: 'too small',
      shortBy: [3, 0, 0, 0, 1, 3, 0, 3, 4],
    });
    const { emitted } = await read(list, 1, null, Infinity, ignore);
    expect(missing(list.persistent(), emitted)).toStrictEqual([]);
  });

  test('P3: with inserts at the head only, rows that exist from the end of the scan on are emitted too', async () => {
    await fc.assert(
      fc.asyncProperty(
        optionsWith(fc.oneof(insertAtHead, deletion)),
        concurrency,
        async (options, atOnce) => {
          const list = createMovingList(options);
          const marks: number[] = [];
          const watched: MovingList = {
            ...list,
            fetchPage: async (offset, limit, signal) => {
              const page = await list.fetchPage(offset, limit, signal);
              if (offset === 0) marks.push(list.mark());
              return page;
            },
          };
          // the head pass begins with the last page at offset 0 before its first batch
          let begin: number | undefined;
          const { emitted, failed } = await read(watched, atOnce, null, Infinity, (pass) => {
            if (pass === 'head') begin ??= marks.at(-1);
          });
          if (isCalm(options)) expect(failed).toBe(false);
          if (failed) return;
          expect(missing(list.aliveSince(begin ?? marks[0] ?? 0), emitted)).toStrictEqual([]);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  test('P5: if rows of equal age change places, nothing is lost without a warning', async () => {
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
      { numRuns: runs(2000) },
    );
  });

  test('never more requests in flight than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(optionsWith(anything), concurrency, async (options, atOnce) => {
        const list = createMovingList(options);
        await read(list, atOnce, null, Infinity, ignore);
        expect(list.maxInFlight()).toBeLessThanOrEqual(atOnce);
      }),
      { numRuns: runs(500) },
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
        const list = createMovingList({ ...STILL, rows, limit });
        const { emitted } = await read(list, atOnce, null, Infinity, ignore);
        expect(emitted).toStrictEqual(list.present());
        expect(list.requests()).toBeLessThanOrEqual(Math.ceil((rows - 1) / (limit - 1)) + 2);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('the properties detect faults', () => {
  test.each([
    { name: 'a short page', ends: (limit: number) => (rows: number) => rows < limit },
    { name: 'an empty page', ends: () => (rows: number) => rows === 0 },
  ])('a plain offset reader that ends on $name loses rows and repeats others', async ({ ends }) => {
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
