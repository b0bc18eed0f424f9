import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong, runs } from '../../property-runs.test-support.ts';
import type { OffsetPage } from './window.ts';
import type { OffsetPosition } from './place.ts';
import type { OffsetOutcome } from './outcome.ts';
import { readOffsetList } from './read.ts';
import { pagesOf, readOf } from './at-rest.fake.ts';

const LIMIT = 10;
const WITHOUT_TOTAL = { members: {} };
const rowsFrom = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

interface ShortRead {
  readonly outcome: OffsetOutcome<number>;
  readonly emitted: readonly number[];
  readonly warnings: readonly string[];
  /** The last position. */
  readonly position: OffsetPosition | null;
}

type PageAt = (offset: number, request: number) => OffsetPage<number>;

/** Begins to read a list whose pages the test provides, from a position or from the start. */
function begin(pageAt: PageAt, from: OffsetPosition | null, warnings: string[]) {
  let requests = 0;
  return readOffsetList<number>({
    ...readOf(async (offset) => pageAt(offset, ++requests)),
    from,
    notify: async ({ kind }) => void warnings.push(kind),
  });
}

async function readAll(pageAt: PageAt, from: OffsetPosition | null): Promise<ShortRead> {
  const emitted: number[] = [];
  const warnings: string[] = [];
  let position: OffsetPosition | null = null;
  const batches = begin(pageAt, from, warnings);
  let next = await batches.next();
  for (; next.done !== true; next = await batches.next()) {
    emitted.push(...next.value.rows);
    position = next.value.state?.() ?? position;
  }
  return { outcome: next.value, emitted, warnings, position };
}

/** Pages of some rows, with a total. */
const listOf = (rows: readonly number[], total: number | null) =>
  pagesOf(rows, LIMIT, {
    members: { totalCount: total === null ? 'absent' : { plus: total - rows.length } },
  });

/** Pages of a list of which only `depth` rows are shown. */
const limitedTo = (depth: number, rows: readonly number[]) => pagesOf(rows, LIMIT, { depth });

test.each([
  { rows: 0, total: 0, expected: 0 },
  { rows: 0, total: 3000, expected: 3000 },
  { rows: 95, total: 40, expected: 40 },
  { rows: 95, total: null, expected: 0 },
])(
  'a list of $rows rows that states $total is expected to have $expected',
  async ({ rows, total, expected }) => {
    const { outcome, emitted } = await readAll(listOf(rowsFrom(0, rows), total), null);
    expect(emitted).toStrictEqual(rowsFrom(0, rows));
    const isFar = (total ?? 0) >= rows + LIMIT && rows > LIMIT;
    expect(outcome).toMatchObject({ rows, expected, maxTotal: total, limitedAt: isFar ? rows : null });
  },
);

test('rows deleted during the last pass are not expected', async () => {
  // the list has 30 rows of which 3 are hidden until the end of the second pass, when they are deleted
  const hidden = new Set([4, 14, 24]);
  const shown = rowsFrom(0, 30).filter((row) => !hidden.has(row));
  const { outcome } = await readAll((offset, request) => listOf(shown, request < 7 ? 30 : 27)(offset), null);
  expect(outcome).toMatchObject({ rows: 27, expected: 27 });
});

test('rows that share a key count as one', async () => {
  const { outcome, emitted } = await readAll(listOf([...rowsFrom(0, 20), 19, 19], 22), null);
  expect(emitted).toStrictEqual(rowsFrom(0, 20));
  expect(outcome).toMatchObject({ rows: 20, expected: 22 });
});

test('a short resumed read counts only the rows that it finds again', async () => {
  const shown = rowsFrom(0, 90);
  const first = await readAll(listOf(shown, 95), null);
  expect(first.outcome).toMatchObject({ rows: 90, expected: 95 });
  const second = await readAll(listOf(shown, 95), first.position);
  expect(second.warnings).toStrictEqual(['read again']);
  expect(second.outcome).toMatchObject({ rows: 90, expected: 95 });
  // the rows of the interrupted read count if the list is as long as it states
  const third = await readAll(listOf(rowsFrom(0, 95), 95), first.position);
  expect(third.outcome).toMatchObject({ rows: 95, expected: 95 });
  expect([third.emitted, third.warnings]).toStrictEqual([rowsFrom(90, 95), []]);
});

test('a read that resumes near the end may read the whole list again more than once', async () => {
  const rows = rowsFrom(0, 3000);
  const hidden = new Set([100, 1500, 2900]);
  const shown = rows.filter((row) => !hidden.has(row));
  const first = await readAll(listOf(shown, 3000), null);
  const pageAt: PageAt = (offset, request) => listOf(request < 400 ? shown : rows, 3000)(offset);
  const { outcome, emitted } = await readAll(pageAt, first.position);
  expect(outcome).toMatchObject({ rows: 3000, expected: 3000 });
  expect(new Set(emitted)).toStrictEqual(new Set(rows));
});

