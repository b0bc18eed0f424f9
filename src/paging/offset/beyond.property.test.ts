import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConnectorError, messageOf } from '../../errors.ts';
import { runs } from '../../property-runs.test-support.ts';
import { grouped } from '../../protocol/messages.ts';
import { createMovingList, readOf, type MovingList } from './moving-list.fake.ts';
import { anything, concurrency, ignore, missing, optionsWith, read } from './arbitraries.fake.ts';
import { repeated } from './arbitraries.fake.ts';
import type { Outcome } from './arbitraries.fake.ts';
import type { OffsetPage } from './window.ts';
import type { OffsetPosition } from './position.ts';
import { readOffsetList } from './algorithm.ts';

/** How a server answers offsets at which it has no rows. */
const BEYOND = ['empty', 'refused', 'first page', 'last page'] as const;
type Beyond = (typeof BEYOND)[number];

function beyondPage(rows: readonly number[], limit: number, total: number | undefined, beyond: Beyond) {
  const shown = {
    empty: [],
    refused: [],
    'first page': rows.slice(0, limit),
    'last page': rows.slice(-limit),
  };
  const page: OffsetPage<number> = { rows: shown[beyond], total, bytes: 0 };
  return beyond === 'refused' ? { ...page, total: undefined, isRefused: true as const } : page;
}

/** True if a failure is honest: for lists of hardly more than a page, such a server looks like one that ignores offsets. */
function isHonest(beyond: Beyond, error: unknown): boolean {
  return (beyond === 'first page' || beyond === 'last page') && isConnectorError(error, 'PAGES_UNUSABLE');
}

/** The same list on a server that answers offsets past its end in another way. */
function answering(list: MovingList, limit: number, beyond: Beyond): MovingList {
  return {
    ...list,
    fetchPage: async (offset, signal) => {
      const page = await list.fetchPage(offset, signal);
      const isBeyond = offset > 0 && page.rows.length === 0;
      return isBeyond ? beyondPage(list.present(), limit, page.total, beyond) : page;
    },
  };
}

describe.each(BEYOND)('past the end, the server returns: %s', (beyond) => {
  test('every row that exists throughout is emitted, exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(optionsWith(anything), concurrency, async (options, atOnce) => {
        const list = createMovingList(options);
        const shown = answering(list, Math.min(options.limit, options.cap), beyond);
        const outcome = await read(shown, atOnce, null, Infinity, ignore).catch((error: unknown) => {
          if (!isHonest(beyond, error)) throw error;
          return undefined;
        });
        if (outcome === undefined) return;
        const { emitted, failed } = outcome;
        expect(failed).toBe(false);
        expect(missing(list.persistent(), emitted)).toStrictEqual([]);
        expect(repeated(emitted)).toStrictEqual([]);
      }),
      { numRuns: runs(1000, 1 / 2) },
    );
  });

  test('a killed read is resumed, although its place may be gone', async () => {
    const stops = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(optionsWith(anything), concurrency, stops, async (options, atOnce, all) => {
        const list = createMovingList(options);
        const shown = answering(list, Math.min(options.limit, options.cap), beyond);
        const emitted: number[] = [];
        let from: OffsetPosition | null = null;
        for (const stopAfter of [...all, Infinity]) {
          const outcome: Outcome | undefined = await read(shown, atOnce, from, stopAfter, ignore).catch(
            (error: unknown) => {
              if (!isHonest(beyond, error)) throw error;
              return undefined;
            },
          );
          if (outcome === undefined) return;
          expect(outcome.failed).toBe(false);
          emitted.push(...outcome.emitted);
          from = outcome.positions.at(-1)?.position ?? from;
        }
        expect(missing(list.persistent(), emitted)).toStrictEqual([]);
      }),
      { numRuns: runs(1000, 1 / 2) },
    );
  });
});

