import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { configError, isConnectorError } from '../errors.ts';
import { runs } from '../property-runs.test-support.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { offsetStream } from './offset-stream.ts';

// what a read has seen is told: docs/how-it-reads.md

const LIST = { name: 'assets', place: 'assets', path: '/v1/list', schema: { properties: {} } };
const silent = async (): Promise<void> => undefined;

interface Service {
  /** The lines of the list at a request, by number from 1 on, and by offset. */
  readonly linesAt: (request: number, offset: number) => readonly number[];
  readonly total: ((lines: readonly number[]) => number) | null;
  readonly pageSize: number;
  readonly concurrency: number;
  readonly window?: number; // the largest offset + limit
  readonly leavesOut?: (row: number) => boolean; // of a page that was cut
  readonly most?: (offset: number) => number; // rows of a page, as if pages were cut by bytes
  readonly stated?: (offset: number, limit: number) => Readonly<Record<string, unknown>>; // beside the total
}

/** A row: those with equal times are sorted by nothing else. */
const textOf = (row: number): string => `{"assetId":"${row}"}`;

/** Reads a service once. */
async function readAll(service: Service) {
  const { linesAt, total, pageSize, concurrency, window = Infinity, stated = () => ({}) } = service;
  const { leavesOut = () => false, most = () => Infinity } = service;
  let requests = 0;
  let refused = 0;
  const client: ListClient = {
    get: async (query, check) => {
      requests++;
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
      if (offset + limit > window) {
        refused++;
        throw configError(
          'REQUEST_REFUSED',
          'the API rejected the request (400): result window is too large.',
        );
      }
      const lines = linesAt(requests, offset);
      const shown = lines.slice(offset, offset + Math.min(limit, most(offset)));
      const page = {
        rows: rowsOf(shown.filter((row) => !leavesOut(row)).map(textOf)),
        pagination: { ...(total !== null && { totalCount: total(lines) }), ...stated(offset, limit) },
        serverTimeMs: undefined,
        sentAtMs: 0,
        receivedAtMs: 0,
      };
      check(page);
      return page;
    },
  };
  const emitted: number[] = [];
  const warnings: string[] = [];
  const config = { id_field: 'assetId', page_size: pageSize, missing_rows: 'fail', min_rows: 0 } as const;
  const stream = offsetStream(LIST, config, { concurrency, maxAheadBytes: Infinity }, client);
  let error: unknown = null;
  try {
    for await (const { rows } of stream.read({
      syncMode: 'full_refresh',
      limitRows: null,
      state: null,
      signal: new AbortController().signal,
      now: () => 0,
      sleep: async () => undefined,
      info: silent,
      warn: async (words) => void warnings.push(words),
      onWait: silent,
    }))
      emitted.push(
        ...rows.map((row) => Number(/\d+/.exec(row.bytes.toString('utf8', row.start, row.end))?.[0])),
      );
  } catch (thrown) {
    error = thrown;
  }
  return { emitted: new Set(emitted), warnings, error, requests, refused };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);
/** Another order of the same rows for each salt. */
const shuffled = (rows: readonly number[], salt: number): number[] =>
  rows.toSorted((one, other) => hashOf(one, salt) - hashOf(other, salt));
function hashOf(row: number, salt: number): number {
  const mixed = Math.imul(row + 1, 0x9e37_79b1) ^ Math.imul(salt, 0x85eb_ca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35) >>> 0;
}
const countOf = (lines: readonly number[]): number => lines.length;

/** Rows of one time come in another order from an offset on. */
const listWith =
  (rows: number, tied: readonly [from: number, to: number], from: number) =>
  (_: number, offset: number): readonly number[] => [
    ...numbers(0, tied[0]),
    ...shuffled(numbers(tied[0], tied[1]), offset >= from ? 2 : 1),
    ...numbers(tied[1], rows),
  ];