test('a resumed read counts each row once, although it reads the list again', async () => {
  const shown = [...rowsFrom(0, 90), ...Array.from({ length: 5 }, () => 89)];
  const first = await readAll(listOf(shown, 95), null);
  const second = await readAll(listOf(shown, 95), first.position);
  expect(second.outcome).toMatchObject({ rows: 90, expected: 95 });
});

test('a list with missing rows is read again, and may turn out to be limited', async () => {
  const { outcome } = await readAll(listOf(rowsFrom(0, 95), 100), null);
  expect(outcome).toMatchObject({ rows: 95, expected: 100, limitedAt: null, passes: 2 });
  const limited = await readAll(limitedTo(95, rowsFrom(0, 300)), null);
  expect(limited.outcome).toMatchObject({ rows: 95, expected: 300, limitedAt: 95, passes: 2 });
});

test.each([
  { total: 95, found: { expected: 95, limitedAt: null, passes: 1, isTotalSteady: true } },
  { total: 100, found: { expected: 100, limitedAt: null, passes: 2 } },
  { total: 300, found: { expected: 300, limitedAt: 95, passes: 2 } },
])(
  'a total of zero on empty pages does not hide that a list states $total rows',
  async ({ total, found }) => {
    const kind = { depth: 95, members: { totalCount: 'zero on empty pages' } } as const;
    const { outcome } = await readAll(pagesOf(rowsFrom(0, total), LIMIT, kind), null);
    expect(outcome).toMatchObject({ rows: 95, ...found });
  },
);

test('a list that hides more than a page is limited, even if as many rows were deleted', async () => {
  const { outcome } = await readAll(
    (offset, request) => limitedTo(25, rowsFrom(request <= 3 ? 0 : 20, 60))(offset),
    null,
  );
  expect(outcome).toMatchObject({ expected: 40, limitedAt: 25 });
});

test('a list that is emptied while it is read is not short', async () => {
  for (let calm = 1; calm <= 6; calm++)
    for (let stale = 0; stale <= 12; stale++) {
      const pageAt = (offset: number, request: number): OffsetPage<number> =>
        listOf(request <= calm ? rowsFrom(0, 12) : [], request <= calm + stale ? 12 : 0)(offset);
      const { outcome, emitted } = await readAll(pageAt, null);
      if (outcome.expected === 0)
        expect({ calm, stale, rows: outcome.rows }).toEqual({ calm, stale, rows: emitted.length });
    }
});

test('totals that lag behind deletions do not fail a read, as long as a later pass sees other totals', async () => {
  for (let rows = 12; rows <= 40; rows += 7)
    for (let deletions = 1; deletions < rows; deletions++)
      for (let lag = 1; lag <= (isLong ? 4 : 1); lag++) {
        // before each request the row in the middle is deleted, as long as deletions are left
        const sizeAt = (request: number): number => rows - Math.min(deletions, Math.max(0, request - 1));
        const pageAt: PageAt = (offset, request) => {
          const present = rowsFrom(0, rows);
          while (present.length > sizeAt(request)) present.splice(present.length >> 1, 1);
          return listOf(present, sizeAt(request - lag))(offset);
        };
        const { outcome } = await readAll(pageAt, null);
        const missing = Math.max(0, outcome.expected - outcome.rows);
        expect({ rows, deletions, lag, missing }).toStrictEqual({ rows, deletions, lag, missing: 0 });
      }
});

test('of the totals of a pass, the smallest one decides whether rows are hidden after the last one', async () => {
  for (const rows of [2, 14, 15, 19, 20, 25])
    for (let from = 1; from <= 8; from++)
      for (const count of [1, 2]) {
        const totalAt = (request: number): number =>
          request >= from && request < from + count ? rows + 1 : rows;
        const pageAt: PageAt = (offset, request) => listOf(rowsFrom(0, rows), totalAt(request))(offset);
        const { outcome, emitted } = await readAll(pageAt, null);
        expect({ from, count, emitted, ...outcome }).toMatchObject({
          emitted: rowsFrom(0, rows),
          rows,
          expected: rows,
        });
      }
});

test.each([
  ['one pair', [...rowsFrom(0, 10), 389, ...rowsFrom(11, 400)]],
  ['a pair nearby', [...rowsFrom(0, 200), 201, ...rowsFrom(201, 400)]],
  ['each key twice in a row', rowsFrom(0, 400).map((at) => Math.floor(at / 2))],
])('a read loses no rows because of equal keys, wherever it resumes: %s', async (_, rows) => {
  const before = new Set<number>();
  for await (const batch of begin(listOf(rows, null), null, [])) {
    for (const row of batch.rows) before.add(row);
    const position = batch.state?.();
    if (position === undefined) continue;
    const { emitted } = await readAll(listOf(rows, null), position);
    const found = new Set([...before, ...emitted]);
    const lost = [...new Set(rows)].filter((row) => !found.has(row));
    expect({ resumedAfter: before.size, lost }).toEqual({ resumedAfter: before.size, lost: [] });
  }
});