test.each([
  { rows: 18, limit: 10, before: [6, 8, 36, 48, 57, 67, 80], delays: [0, 1], atOnce: 9 },
  { rows: 18, limit: 7, before: [6, 7, 33, 44, 51, 63, 72], delays: [11, 3, 11, 3, 3, 8, 7, 8], atOnce: 7 },
  {
    rows: 15,
    limit: 10,
    before: [1, 2, 6, 8, 11, 31, 41, 47, 57, 71, 78],
    delays: [1, 11, 4, 1, 0, 10, 1, 7],
    atOnce: 7,
  },
])(
  'the first page past the end is recognized although rows were inserted since: $rows rows, pages of $limit',
  async ({ rows, limit, before, delays, atOnce }) => {
    const changes = Array.from({ length: 100 }, (_, request) =>
      before.includes(request) ? [{ kind: 'insert', at: 0, count: 1 } as const] : [],
    );
    const kind = { cap: limit, total: 'absent', shortBy: [], tieSize: 1, isEndless: false } as const;
    const list = createMovingList({ rows, limit, changes, delays, ...kind });
    const { emitted, failed } = await read(
      answering(list, limit, 'first page'),
      atOnce,
      null,
      Infinity,
      ignore,
    );
    expect({ failed, lost: missing(list.persistent(), emitted) }).toStrictEqual({ failed: false, lost: [] });
  },
);

interface LimitedServer {
  readonly rows: number;
  readonly stated: number;
  readonly depth: number;
  readonly limit: number;
  readonly beyond: Beyond;
  /** What must be within the depth: the offset, the page as far as it is cut there, or the whole page. */
  readonly bounds: 'offset' | 'cut page' | 'whole page';
  /** Rows inserted at the head before each request; as many are deleted at the tail. */
  readonly inserted?: number;
}

/** Reads a list of which a server shows only a part. */
async function readLimited(server: LimitedServer, atOnce: number) {
  const { rows, stated, depth, limit, beyond, bounds, inserted = 0 } = server;
  const emitted: number[] = [];
  let requests = 0;
  const batches = readOffsetList<number>({
    ...readOf(async (offset) => {
      requests++;
      const list = Array.from({ length: rows }, (_, row) => row - requests * inserted);
      if (bounds === 'whole page' ? offset + limit > depth : offset >= depth)
        return beyondPage(list.slice(0, depth), limit, stated, beyond);
      const end = bounds === 'offset' ? offset + limit : Math.min(depth, offset + limit);
      return { rows: list.slice(offset, end), total: stated, bytes: 0, limit };
    }),
    concurrency: atOnce,
  });
  let error: unknown = null;
  let limitedAt: number | null = null;
  try {
    let next = await batches.next();
    for (; next.done !== true; next = await batches.next()) emitted.push(...next.value.rows);
    ({ limitedAt } = next.value);
  } catch (reason) {
    error = reason;
  }
  return { emitted, requests, error, limitedAt };
}

test('a server that shows nothing past some offset is detected after at most 600 requests more than its pages', async () => {
  const servers = fc.record({
    limit: fc.integer({ min: 10, max: 60 }),
    pages: fc.integer({ min: 2, max: 20 }),
    more: fc.integer({ min: 2, max: 200 }),
    beyond: fc.constantFrom(...BEYOND),
    bounds: fc.constantFrom<LimitedServer['bounds'][]>('offset', 'cut page', 'whole page'),
  });
  await fc.assert(
    fc.asyncProperty(servers, concurrency, async ({ pages, more, ...server }, atOnce) => {
      const { limit } = server;
      const depth = pages * limit + 3;
      const rows = depth + more * limit;
      const limited = { ...server, depth, rows, stated: rows };
      const { emitted, requests, error, limitedAt } = await readLimited(limited, atOnce);
      const words = messageOf(error);
      const [, named] = /from offset (\d+) on, although it states ([\d,]+)/.exec(words) ?? [];
      const at = limitedAt ?? Number(named);
      if (error !== null) {
        expect(isConnectorError(error, 'OFFSET_LIMITED')).toBe(true);
        expect(words).toContain(`states ${grouped(rows)} rows`);
      }
      const first = server.bounds === 'whole page' ? depth - limit + 1 : depth;
      expect(Math.abs(at - first)).toBeLessThanOrEqual(limit);
      expect(repeated(emitted)).toStrictEqual([]);
      // two passes, in each of which rows found at the limit begin the count of pages without progress anew
      expect(requests).toBeLessThanOrEqual(2 * pages + 8 * 66 + 4 * atOnce);
    }),
    { numRuns: runs(1000, 1 / 2) },
  );
});
