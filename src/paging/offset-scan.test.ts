import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { createIdentitySet } from './identities.ts';
import { START, afterTiedPage, afterUntiedPage, planNext, type Course } from './offset-course.ts';
import { readOffsetList } from './offset-read.ts';
import { scanTiedPages } from './offset-scan.ts';

const MB = 1024 * 1024;

test('prefetched pages stay within their bound, or are a single page, at any concurrency', async () => {
  const sizes = fc.record({
    bytes: fc.integer({ min: 1, max: 64 * MB }),
    concurrency: fc.integer({ min: 1, max: 32 }),
    maxAheadBytes: fc.integer({ min: 8 * MB, max: 48 * MB }),
    rows: fc.integer({ min: 100, max: 2000 }),
  });
  let maxAhead = 0;
  await fc.assert(
    fc.asyncProperty(sizes, async ({ bytes, concurrency, maxAheadBytes, rows }) => {
      const list = Array.from({ length: rows }, (_, row) => row);
      let asked = 0;
      let taken = 0;
      const pages = scanTiedPages<number>(
        {
          fetchPage: async (offset) => {
            asked++;
            return { rows: list.slice(offset, offset + 20), total: rows, bytes };
          },
          identify: (row) => row,
          concurrency,
          maxAheadBytes,
          describeUnidentifiable: () => null,
          mayBeShort: true,
          signal: new AbortController().signal,
        },
        null,
        createIdentitySet(),
      );
      for await (const page of pages) {
        taken++;
        expect(page.rows.length).toBeGreaterThan(0);
        // the writer is slow
        await new Promise(setImmediate);
        const ahead = asked - taken;
        maxAhead = Math.max(maxAhead, ahead);
        if (ahead > 1) expect((ahead - 1) * bytes).toBeLessThanOrEqual(maxAheadBytes);
      }
    }),
    { numRuns: 200 },
  );
  // bytes are bounded, not pages
  expect(maxAhead).toBeGreaterThan(32);
});

/** Returns the rows at an offset, in the answer to the request with that number. */
type Shows = (offset: number, request: number) => readonly string[];

interface Ending {
  readonly error: unknown;
  readonly requests: number;
  readonly emitted: readonly string[];
}

/** More requests than any of these reads needs. */
const MAX_REQUESTS = 10_000;
const STRANGE = 'the rows are strange';

async function ending(shows: Shows, concurrency: number, total: number | undefined): Promise<Ending> {
  let requests = 0;
  const emitted: string[] = [];
  try {
    const batches = readOffsetList<string>({
      fetchPage: async (offset) => {
        if (requests > MAX_REQUESTS) throw new Error('the read does not end');
        return { rows: shows(offset, requests++), total, bytes: 0 };
      },
      isSame: (one, other) => one === other,
      keyOf: (row) => row,
      describeUnidentifiable: (rows) => (rows.some((row) => row.includes('at')) ? STRANGE : null),
      mayBeShort: true,
      concurrency,
      maxAheadBytes: Infinity,
      from: null,
      warn: async () => undefined,
      signal: new AbortController().signal,
    });
    for await (const { rows } of batches) emitted.push(...rows);
  } catch (error) {
    return { error, requests, emitted };
  }
  return { error: null, requests, emitted };
}

function rowsUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, row) => `row ${row}`);
}

interface StrangeList {
  readonly rows: number;
  readonly limit: number;
  readonly pastEnd: 'empty page' | 'first page' | 'last page';
}

/** Pages of a list in which some rows differ in each answer. */
function strangeList({ rows, limit, pastEnd }: StrangeList, isStrange: (row: number) => boolean): Shows {
  const pastEndAt = { 'empty page': rows, 'first page': 0, 'last page': Math.max(0, rows - limit) }[pastEnd];
  return (offset, request) => {
    const start = offset < rows ? offset : pastEndAt;
    return rowsUpTo(rows)
      .map((row, index) => (isStrange(index) ? `${row} at ${request}` : row))
      .slice(start, start + limit);
  };
}

const atOnce = fc.constantFrom(1, 4, 16);

