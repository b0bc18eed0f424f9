import { describe, expect, test } from 'vitest';
import { readOf, readWhole } from './at-rest.fake.ts';
import { isFarBelow } from './run.ts';
import type { OffsetPage } from './window.ts';

const [ROWS, LIMIT] = [200, 20];
type Rows = readonly number[];
const ALL: Rows = Array.from({ length: ROWS }, (_, row) => row);

/** Reads a list of which a part of the rows is there while `isHidden`, given the number of a request and whether the read has paused. */
async function read(part: Rows, isHidden: (request: number, hasPaused: boolean) => boolean) {
  let requests = 0;
  const pauses: { readonly rows: number; readonly stated: number }[] = [];
  const pageAt = async (offset: number): Promise<OffsetPage<number>> => {
    const list = isHidden(requests++, pauses.length > 0) ? part : ALL;
    return { rows: list.slice(offset, offset + LIMIT), total: list.length, bytes: 1, limit: LIMIT };
  };
  const pause = async (found: (typeof pauses)[number]): Promise<void> => void pauses.push(found);
  return { ...(await readWhole({ ...readOf(pageAt), pause })), pauses };
}

const PARTS: readonly (readonly [what: string, part: Rows])[] = [
  ['the first half of its rows', ALL.slice(0, 100)],
  ['the second half', ALL.slice(100)],
  ['four of five shards', ALL.filter((row) => (row * 2_654_435_761) % 5 > 0)],
  ['a single row', ALL.slice(70, 71)],
  ['no row', []],
];

describe.each(PARTS)('a list that shows %s', (_, part) => {
  test.each([1, 3, 6])('for a while, from request %d on, is read completely', async (first) => {
    const { emitted, pauses, outcome } = await read(
      part,
      (request, hasPaused) => request >= first && !hasPaused,
    );
    expect(new Set(emitted)).toEqual(new Set(ALL));
    expect(emitted).toHaveLength(ROWS);
    expect(outcome).toMatchObject({ rows: ROWS, limitedAt: null, stop: null });
    expect(pauses.length).toBeLessThanOrEqual(1);
  });

  test('from then on is asked once more, and has what it shows', async () => {
    const { emitted, pauses, outcome } = await read(part, (request) => request >= 3);
    expect(part.filter((row) => !emitted.includes(row))).toEqual([]);
    expect(outcome.maxTotal).toBe(ROWS);
    if (outcome.stop === null && outcome.limitedAt === null)
      expect(pauses).toEqual([{ rows: outcome.rows, stated: ROWS }]);
  });
});

/** Pages of the list, whose total lags until its end has been shown. */
const laggingPages = (): ((offset: number) => Promise<OffsetPage<number>>) => {
  let total = ROWS + 5;
  return async (offset) => {
    if (offset === ROWS - 1) total = ROWS;
    return { rows: ALL.slice(offset, offset + LIMIT), total, bytes: 1, limit: LIMIT };
  };
};

test('rows that only an older total counts are not hidden', async () => {
  const { outcome } = await readWhole(readOf(laggingPages()));
  expect(outcome).toMatchObject({ rows: ROWS, expected: ROWS, hidden: 0, passes: 1, limitedAt: null });
});

test('a list that does not shrink is not waited for', async () => {
  expect((await read(ALL, () => false)).pauses).toEqual([]);
  expect((await read(ALL.slice(0, 150), (request) => request < 3)).pauses).toEqual([]);
});

test.each([
  [900, 1000, true],
  [901, 1000, false],
  [90, 100, true],
  [91, 100, false],
  [0, 10, true],
  [1, 10, false],
])('whether a total of %i is far below %i: %j', (total, other, isFar) => {
  expect(isFarBelow(total, other)).toBe(isFar);
});