describe('a list that changes the order of equal rows', () => {
  test.each([
    { rows: 1300, tied: [325, 975] as const, pageSize: 100, from: 650 },
    { rows: 1300, tied: [325, 975] as const, pageSize: 50, from: 700 },
    { rows: 600, tied: [100, 400] as const, pageSize: 50, from: 250 },
  ])('is told where there is no total: $rows rows by $pageSize', async ({ rows, tied, pageSize, from }) => {
    const service = { linesAt: listWith(rows, tied, from), total: null, pageSize, concurrency: 1 };
    const { emitted, warnings, error } = await readAll(service);
    expect(emitted.size).toBeLessThan(rows);
    expect(error).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(/^Rows changed their order .* larger assets\.page_size/),
    ]);
  });

  test('is told instead of "try again later" where rows are missing', async () => {
    const linesAt = listWith(1300, [325, 975], 650);
    const { error } = await readAll({ linesAt, total: countOf, pageSize: 100, concurrency: 4 });
    expect(error).toMatchObject({ code: 'ROWS_MISSING' });
    expect(error).toMatchObject({
      message: expect.stringMatching(/Rows changed their order .* larger assets\.page_size/) as string,
    });
    expect(error).not.toMatchObject({ message: expect.stringContaining('try again later') as string });
  });

  test('is told, or fails the read, where rows that were read are deleted meanwhile, so that the total is reached', async () => {
    const untold: string[] = [];
    let losses = 0;
    for (const pageSize of [10, 20, 30, 50])
      for (let from = 135; from < 175; from++) {
        const tied = listWith(330, [150, 180], from);
        const linesAt = (request: number, offset: number): readonly number[] =>
          tied(request, offset).filter((row) => request < 4 || row >= 12);
        const { emitted, warnings, error } = await readAll({
          linesAt,
          total: countOf,
          pageSize,
          concurrency: 1,
        });
        if (error !== null || numbers(12, 330).every((row) => emitted.has(row))) continue;
        losses++;
        if (!warnings.some((words) => words.startsWith('Rows changed')))
          untold.push(`${pageSize} from ${from}`);
      }
    expect(losses).toBeGreaterThan(10);
    expect(untold).toEqual([]);
  });

  test('is not told of many lists with inserts at the head and deletions anywhere', async () => {
    const told: string[] = [];
    for (let seed = 1; seed <= runs(1000, 1 / 30); seed++) {
      const gone = (row: number, request: number): boolean =>
        (row * 31 + seed * 17) % 41 < Math.min(request, 12);
      const linesAt = (request: number): readonly number[] =>
        numbers(-2 * request, 120 + (seed % 90)).filter((row) => row < 0 || !gone(row, request));
      const total = seed % 2 === 0 ? null : countOf;
      const concurrency = seed % 3 === 0 ? 4 : 1;
      const { warnings } = await readAll({ linesAt, total, pageSize: 10 + (seed % 20), concurrency });
      told.push(...warnings);
    }
    expect(told).toEqual([]);
  });
});

describe('a list whose service joins tables', () => {
  const joined = numbers(0, 100).flatMap((row) =>
    Array.from({ length: 1 + Number(row % 3 === 1) + 2 * Number(row % 50 === 0) }, () => row),
  );

  test.each([7, 10, 25, 100])('is complete if each line was seen, by %i', async (pageSize) => {
    for (const concurrency of [1, 4]) {
      const service = { linesAt: () => joined, total: countOf, pageSize, concurrency };
      const { emitted, warnings, error } = await readAll(service);
      expect([emitted.size, error]).toEqual([100, null]);
      expect(warnings).toEqual([
        expect.stringMatching(`^${joined.length - 100} lines of the list repeat rows`),
      ]);
    }
  });

  test('fails if rows are missing all the same', async () => {
    const service = { linesAt: () => joined, total: () => joined.length + 5, pageSize: 25, concurrency: 1 };
    const { error } = await readAll(service);
    expect(isConnectorError(error, 'ROWS_MISSING')).toBe(true);
  });
});

