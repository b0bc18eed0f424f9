import { expect, test } from 'vitest';
import { fingerprint } from '../identities.ts';
import { pagesOf, readOf, readWhole } from './at-rest.fake.ts';
import { numberedPage } from './numbered-page.test-support.ts';
import { extendMarks, placeIn, type Marks, type OffsetPosition } from './place.ts';
import { readOffsetList } from './read.ts';
import type { FetchOffsetPage } from './window.ts';

/** Pages of a list of 200 rows that has moved down by some rows. */
const pageAt =
  (shift: number): FetchOffsetPage<number> =>
  async (offset) => {
    const rows = Array.from({ length: 20 }, (_, index) => offset + index - shift);
    return { rows: rows.filter((row) => row < 200), total: undefined, bytes: 0 };
  };

test.each([
  [-40, 100],
  [-9, 100],
  [0, 100],
  [9, 100],
  [40, 100],
  [15, 10],
])(
  'after the list has moved by %i rows its place behind %i is found again, and nothing is repeated',
  async (moved, behind) => {
    let position: OffsetPosition | null = null;
    for await (const { state } of readOffsetList(readOf(pageAt(0)))) {
      position = state?.() ?? position;
      if ((position?.rows ?? 0) > behind) break;
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

test('a read whose place is gone says so, and starts over', async () => {
  const gone = ['a', 'b'].map(fingerprint);
  const from = { offset: 100, anchors: gone, head: gone, rows: 100 };
  const kinds: string[] = [];
  const notify = async ({ kind }: { readonly kind: string }): Promise<void> => void kinds.push(kind);
  const { emitted, outcome } = await readWhole({ ...readOf(pageAt(0)), from, notify });
  expect(emitted).toStrictEqual(Array.from({ length: 200 }, (_, row) => row));
  expect([outcome.rows, kinds]).toStrictEqual([200, ['the place is gone']]);
});

test.each([2, 3])(
  'a place on the last page is found where pages of %d show it at any offset',
  async (limit) => {
    const list = Array.from({ length: 68 }, (_, row) => `row ${row}`);
    const [head, anchors] = [list.slice(0, 32), list.slice(-32)].map((rows) => rows.map(fingerprint));
    const from = { offset: 77, anchors: anchors ?? [], head: head ?? [], rows: 68 };
    const shown = pagesOf(list, limit, { pastEnd: 'last page' });
    const { emitted, outcome } = await readWhole({ ...readOf(async (offset) => shown(offset)), from });
    expect([emitted, outcome.stop, outcome.limitedAt]).toStrictEqual([[], null, null]);
  },
);

test('marks are the first and the last 32 rows, however they come', () => {
  const marks: Marks = { head: [], anchors: [] };
  const shown = [];
  for (const [from, count] of [
    [0, 20],
    [20, 20],
    [40, 50],
  ] as const) {
    const indexes = [...Array(count).keys()];
    const identities = indexes.map((index) => from + index);
    extendMarks(marks, numberedPage(from, identities, count), indexes);
    shown.push([marks.head[0], marks.head.at(-1), marks.anchors[0], marks.anchors.at(-1)]);
  }
  expect(shown).toEqual([
    [0, 19, 0, 19],
    [0, 31, 8, 39],
    [0, 31, 58, 89],
  ]);
  const before = marks.anchors;
  extendMarks(marks, numberedPage(90, [], 0), []);
  expect(marks.anchors).toBe(before);
});