describe('a server that ignores the offset', () => {
  test('is detected after a few requests, whatever its page size and its total', async () => {
    const pages = fc.record({ rows: fc.integer({ min: 2, max: 50 }), more: fc.option(fc.nat(500)) });
    await fc.assert(
      fc.asyncProperty(pages, atOnce, async ({ rows, more }, concurrency) => {
        const total = more === null ? undefined : rows + more;
        const { error, requests, emitted } = await ending(() => rowsUpTo(rows), concurrency, total);
        expect(isConnectorError(error, 'PAGES_UNUSABLE')).toBe(true);
        expect(String(error)).toContain('whatever the offset');
        expect(requests).toBeLessThanOrEqual(6 + 2 * concurrency);
        expect(emitted).toStrictEqual(rowsUpTo(rows));
      }),
      { numRuns: 100 },
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
        const shows = strangeList({ ...list, pastEnd: 'empty page' }, isStrange);
        const { error, requests, emitted } = await ending(shows, concurrency, total ? list.rows : undefined);
        const pages = Math.ceil(list.rows / (list.limit - 1));
        expect(requests).toBeLessThanOrEqual((pages + 200) * (1 + concurrency));
        expect(emitted.length).toBeLessThanOrEqual(2 * list.rows + 250 * list.limit);
        // if every page has a row that is recognized, the end may be found
        if (error !== null || isStrange(0)) expect(String(error)).toContain(STRANGE);
      }),
      { numRuns: 100 },
    );
  });

  test.each(['first page', 'last page'] as const)(
    'the read ends although pages are cut short and its %s is repeated past the end',
    async (pastEnd) => {
      const cuts = fc.array(fc.boolean(), { minLength: 20, maxLength: 60 });
      const lists = fc.record({ rows: fc.integer({ min: 5, max: 30 }), limit: fc.constantFrom(3, 4, 5) });
      await fc.assert(
        fc.asyncProperty(lists, cuts, fc.constantFrom(3, 4), async (list, cutShort, every) => {
          const shows = strangeList({ ...list, pastEnd }, (row) => row % every === every - 1);
          const showsLess: Shows = (offset, request) => {
            if (request > 1500) throw new Error('the read does not end');
            const length = cutShort[request % cutShort.length] === true ? 2 : list.limit;
            return shows(offset, request).slice(0, length);
          };
          const { error } = await ending(showsLess, 1, undefined);
          expect(String(error)).not.toContain('does not end');
        }),
        { numRuns: 300 },
      );
    },
  );
});

test('a list of one row that changes with every request is not taken for pages of one row', async () => {
  const { error } = await ending((_, request) => [`row ${request}`], 1, undefined);
  expect(isConnectorError(error, 'LIST_UNSTABLE')).toBe(true);
});

describe('a server that repeats its last page past the end', () => {
  const list = rowsUpTo(30);
  const isNewEachTime: Shows = (offset, request) =>
    offset < 26 ? list.slice(offset, offset + 5) : [`row at ${request}`, ...list.slice(26)];

  test('the pages may be cut short, each at a new row', async () => {
    const shows: Shows = (offset, request) => {
      const length = 2 + (request % 4);
      return offset < 30 ? list.slice(offset, offset + length) : list.slice(24, 24 + length);
    };
    expect(await ending(shows, 1, undefined)).toMatchObject({ error: null, emitted: list });
  });

  test('the scan ends although some rows seem new each time', async () => {
    const { error, requests } = await ending(isNewEachTime, 1, undefined);
    expect(String(error)).toContain(STRANGE);
    expect(requests).toBeLessThan(1000);
  });
});

test('a list that calms down is soon fully prefetched again', () => {
  let course: Course = START;
  for (let lost = 0; lost < 100; lost++) course = afterUntiedPage(course, 10);
  const window = { next: () => undefined, requests: () => 10 };
  const depths = [0, 1, 2, 3, 4, 5].map((request) => {
    const identities = Array.from({ length: 10 }, (_, row) => 9 * request + row);
    const place = { offset: 9 * request, request, rows: identities, identities, granted: 10 };
    const page = { ...place, total: undefined, bytes: 1, found: 9, isTied: true, isUnknownHead: false };
    course = afterTiedPage(course, page);
    return planNext(course, page, { maxPages: 8, mayBeEnd: true }, window).prefetch?.maxPages;
  });
  expect(depths.at(-1)).toBe(8);
});