describe('a service that refuses requests beyond a window of 10,000', () => {
  test.each([9990, 9999])('shows %i rows, and no request is refused', async (rows) => {
    for (const concurrency of [1, 4]) {
      const list = numbers(0, rows);
      const service = { linesAt: () => list, total: countOf, pageSize: 500, concurrency, window: 10_000 };
      const { emitted, warnings, error, refused } = await readAll(service);
      expect({ rows: emitted.size, warnings, error, refused }).toEqual({
        rows,
        warnings: [],
        error: null,
        refused: 0,
      });
    }
  });

  test.each([10_002, 12_000])('fails a list of %i rows, with its words', async (rows) => {
    const list = numbers(0, rows);
    const service = { linesAt: () => list, total: countOf, pageSize: 500, concurrency: 4, window: 10_000 };
    const { error } = await readAll(service);
    expect(error).toMatchObject({ message: expect.stringContaining('result window is too large') as string });
  });
});

/** The counts that services with pages of a fixed size state. */
const pagesOf = (rows: number) => (offset: number, limit: number) => ({
  currentPage: Math.floor(offset / limit) + 1,
  pageCount: Math.ceil(rows / limit),
  nextOffset: offset + limit,
});

describe('rows that are missing without a word in the totals', () => {
  const list = numbers(0, 1200);
  const still = { linesAt: () => list, total: null, pageSize: 100 } as const;

  test.each([1, 4])(
    'a service leaves rows out of pages after it has cut them, %i at once',
    async (concurrency) => {
      for (const leavesOut of [
        (row: number) => row === 450,
        (row: number) => row === 50,
        (row: number) => row % 400 === 150,
      ]) {
        const { warnings, error } = await readAll({ ...still, concurrency, leavesOut });
        expect([error, warnings]).toEqual([
          null,
          [expect.stringMatching(/^the service seems to leave out [123] rows? at least/)],
        ]);
      }
    },
  );

  test.each([1, 4])(
    'pages that are cut by bytes lose nothing, and nothing is said, %i at once',
    async (concurrency) => {
      for (const total of [null, countOf]) {
        const { emitted, warnings, error } = await readAll({
          ...still,
          total,
          concurrency,
          most: (offset) => 60 + (offset % 37),
        });
        expect([emitted.size, error, warnings]).toEqual([1200, null, []]);
      }
    },
  );

  test.each([1, 4])('the first page comes from a cache, %i at once', async (concurrency) => {
    const cached = numbers(30, 1200);
    const linesAt = (_: number, offset: number): number[] => (offset === 0 ? cached : numbers(0, 1200));
    const { warnings } = await readAll({ ...still, linesAt, total: countOf, concurrency });
    expect(warnings).toEqual([
      expect.stringMatching(/^1,170 distinct rows .* state at least 1,200 rows: the first page states 1,170/),
    ]);
  });

  test.each([1, 4])(
    'a count of pages states more rows than the service shows, %i at once',
    async (concurrency) => {
      const { warnings } = await readAll({ ...still, concurrency, stated: pagesOf(2000) });
      expect(warnings).toEqual([
        expect.stringMatching(
          /^1,200 distinct rows .* count pages of at least 1,901 rows: the service may limit/,
        ),
      ]);
    },
  );

  test.each([
    ['right', pagesOf(1200)],
    ['of pages of another size', (offset: number) => pagesOf(1200)(offset, 10)],
    ['always the same', () => ({ currentPage: 1, pageCount: 99 })],
  ])('a count of pages that is %s is no reason for a warning', async (_, stated) => {
    const { emitted, warnings } = await readAll({ ...still, concurrency: 1, stated });
    expect([emitted.size, warnings]).toEqual([1200, []]);
  });
});

test.each([100, 285])(
  'a list that shrinks to %d of 300 rows is complete, and a large fall is told',
  async (left) => {
    const linesAt = (request: number): readonly number[] => numbers(0, request < 3 ? 300 : left);
    const service = { linesAt, total: countOf, pageSize: 20, concurrency: 1 };
    const { emitted, warnings, error } = await readAll(service);
    expect([emitted.size, error]).toEqual([left, null]);
    expect(warnings.join()).toMatch(
      left === 100 ? /stated 300 rows while it was read, but has 100 now/ : /^$/,
    );
  },
);
