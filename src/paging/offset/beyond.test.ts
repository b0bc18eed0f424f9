import { expect, test } from 'vitest';
import { readOf, readWhole } from './at-rest.fake.ts';
import type { OffsetPage } from './window.ts';

const [ROWS, LIMIT] = [200, 50];
/** What a page says of the list. */
type Said = Pick<OffsetPage<number>, 'moreAt' | 'saysMore' | 'total'>;
type Says = (offset: number) => Said;

/** Returns a page of 50 of 200 rows, of which a range is left out after the cut. */
function pageOf(offset: number, hidden: readonly [from: number, to: number]): OffsetPage<number> {
  const cut = Array.from({ length: LIMIT }, (_, index) => offset + index).filter((row) => row < ROWS);
  const rows = cut.filter((row) => row < hidden[0] || row >= hidden[1]);
  return { rows, bytes: 1, limit: LIMIT, total: undefined };
}

/** Reads a list of 200 rows by 50. Rows of a range are left out of pages after the cut, and pages say something. */
async function read(hidden: readonly [from: number, to: number], says: Says) {
  let requests = 0;
  const pageAt = async (offset: number): Promise<OffsetPage<number>> => {
    requests++;
    return { ...pageOf(offset, hidden), ...says(offset) };
  };
  return { ...(await foundIn(pageAt)), requests };
}

async function foundIn(pageAt: (offset: number) => Promise<OffsetPage<number>>) {
  const { rows, limitedAt, beyond } = (await readWhole(readOf(pageAt))).outcome;
  return { rows, limitedAt, beyond };
}

const next = (offset: number): number => offset + LIMIT;
const NOTHING = { total: undefined };
const WAYS: [string, Says][] = [
  [
    'where the next page is',
    (offset) => ({ total: undefined, moreAt: next(offset) < ROWS ? next(offset) : 0 }),
  ],
  ['that one follows', (offset) => ({ total: undefined, saysMore: next(offset) < ROWS })],
];

test.each(WAYS)('an empty page is not the end of a list that says %s', async (_, says) => {
  const { rows, limitedAt, beyond } = await read([69, 130], says);
  expect([rows, limitedAt]).toEqual([69, 69]);
  expect(beyond).toBeGreaterThanOrEqual(69);
});

test('nor of one of which a page that was requested ahead has shown more', async () => {
  const { rows, limitedAt, beyond } = await read([110, 170], () => NOTHING);
  expect([rows, limitedAt]).toEqual([110, 110]);
  expect(beyond).toBeGreaterThan(110);
});

const hiddenPage = async (offset: number): Promise<OffsetPage<number>> => pageOf(offset, [110, 170]);

test.each([1, 8])('nor if empty pages follow these, %i requests at once', async (concurrency) => {
  const { outcome } = await readWhole({ ...readOf(hiddenPage), concurrency });
  expect([outcome.rows, outcome.limitedAt]).toEqual([110, 110]);
});

/** A list that shows its last rows at each offset past its end, and a new one each time. */
const growingEnd = async (offset: number): Promise<OffsetPage<number>> => {
  const { rows } = pageOf(offset, [0, 0]);
  const last = offset < ROWS ? rows : [ROWS - 2, ROWS - 1, offset];
  return { rows: last, bytes: 1, limit: LIMIT, ...NOTHING, moreAt: next(offset) };
};

test('rows that are added to a last page that always comes do not follow it', async () => {
  expect(await foundIn(growingEnd)).toMatchObject({ limitedAt: null, beyond: null });
});

/** A list that always says that rows follow at an offset, and there shows its last rows and a new one. */
const growingAside = async (offset: number): Promise<OffsetPage<number>> => {
  const rows = offset < 300 ? pageOf(offset, [0, 0]).rows : [ROWS - 2, ROWS - 1, ROWS];
  return { rows, bytes: 1, limit: LIMIT, ...NOTHING, moreAt: 300 };
};

test('nor does a page with some known rows', async () => {
  expect(await foundIn(growingAside)).toMatchObject({ rows: ROWS, limitedAt: null, beyond: null });
});

/** A list that shows its first page past its end, and to which rows are added at the head from then on. */
const growingHead = (): ((offset: number) => Promise<OffsetPage<number>>) => {
  let added = 0;
  return async (offset) => {
    if (offset >= 300) added = Math.max(added, LIMIT);
    if (added > 0) added++;
    const { rows } = pageOf(offset < 300 ? offset : 0, [0, 0]);
    return { rows: rows.map((row) => row - added), bytes: 1, limit: LIMIT, ...NOTHING, moreAt: 300 };
  };
};

test('nor does the first page with rows that were added', async () => {
  expect(await foundIn(growingHead())).toMatchObject({ rows: ROWS, limitedAt: null, beyond: null });
});

/** A list whose last page is full, and to which a row is added once the end has been read: when its first page is requested again. */
const FULL = 4 * (LIMIT - 1) + 1;
const growingAfterEnd = (): ((offset: number) => Promise<OffsetPage<number>>) => {
  let [first, added] = [0, 0];
  return async (offset) => {
    if (offset === 0 && ++first === 2) added = 1;
    const all = Array.from({ length: FULL + added }, (_, row) => row);
    const rows = all.slice(offset, offset + LIMIT);
    const isFull = rows.length === LIMIT;
    return { rows, bytes: 1, limit: LIMIT, ...NOTHING, ...(isFull && { moreAt: offset + LIMIT }) };
  };
};

test('nor does a row that is added once the end has been read', async () => {
  expect(await foundIn(growingAfterEnd())).toMatchObject({ rows: FULL, limitedAt: null, beyond: null });
});

test('what is said costs one request at most, if it is not true and there is no total', async () => {
  const whole = { rows: ROWS, limitedAt: null, beyond: null };
  const { requests, ...found } = await read([0, 0], () => NOTHING);
  expect(found).toEqual(whole);
  for (const [, says] of WAYS) expect(await read([0, 0], says)).toEqual({ requests, ...whole });
  const always = await read([0, 0], (offset) => ({ total: undefined, moreAt: next(offset) }));
  expect(always).toEqual({ requests: requests + 1, ...whole });
  const counted = await read([0, 0], () => ({ total: ROWS }));
  expect(await read([0, 0], (offset) => ({ total: ROWS, moreAt: next(offset) }))).toEqual(counted);
});

test('rows that are inserted into an empty list do not follow it', async () => {
  let request = 0;
  const pageAt = async (): Promise<OffsetPage<number>> => {
    request++;
    return { rows: request > 2 ? [request] : [], bytes: 1, limit: LIMIT, ...NOTHING };
  };
  expect(await foundIn(pageAt)).toMatchObject({ rows: 0, limitedAt: null, beyond: null });
});