test('a read of 60 rows, three of which repeat keys, loses no row when it resumes with pages of two', async () => {
  const rows = rowsFrom(0, 60).with(0, 25).with(26, 1).with(58, 27);
  const pageAt = pagesOf(rows, 2, WITHOUT_TOTAL);
  const before = new Set<number>();
  let resumed = 0;
  for await (const batch of begin(pageAt, null, [])) {
    for (const row of batch.rows) before.add(row);
    const position = batch.state?.();
    if (position === undefined) continue;
    resumed++;
    const { emitted } = await readAll(pageAt, position);
    expect(rows.filter((row) => !before.has(row) && !emitted.includes(row))).toStrictEqual([]);
  }
  expect(resumed).toBeGreaterThan(50);
});

test('a read that resumes past two rows with one key still knows that only the first of them was emitted', async () => {
  const pageAt = pagesOf(rowsFrom(0, 20), 2, WITHOUT_TOTAL);
  const read = {
    ...readOf(async (offset) => pageAt(offset)),
    keyOf: (row: number) => String(row === 5 ? 4 : row),
  };
  const known: boolean[] = [];
  for await (const { state } of readOffsetList<number>(read)) {
    if (state === null) continue;
    const resumed = readOffsetList<number>({ ...read, from: state() });
    let next = await resumed.next();
    while (next.done !== true) next = await resumed.next();
    known.push(next.value.hasClash);
  }
  expect(known.length).toBeGreaterThan(4);
  expect(known).not.toContain(false);
});

test('a read loses no rows because of equal keys, wherever it resumes with pages of any size', async () => {
  const repeat = fc.record({ at: fc.nat(59), of: fc.nat(59) });
  const scenario = fc.record({
    rows: fc
      .array(repeat, { maxLength: 12, size: 'max' })
      .map((repeats) => repeats.reduce((rows, { at, of }) => rows.with(at, rows[of] ?? of), rowsFrom(0, 60))),
    sizes: fc.tuple(fc.integer({ min: 2, max: 10 }), fc.integer({ min: 2, max: 10 })),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ rows, sizes: [first, second] }) => {
      const before = new Set<number>();
      for await (const batch of begin(pagesOf(rows, first, WITHOUT_TOTAL), null, [])) {
        for (const row of batch.rows) before.add(row);
        const position = batch.state?.();
        if (position === undefined) continue;
        const { emitted } = await readAll(pagesOf(rows, second, WITHOUT_TOTAL), position);
        const lost = rows.filter((row) => !before.has(row) && !emitted.includes(row));
        expect({ resumedAfter: before.size, lost }).toEqual({ resumedAfter: before.size, lost: [] });
      }
    }),
    { numRuns: runs(500, 1 / 20) },
  );
});

test('two rows that share a key and fill a page do not hold up a list that changes', async () => {
  const CHANGES = isLong ? 7 : 5;
  const reads = Array.from({ length: 3 ** CHANGES }, (_, number) =>
    number.toString(3).padStart(CHANGES, '0'),
  );
  for (const changes of reads) {
    const rows = [8, 7, 6, 3, 3, 2, 1, 0];
    let row = 9;
    const pageAt: PageAt = (offset, request) => {
      // 1: a row is inserted at the head, 2: the first row is deleted
      if (changes[request] === '1') rows.unshift(row++);
      if (changes[request] === '2' && rows[0] !== 3) rows.shift();
      return { rows: rows.slice(offset, offset + 2), total: rows.length, bytes: 0 };
    };
    const { emitted } = await readAll(pageAt, null);
    expect({ changes, end: emitted.filter((one) => one <= 3) }).toStrictEqual({ changes, end: [3, 2, 1, 0] });
  }
});

test('a list that grows by more than a page before its head is read again is not limited', async () => {
  let isRead = false;
  const pageAt: PageAt = (offset) => {
    const rows = isRead ? rowsFrom(-25, 45) : rowsFrom(0, 45);
    isRead ||= offset >= 44;
    return listOf(rows, rows.length)(offset);
  };
  const { outcome, emitted } = await readAll(pageAt, null);
  expect(outcome).toMatchObject({ rows: 70, expected: 70, limitedAt: null });
  expect(emitted.toSorted((one, other) => one - other)).toStrictEqual(rowsFrom(-25, 45));
});
