import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholePage } from '../../../acceptance-tests/model/answer.ts';
import {
  ORDINARY_OFFSETS,
  offsetAnswer,
  type OffsetParameters,
} from '../../../acceptance-tests/model/offset-answer.ts';
import { messageOf } from '../../errors.ts';
import { runs } from '../../property-runs.test-support.ts';
import { createMovingList, readOf, received } from './moving-list.fake.ts';
import { anything, concurrency, ignore, missing, optionsWith, read } from './arbitraries.fake.ts';
import { repeated } from './arbitraries.fake.ts';
import type { Outcome } from './arbitraries.fake.ts';
import type { OffsetPosition } from './place.ts';
import { readOffsetList } from './read.ts';

/** How a server answers offsets at which it has no rows. */
const PAST_END = ['empty page', 400, 'first page', 'last page'] as const;
type PastEnd = (typeof PAST_END)[number];

/** True if a failure is honest: for lists of hardly more than a page, such a server looks like one that ignores offsets. */
function isHonest(pastEnd: PastEnd, error: unknown): boolean {
  const looksIgnored = ['the offset is ignored', 'one row per page'].includes(messageOf(error));
  return (pastEnd === 'first page' || pastEnd === 'last page') && looksIgnored;
}

describe.each(PAST_END)('past the end, the server returns: %s', (pastEnd) => {
  test('every row that exists throughout is emitted, exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(optionsWith(anything), concurrency, async (options, atOnce) => {
        const list = createMovingList({ ...options, pastEnd });
        const outcome = await read(list, atOnce, null, Infinity, ignore).catch((error: unknown) => {
          if (!isHonest(pastEnd, error)) throw error;
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
        const list = createMovingList({ ...options, pastEnd });
        const emitted: number[] = [];
        let from: OffsetPosition | null = null;
        for (const stopAfter of [...all, Infinity]) {
          const outcome: Outcome | undefined = await read(list, atOnce, from, stopAfter, ignore).catch(
            (error: unknown) => {
              if (!isHonest(pastEnd, error)) throw error;
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
    const pastEnd = 'first page';
    const list = createMovingList({ rows, limit, changes, delays, pastEnd, ...kind });
    const { emitted, failed } = await read(list, atOnce, null, Infinity, ignore);
    expect({ failed, lost: missing(list.persistent(), emitted) }).toStrictEqual({ failed: false, lost: [] });
  },
);

interface LimitedServer extends Pick<OffsetParameters, 'depth' | 'acrossDepth' | 'pastEnd'> {
  readonly rows: number;
  readonly limit: number;
}

/** Reads a list of which a server shows only a part. */
async function readLimited({ rows, limit, ...limits }: LimitedServer, atOnce: number) {
  const list = Array.from({ length: rows }, (_, row) => row);
  const parameters = { ...ORDINARY_OFFSETS, ...limits };
  const variation = { size: wholePage, staleTotal: rows, ties: null };
  const emitted: number[] = [];
  let requests = 0;
  const batches = readOffsetList<number>({
    ...readOf(async (offset) => {
      requests++;
      return received(offsetAnswer(list, { limit, offset }, parameters, variation), limit);
    }),
    concurrency: atOnce,
  });
  let next = await batches.next();
  for (; next.done !== true; next = await batches.next()) emitted.push(...next.value.rows);
  const { limitedAt, stop } = next.value;
  return { emitted, requests, limitedAt, cause: stop?.cause ?? null };
}

test('a server that shows nothing past some offset is detected after at most 600 requests more than its pages', async () => {
  const servers = fc.record({
    limit: fc.integer({ min: 10, max: 60 }),
    pages: fc.integer({ min: 2, max: 20 }),
    more: fc.integer({ min: 2, max: 200 }),
    pastEnd: fc.constantFrom(...PAST_END),
    acrossDepth: fc.constantFrom<OffsetParameters['acrossDepth'][]>('whole', 'cut there', 'past the end'),
  });
  await fc.assert(
    fc.asyncProperty(servers, concurrency, async ({ pages, more, ...server }, atOnce) => {
      const { limit } = server;
      const depth = pages * limit + 3;
      const rows = depth + more * limit;
      const { emitted, requests, limitedAt, cause } = await readLimited({ ...server, depth, rows }, atOnce);
      expect([null, 'nothing is shown beyond an offset']).toContain(cause);
      const first = server.acrossDepth === 'past the end' ? depth - limit + 1 : depth;
      expect(Math.abs((limitedAt ?? 0) - first)).toBeLessThanOrEqual(limit);
      expect(repeated(emitted)).toStrictEqual([]);
      // two passes, in each of which rows found at the limit begin the count of pages without progress anew
      expect(requests).toBeLessThanOrEqual(2 * pages + 8 * 66 + 4 * atOnce);
    }),
    { numRuns: runs(1000, 1 / 2) },
  );
});
