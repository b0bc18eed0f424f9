import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.test-support.ts';
import type { OffsetOutcome } from './outcome.ts';
import { pagesOf, readOf, readWhole } from './at-rest.fake.ts';

/** Returns the rows at an offset, in the answer to the request with that number. */
type Shows = (offset: number, request: number) => readonly string[];

interface Ending {
  readonly stop: OffsetOutcome<string>['stop'];
  readonly limitedAt: number | null;
  readonly requests: number;
  readonly emitted: readonly string[];
}

/** More requests than any of these reads needs. */
const MAX_REQUESTS = 10_000;

/** Pages that state no total have a `nextCursor`. */
async function ending(shows: Shows, concurrency: number, total: number | undefined): Promise<Ending> {
  let requests = 0;
  const { emitted, outcome } = await readWhole<string>({
    ...readOf(async (offset) => {
      if (requests > MAX_REQUESTS) throw new Error('the read does not end');
      return { rows: shows(offset, requests++), total, bytes: 0, hasCursor: total === undefined };
    }),
    keyOf: (row) => (row.includes('at') ? Buffer.from(row) : row),
    concurrency,
  });
  const { stop, limitedAt } = outcome;
  return { stop, limitedAt, requests, emitted };
}

function rowsUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, row) => `row ${row}`);
}

interface StrangeList {
  readonly rows: number;
  readonly limit: number;
}

/** Pages of a list in which some rows differ in each answer. */
function strangeList({ rows, limit }: StrangeList, isStrange: (row: number) => boolean): Shows {
  return (offset, request) => {
    const texts = rowsUpTo(rows).map((row, index) => (isStrange(index) ? `${row} at ${request}` : row));
    return pagesOf(texts, limit, {})(offset).rows;
  };
}

const atOnce = fc.constantFrom(1, 4, 16);
const inTurn = (of: readonly boolean[], request: number): boolean => of[request % of.length] === true;

describe('a server that ignores the offset', () => {
  test.each([
    { total: 100, isHinted: false },
    { total: undefined, isHinted: true },
  ])('is told apart, and whether its pages have a nextCursor: $isHinted', async ({ total, isHinted }) => {
    const { stop } = await ending(() => rowsUpTo(10), 1, total);
    const seen = { granted: 10, size: 10, total: total ?? null };
    expect(stop).toMatchObject({ cause: 'the offset is ignored', hasCursor: isHinted, ...seen });
    expect(stop?.offsets).toHaveLength(stop?.pages ?? 0);
  });

  test('and returns the whole list is read with few of its long pages', async () => {
    const { stop, requests, emitted } = await ending(() => rowsUpTo(2000), 1, 2000);
    expect({ stop, emitted }).toEqual({ stop: null, emitted: rowsUpTo(2000) });
    expect(requests).toBeLessThanOrEqual(12);
  });

  test('is detected after a few requests, whatever its page size and its total', async () => {
    const pages = fc.record({
      rows: fc.integer({ min: 2, max: 50 }),
      more: fc.option(fc.integer({ min: 1, max: 500 })),
    });
    await fc.assert(
      fc.asyncProperty(pages, atOnce, async ({ rows, more }, concurrency) => {
        const total = more === null ? undefined : rows + more;
        const { stop, requests, emitted } = await ending(() => rowsUpTo(rows), concurrency, total);
        expect(stop?.cause).toBe('the offset is ignored');
        expect(requests).toBeLessThanOrEqual(24 + 2 * concurrency);
        expect(emitted).toStrictEqual(rowsUpTo(rows));
      }),
      { numRuns: runs(100, 1 / 4) },
    );
  });
});

