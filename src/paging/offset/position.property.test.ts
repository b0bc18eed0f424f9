import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.test-support.ts';
import { readOffsetList } from './read.ts';
import { createMovingList, readMovingList, readOf, type MovingList } from './moving-list.fake.ts';
import { anything, concurrency, ignore, missing, optionsWith, read, upheaval } from './arbitraries.fake.ts';
import { placeIn, type OffsetPosition } from './place.ts';
import type { FetchOffsetPage } from './window.ts';

interface Offer {
  readonly position: () => OffsetPosition;
  readonly atOnce: OffsetPosition;
  /** Rows emitted with it and before it. */
  readonly emittedBefore: number;
}

/** A whole read, and each of its positions. */
async function readAll(list: MovingList, atOnce: number): Promise<{ emitted: number[]; offers: Offer[] }> {
  const emitted: number[] = [];
  const offers: Offer[] = [];
  const batches = readMovingList(list, atOnce, null, async () => undefined);
  for await (const { rows, state: position } of batches) {
    emitted.push(...rows);
    if (position !== null) offers.push({ position, atOnce: position(), emittedBefore: emitted.length });
  }
  return { emitted, offers };
}

describe('a position', () => {
  test.each([
    { name: 'while rows are inserted and deleted', lists: optionsWith(anything) },
    { name: 'while whole pages of rows are inserted and deleted', lists: upheaval },
  ])('is the same whether written now or at the end, $name', async ({ lists }) => {
    await fc.assert(
      fc.asyncProperty(lists, concurrency, async (options, atOnce) => {
        const { offers } = await readAll(createMovingList(options), atOnce);
        for (const offer of offers) expect(offer.position()).toStrictEqual(offer.atOnce);
      }),
      { numRuns: runs(1000) },
    );
  });

  test.each([
    { name: 'rows are inserted and deleted', lists: optionsWith(anything) },
    { name: 'whole pages of rows are inserted and deleted', lists: upheaval },
  ])('resumes a read that was cut at any row, while $name', async ({ lists }) => {
    const scenario = fc.record({ options: lists, first: concurrency, second: concurrency, cut: fc.nat() });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ options, first, second, cut }) => {
        const list = createMovingList(options);
        const { emitted, offers } = await readAll(list, first);
        const left = emitted.slice(0, cut % (emitted.length + 1));
        // in the middle of a batch the position of the previous batch counts
        const from = offers.findLast(({ emittedBefore }) => emittedBefore <= left.length)?.position() ?? null;
        const resumed = await read(list, second, from, Infinity, ignore);
        expect(missing(list.persistent(), [...left, ...resumed.emitted])).toStrictEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** Pages of a list of 200 rows that has moved down by some rows. */
const pageAt =
  (shift: number): FetchOffsetPage<number> =>
  async (offset) => {
    const rows = Array.from({ length: 20 }, (_, index) => offset + index - shift);
    return { rows: rows.filter((row) => row < 200), total: undefined, bytes: 0 };
  };

test.each([-40, -9, 0, 9, 40])(
  'after the list has moved by %i rows its place is found again, and nothing is repeated',
  async (moved) => {
    let position: OffsetPosition | null = null;
    for await (const { state } of readOffsetList(readOf(pageAt(0)))) {
      position = state?.() ?? position;
      if ((position?.rows ?? 0) > 100) break;
    }
    const emitted: number[] = [];
    const resumed = readOffsetList({ ...readOf(pageAt(moved)), from: position });
    for await (const { rows, pass } of resumed) if (pass === 'scan') emitted.push(...rows);
    expect(emitted).toStrictEqual(
      Array.from({ length: 200 - (position?.rows ?? 0) }, (_, row) => row + (position?.rows ?? 0)),
    );
  },
);

test.each([
  { what: 'two anchors', rows: [9, 3, 4, 10], place: 1 },
  { what: 'the last anchor first', rows: [5, 9, 10], place: 0 },
  { what: 'a single anchor, which may be another row with its key', rows: [9, 5, 10], place: -1 },
  { what: 'a single anchor first', rows: [3, 9, 10], place: -1 },
  { what: 'none', rows: [9, 10], place: -1 },
  { what: 'no row', rows: [], place: -1 },
])('a page shows the place by $what: $place', ({ rows, place }) => {
  expect(placeIn(rows, new Set([3, 4, 5]), 5)).toBe(place);
});
