import { expect, test } from 'vitest';
import { readOf, readWhole } from './at-rest.fake.ts';
import { otherOrderFrom } from './drawn-worlds.fake.ts';
import { readOffsetList } from './read.ts';
import type { OffsetPage } from './window.ts';
import { STILL_WORLD, type Change, type World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

type Case = [what: string, world: Partial<World>, mostRequests: number];

const read = (world: Partial<World>) => readWorld({ ...STILL_WORLD, ...world }, 1, readOffsetList);
/** Changes after so many answers. */
const once =
  (changes: Readonly<Record<number, readonly Change[]>>): World['changes'] =>
  (_, answers) =>
    changes[answers] ?? [];
/** Before each answer whose number is a multiple. */
const every =
  (times: number, change: Change): World['changes'] =>
  (_, answers) =>
    answers % times === 0 ? [change] : [];
/** Rows of one instant, sorted by another column. */
const evenFirst = (list: readonly number[]): readonly number[] =>
  [0, 1].flatMap((rest) => list.filter((row) => row % 2 === rest));
/** Each of so many pages is shorter. */
function shorter(times: number, by: number): World['size'] {
  let pages = 0;
  return () => (granted) => (++pages % times === 0 ? granted - by : granted);
}
const onTop: Change = { kind: 'insert', count: 1 };
const long = { rows: 30_000, limit: 500, concurrency: 8, isInOrder: false } as const;
const insertedAtOnce: Change = { kind: 'insert', count: 100 };

test.each<Case>([
  ['rows without a key', { rows: 1000, limit: 5, textOf: (row) => `row ${row}` }, 260],
  ['a window of 10,000, and 9,999 rows', { rows: 9999, limit: 500, server: { window: 10_000 } }, 23],
  [
    'rows inserted by pages at a time',
    {
      rows: 300,
      limit: 20,
      total: 'absent',
      changes: once({ 5: [insertedAtOnce], 12: [insertedAtOnce], 13: [insertedAtOnce] }),
    },
    70,
  ],
  [
    'four requests in flight, no total, and its last page past the end',
    { rows: 400, limit: 100, total: 'absent', concurrency: 4, server: { pastEnd: 'last page' } },
    16,
  ],
  ['eight requests in flight, which are answered in any order', long, 63],
  [
    'a row inserted before each of eight requests in flight, which are answered in any order',
    { ...long, changes: every(1, onTop) },
    79,
  ],
  [
    'five rows inserted before each of eight requests in flight, which are answered in any order',
    { ...long, changes: every(1, { kind: 'insert', count: 5 }) },
    90,
  ],
  [
    'a row deleted before each of eight requests in flight, which are answered in any order',
    { ...long, changes: every(1, { kind: 'delete', count: 1 }) },
    79,
  ],
  [
    'a row deleted at the head before each request, one at a time',
    { rows: 30_000, limit: 500, changes: every(1, { kind: 'delete', count: 1, at: 0 }) },
    69,
  ],
  [
    'every third page 20 rows shorter, eight requests in flight',
    { rows: 4000, limit: 50, concurrency: 8, size: shorter(3, 20) },
    125,
  ],
  [
    'a total that is too small, and a row deleted before each request',
    { rows: 199, limit: 17, total: 'too small', changes: every(1, { kind: 'delete', count: 1, at: 0 }) },
    30,
  ],
])('a list with %s is read exactly', async (_, world, most) => {
  const { code, lost, repeated, requests, refused, outcome, isReordered } = await read(world);
  expect({ code, lost, repeated, rows: outcome?.rows }).toMatchObject({ code: null, lost: 0, repeated: 0 });
  expect(requests).toBeLessThanOrEqual(most);
  expect(isReordered).toBe(false);
  expect(refused).toStrictEqual([]);
});

test.each([
  [995, 1000, 1000, 4],
  [9990, 9990, 10_000, 5],
  [9990, 9991, 10_000, 5],
  [9990, 6000, 10_000, 5],
])('%i rows by %i within a window of %i: a refusal is not the end', async (rows, limit, window, most) => {
  const { code, lost, requests, refused } = await read({ rows, limit, server: { window } });
  expect({ code, lost, refusals: refused.length }).toStrictEqual({ code: null, lost: 0, refusals: 1 });
  expect(requests).toBeLessThanOrEqual(most);
});

test.each([
  [2000, 100],
  [995, 500],
])(
  '%i rows by %i within a window of 1,000, and no total: it is told that the server limits the list',
  async (rows, limit) => {
    const { code, outcome } = await read({ rows, limit, total: 'absent', server: { window: 1000 } });
    const found = Math.min(rows, 1000);
    expect([code, outcome?.rows, outcome?.limitedAt]).toStrictEqual([
      'nothing is shown beyond an offset',
      found,
      found,
    ]);
    expect(outcome?.refusal).toContain('must be at most 1000');
  },
);

test.each([3, 4, 6])(
  'pages of two, and a row inserted before each request in %i: the list is read',
  async (times) => {
    for (const rows of [2, 5, 60, 200]) {
      const { code, lost } = await read({ rows, limit: 2, changes: every(times, onTop) });
      expect({ rows, code, lost }).toStrictEqual({ rows, code: null, lost: 0 });
    }
  },
);

test.each([3, 10, 100, 1000])(
  'a list to whose end a row is added with each request (pages of %i) is read to an end',
  async (limit) => {
    const world: Partial<World> = {
      rows: 2 * limit,
      limit,
      orderAt: (list) => list.toReversed(),
      changes: every(1, onTop),
    };
    const { code, lost, requests } = await read(world);
    expect({ code, lost }).toStrictEqual({ code: null, lost: 0 });
    expect(requests).toBeLessThan(250);
  },
);

test.each([10_000, 12_000])('a window of 10,000, and %i rows: the read fails', async (rows) => {
  const { code } = await read({ rows, limit: 500, server: { window: 10_000 } });
  expect(code).toBe('nothing is shown beyond an offset');
});

test.each([3, 7, 10])('400 rows, of which 1 in %i is left out after the cut: it is told', async (each) => {
  for (const limit of [50, 100]) {
    const leavesOut = (row: number): boolean => row % each === 0;
    const { code, lost, outcome } = await read({ rows: 400, limit, leavesOut });
    expect([code, lost, outcome?.cutsPages]).toStrictEqual(['rows are missing', 0, true]);
  }
});

/** Of a list of 400 rows by 100. */
async function clampedPage(offset: number): Promise<OffsetPage<number>> {
  const from = Math.min(offset, 300);
  return { rows: Array.from({ length: 100 }, (_, index) => from + index), total: 400, bytes: 0, limit: 100 };
}

test('a server that shows its last full page for each later offset is read', async () => {
  const { emitted, outcome } = await readWhole(readOf(clampedPage));
  expect([emitted.length, outcome.stop, outcome.limitedAt]).toStrictEqual([400, null, null]);
});

test.each([
  { offsets: 'rounded down', total: 'right' },
  { offsets: 'rounded down', total: 'absent' },
  { offsets: 'refused', total: 'right' },
  { offsets: 'refused', total: 'absent' },
] as const)('1,234 rows by multiples of the limit, $offsets otherwise, total $total', async (server) => {
  const { offsets, total } = server;
  for (const concurrency of [1, 4, 8]) {
    const world = { rows: 1234, limit: 100, total, concurrency, server: { offsets } };
    const { code, lost, requests, outcome } = await read(world);
    expect({ code, lost, rows: outcome?.rows }).toStrictEqual({ code: null, lost: 0, rows: 1234 });
    expect(requests).toBeLessThanOrEqual(total === 'right' ? 17 : 20);
  }
});

test.each(['rounded down', 'refused'] as const)(
  'a killed read of a list whose offsets are %s goes on where it was',
  async (offsets) => {
    const world: Partial<World> = { rows: 600, limit: 50, kills: [8], server: { offsets } };
    const { code, lost, repeated, notices, resumed, requests } = await read(world);
    expect({ code, lost, repeated, notices, resumed }).toStrictEqual({
      code: null,
      lost: 0,
      repeated: 0,
      notices: [],
      resumed: 1,
    });
    expect(requests).toBeLessThanOrEqual(30);
  },
);

test('pages too small to overlap at multiples of the limit are said to be so', async () => {
  const { code, lost } = await read({ rows: 1000, limit: 8, server: { offsets: 'rounded down' } });
  expect({ code, lost }).toStrictEqual({ code: 'multiples of small pages', lost: 0 });
});

test('rows that are left out of pages after they were cut are missing, and the pages end early', async () => {
  const { code, outcome } = await read({ rows: 300, limit: 50, leavesOut: (row) => row % 50 < row % 7 });
  expect({ code, cutsPages: outcome?.cutsPages }).toStrictEqual({
    code: 'rows are missing',
    cutsPages: true,
  });
});

test('a total that counts the lines of a join is reached, and the lines are counted', async () => {
  // 100 rows, 130 lines
  const { code, lost, outcome } = await read({
    rows: 100,
    limit: 20,
    copiesOf: (row) => (row % 10 < 3 ? 1 : 0),
  });
  expect({ code, lost, rows: outcome?.rows, lines: outcome?.repeatedLines }).toStrictEqual({
    code: null,
    lost: 0,
    rows: 100,
    lines: 30,
  });
});

test('a list with repeated lines that lacks rows is not complete', async () => {
  const { code } = await read({
    rows: 100,
    limit: 20,
    total: { plus: 1 },
    copiesOf: (row) => (row % 10 < 3 ? 1 : 0),
  });
  expect(code).toBe('rows are missing');
});

test.each<[what: string, world: Partial<World>]>([
  [
    '650 of 1,300 rows of one instant come in another order from offset 650 on, and there is no total',
    {
      rows: 1300,
      limit: 100,
      total: 'absent',
      orderAt: otherOrderFrom(650, (row) => Math.max(row, 650), 1),
    },
  ],
  [
    '30 rows of one instant come in another order, and 12 rows that were read are deleted',
    {
      rows: 330,
      limit: 100,
      orderAt: otherOrderFrom(190, (row) => (row >= 120 && row < 150 ? 120 : row), 1),
      changes: once({ 3: [{ kind: 'delete', count: 12, at: 0 }] }),
    },
  ],
  [
    'rows of one instant come sorted by another column',
    { rows: 700, limit: 100, total: 'absent', orderAt: (list, at) => (at < 400 ? list : evenFirst(list)) },
  ],
])('a complete read says that the order changed: %s', async (_, world) => {
  const { code, lost, isReordered } = await read(world);
  expect({ code, isReordered }).toStrictEqual({ code: null, isReordered: true });
  expect(lost).toBeGreaterThan(0);
});