describe('rows that cannot be recognized', () => {
  const scenario = fc.record({
    rows: fc.integer({ min: 5, max: 200 }),
    limit: fc.integer({ min: 2, max: 50 }),
    total: fc.boolean(),
    concurrency: atOnce,
  });
  test.each([
    { name: 'all of them', isStrange: () => true },
    { name: 'every other one', isStrange: (row: number) => row % 2 === 1 },
    { name: 'every third one', isStrange: (row: number) => row % 3 === 1 },
    { name: 'the last ones', isStrange: (row: number) => row > 3 },
  ])('$name: the read ends with an explanation', async ({ isStrange }) => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ concurrency, total, ...list }) => {
        const shows = strangeList(list, isStrange);
        const { stop, requests, emitted } = await ending(shows, concurrency, total ? list.rows : undefined);
        const pages = Math.ceil(list.rows / (list.limit - 1));
        expect(requests).toBeLessThanOrEqual((pages + 200) * (1 + concurrency));
        expect(emitted.length).toBeLessThanOrEqual(2 * list.rows + 250 * list.limit);
        // if every page has a row that is recognized, the end may be found
        if (stop !== null || isStrange(0))
          expect(stop?.lastPage.some((row) => row.includes('at'))).toBe(true);
      }),
      { numRuns: runs(100, 1 / 4) },
    );
  });
});

test('pages whose last row looks new at any offset, and that are cut at times, do not extend a read without end', async () => {
  // past the end the server repeats its first page, so that each new text of its last row follows the row before it
  const cuts = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 });
  const changes = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 3, max: 30 }),
      cuts,
      changes,
      atOnce,
      async (rows, cut, changed, some) => {
        const shows: Shows = (offset, request) => {
          const last = inTurn(changed, request) ? `row 2 at ${request}` : 'row 2 at first';
          const list = ['row 0 at first', 'row 1 at first', last, ...rowsUpTo(rows).slice(3)];
          return pagesOf(list, inTurn(cut, request) ? 2 : 3, { pastEnd: 'first page' })(offset).rows;
        };
        const { requests } = await ending(shows, some, undefined);
        expect(requests).toBeLessThanOrEqual((20 * rows + 300) * (1 + some));
      },
    ),
    { examples: [[3, [true, false], [true], 1]], numRuns: runs(100, 1 / 4) },
  );
});

test('a list of one row that changes with every request is not taken for pages of one row', async () => {
  const { stop } = await ending((_, request) => [`row ${request}`], 1, undefined);
  expect(stop?.cause).toBe('the list changes too fast');
});

describe('a server that repeats its last page past the end', () => {
  const list = rowsUpTo(30);

  test('the pages may be cut short, each at a new row', async () => {
    const shows: Shows = (offset, request) => {
      const length = 2 + (request % 4);
      return offset < 30 ? list.slice(offset, offset + length) : list.slice(24, 24 + length);
    };
    expect(await ending(shows, 1, undefined)).toMatchObject({ stop: null, emitted: list });
  });

  test('the rows of that page may share keys with each other and with earlier rows', async () => {
    const rows = [...list.slice(0, 25), ...[3, 3, 2, 1, 0].map((row) => `row ${row}`)];
    for (let inserted = 1; inserted <= 4; inserted++) {
      const shows: Shows = (offset, request) => {
        const newer = Array.from(
          { length: inserted * Math.min(request, 12) },
          (_, row) => `newer row ${row}`,
        );
        const present = [...newer.toReversed(), ...rows];
        const start = offset < present.length ? offset : present.length - 5;
        return present.slice(start, start + 5);
      };
      const { stop, emitted } = await ending(shows, 1, undefined);
      expect({ inserted, stop }).toEqual({ inserted, stop: null });
      expect(emitted).toEqual(expect.arrayContaining(list.slice(0, 25)));
    }
  });
});

test('a read of a long list that shows nothing beyond an offset ends soon after it', async () => {
  const pageAt = pagesOf(rowsUpTo(9000), 50, { depth: 5000 });
  const { stop, limitedAt, requests } = await ending((offset) => pageAt(offset).rows, 1, 9000);
  expect({ stop, limitedAt }).toStrictEqual({ stop: null, limitedAt: 5000 });
  expect(requests).toBeLessThan(600);
});

test.each([1, 4])(
  'a server that counts the offset in pages is not said to change, %i requests at once',
  async (concurrency) => {
    const list = rowsUpTo(300);
    const shows: Shows = (offset) => list.slice(offset * 50, (offset + 1) * 50);
    expect((await ending(shows, concurrency, undefined)).stop?.cause).toBe('pages do not continue');
    const { limitedAt } = await ending(shows, concurrency, 300);
    expect(limitedAt).toBe(50);
  },
);
