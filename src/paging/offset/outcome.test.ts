import { describe, expect, test } from 'vitest';
import { readOf, readWhole } from './at-rest.fake.ts';
import type { OffsetOutcome } from './outcome.ts';
import type { OffsetPage } from './window.ts';

type Stated = Pick<OffsetPage<number>, 'total' | 'atLeast'>;
const [ROWS, LIMIT] = [120, 50];

/** Reads a list of 120 rows by 50, whose pages state what `stated` returns for their offset and, from 0, their request. */
async function outcomeOf(
  stated: (offset: number, request: number) => Stated,
): Promise<OffsetOutcome<number>> {
  let request = 0;
  const pageAt = async (offset: number): Promise<OffsetPage<number>> => {
    const rows = Array.from({ length: LIMIT }, (_, index) => offset + index).filter((row) => row < ROWS);
    return { rows, bytes: 1, limit: LIMIT, ...stated(offset, request++) };
  };
  return (await readWhole(readOf(pageAt))).outcome;
}

const total = (count: number | undefined, atLeast?: number): Stated => ({ total: count, atLeast });

describe('what a list states', () => {
  test.each<[what: string, stated: Parameters<typeof outcomeOf>[0], found: Partial<OffsetOutcome<number>>]>([
    [
      'is nothing',
      () => total(undefined),
      { expected: 0, maxTotal: null, isTotalSteady: true, statedLater: 0 },
    ],
    [
      'is one total',
      () => total(120),
      { expected: 120, maxTotal: 120, isTotalSteady: true, statedLater: 120 },
    ],
    [
      'is another one later',
      (offset) => total(offset === 0 ? 120 : 119),
      { expected: 120, statedLater: 119, isTotalSteady: false },
    ],
    [
      'is the first page alone',
      (offset) => total(offset === 0 ? 120 : undefined),
      { expected: 120, statedLater: 0 },
    ],
    [
      'differs among later pages',
      (offset, request) => total(offset === 0 ? 120 : 120 + request),
      { statedLater: 0, isTotalSteady: false },
    ],
    [
      'is a count of pages',
      (offset) => total(undefined, offset === 0 ? undefined : 101),
      { statedLater: 101, expected: 0 },
    ],
    [
      'is the least of such counts',
      (offset, request) => total(undefined, offset === 0 ? undefined : 100 + request),
      { statedLater: 101 },
    ],
    ['is not what empty pages state', (offset) => total(offset < ROWS ? undefined : 7), { statedLater: 0 }],
    ['is not that of the first page', () => total(undefined, undefined), { statedLater: 0 }],
    [
      'is the larger of total and count',
      (offset) => total(120, offset === 0 ? undefined : 130),
      { statedLater: 130 },
    ],
  ])('%s', async (_, stated, found) => {
    const expected = { rows: ROWS, limitedAt: null, cutsPages: false, ...found };
    expect(await outcomeOf(stated)).toMatchObject(expected);
  });
});

test('a pass that does not reach the end of a list says nothing of the one before, which has', async () => {
  let request = 0;
  const pageAt = async (offset: number): Promise<OffsetPage<number>> => {
    // from the second pass on, the offset is ignored
    const from = request++ > 5 ? 0 : offset;
    const rows = Array.from({ length: LIMIT }, (_, index) => from + index).filter((row) => row < ROWS);
    return { rows, total: ROWS + 1, bytes: 1, limit: LIMIT };
  };
  const { rows, expected, stop } = (await readWhole(readOf(pageAt))).outcome;
  expect({ rows, expected, stop }).toStrictEqual({ rows: ROWS, expected: ROWS + 1, stop: null });
  expect(request).toBeGreaterThan(10);
});

/** Reads a list of 120 rows whose service leaves each fifth one out of pages it has cut; returns whether it seems to cut pages. */
async function filtered(totalAt: (offset: number) => number, isGrowing: boolean): Promise<boolean> {
  let request = 0;
  const pageAt = async (offset: number): Promise<OffsetPage<number>> => {
    const all = Array.from({ length: LIMIT }, (_, index) => offset + index);
    const rows = all.filter((row) => row < ROWS && row % 5 > 0);
    if (isGrowing && request++ > 0 && offset === 0) rows.splice(0, rows.length, 1000, ...rows.slice(0, -1));
    return { rows, total: totalAt(offset), bytes: 1, limit: LIMIT };
  };
  return (await readWhole(readOf(pageAt))).outcome.cutsPages;
}

test.each<[what: string, totalAt: (offset: number) => number, isGrowing: boolean, isSeen: boolean]>([
  ['whose total stays', () => ROWS, false, true],
  ['whose total changes, as if rows were inserted', (offset) => ROWS + offset, false, false],
  ['that has grown', () => ROWS, true, false],
])('rows that are left out of pages are told from those of a list %s', async (_, totalAt, grows, isSeen) => {
  expect(await filtered(totalAt, grows)).toBe(isSeen);
});

/** Pages of a list whose server refuses offsets from 60 on. */
const refusing = async (offset: number): Promise<OffsetPage<number>> => {
  if (offset >= 60) return { rows: [], total: undefined, bytes: 0, isRefused: true, refusal: `no ${offset}` };
  const rows = Array.from({ length: Math.min(LIMIT, 60 - offset) }, (_, index) => offset + index);
  return { rows, total: ROWS, bytes: 1, limit: LIMIT };
};

test.each([1, 8])('a refusal is that of the first offset, %i requests at once', async (concurrency) => {
  const { refusedAt, refusal } = (await readWhole({ ...readOf(refusing), concurrency })).outcome;
  expect([refusedAt, refusal]).toEqual([60, concurrency === 1 ? 'no 60' : expect.stringMatching(/^no /)]);
});

test('no more pages are requested ahead than their bytes allow', async () => {
  let [inFlight, most] = [0, 0];
  const pageAt = async (offset: number): Promise<OffsetPage<number>> => {
    most = Math.max(most, ++inFlight);
    await new Promise(setImmediate);
    inFlight--;
    const rows = Array.from({ length: 10 }, (_, index) => offset + index).filter((row) => row < 500);
    return { rows, total: undefined, bytes: 1000, limit: 10 };
  };
  for (const [maxAheadBytes, expected] of [
    [Infinity, 8],
    [3000, 4],
  ] as const) {
    most = 0;
    await readWhole({ ...readOf(pageAt), concurrency: 8, maxAheadBytes });
    expect(most).toBeLessThanOrEqual(expected);
    expect(most).toBeGreaterThan(expected / 2);
  }
});
