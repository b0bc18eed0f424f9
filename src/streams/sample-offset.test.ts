import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemberRule, OffsetParameters } from '../../acceptance-tests/model/offset-answer.ts';
import { pagesOf } from '../paging/offset/at-rest.fake.ts';
import type { OffsetPage } from '../paging/offset/window.ts';
import { runs } from '../property-runs.test-support.ts';
import { sampleOffset } from './sample-offset.ts';

interface List {
  readonly size: number;
  readonly cap: number; // maximum page size
  readonly kind: Partial<OffsetParameters>;
}

const silent = async (): Promise<void> => undefined;
const context = { signal: new AbortController().signal, info: silent, onWait: silent };

/** Samples a list of the numbers 0 to `size` - 1. */
async function sample(
  { size, cap, kind }: List,
  count: number,
): Promise<{ rows: number[]; requests: number; messages: string[] }> {
  const rows: number[] = [];
  const messages: string[] = [];
  let requests = 0;
  const numbers = {
    length: size,
    at: (index: number) => index,
    slice: (from: number, to: number) => range(from, Math.min(to, size)),
  };
  const pageAt = pagesOf(numbers, cap, kind);
  const fetchPage = async (offset: number): Promise<OffsetPage<number>> => {
    requests++;
    return pageAt(offset);
  };
  const pages = sampleOffset(fetchPage, count, {
    ...context,
    info: async (line) => void messages.push(line),
  });
  for await (const page of pages) rows.push(...page);
  return { rows, requests, messages };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
const ascending = (rows: readonly number[]): number[] => rows.toSorted((a, b) => a - b);

const totals = fc
  .constantFrom<MemberRule>(
    'right',
    'absent',
    'zero',
    'too small',
    { plus: 1 },
    { plus: 10_000 },
    { plus: Number.MAX_SAFE_INTEGER - 5000 },
  )
  .map((totalCount) => ({ totalCount }));

test('both ends of a list of any length are sampled, each row once, whatever the total is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(5000),
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 1500 }),
      totals,
      async (size, cap, count, members) => {
        const { rows, requests, messages } = await sample({ size, cap, kind: { members } }, count);
        const half = Math.min(size, Math.ceil(count / 2));
        const end = Math.max(half, size - (count - half));
        expect(ascending(rows)).toStrictEqual([...range(0, half), ...range(end, size)]);
        expect(messages).toStrictEqual([]);
        // pages of the sample itself, in two halves, and those that find the end
        expect(requests).toBeLessThanOrEqual(2 * Math.ceil(count / cap) + 120);
      },
    ),
    { numRuns: runs(2000) },
  );
});

describe('the number of requests', () => {
  test.each<[string, number, Partial<OffsetParameters>, number]>([
    ['a total that is right', 100_000, {}, 3],
    ['a list that is no longer than the sample', 1000, {}, 3],
    ['a short list', 10, {}, 2],
    ['no total', 100_000, { members: {} }, 20],
  ])('%s', async (_, size, kind, max) => {
    const { requests } = await sample({ size, cap: 500, kind }, 1000);
    expect(requests).toBeLessThanOrEqual(max);
  });
});

test('if large offsets are refused, the last available rows are sampled as the end, with a log line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4000 }), totals, async (refusesFrom, members) => {
      const kind = { depth: refusesFrom, acrossDepth: 'whole', pastEnd: 400, members } as const;
      const { rows, messages } = await sample({ size: 5000, cap: 100, kind }, 400);
      // the last page begins before the limit, and ends after it
      expect(Math.max(...rows)).toBeGreaterThanOrEqual(refusesFrom - 1);
      expect(Math.max(...rows)).toBeLessThan(refusesFrom + 99);
      expect(messages.join()).toMatch(/^the server refuses offsets from \d+ on/);
    }),
    { numRuns: runs(500) },
  );
});

test.each(['first page', 'last page'] as const)(
  'if a server returns its %s at any offset past the end, only the head is sampled, with a log line',
  async (pastEnd) => {
    const { rows, messages, requests } = await sample({ size: 5000, cap: 100, kind: { pastEnd } }, 400);
    expect(rows).toStrictEqual(range(0, 200));
    expect(messages).toHaveLength(1);
    expect(requests).toBeLessThan(100);
  },
);

async function resetsAfterHead(offset: number): Promise<OffsetPage<number>> {
  if (offset > 0) throw new Error('the connection was reset');
  return { rows: [1, 2], total: 9, bytes: 0 };
}

test('a page that fails ends the sample', async () => {
  const pages = sampleOffset(resetsAfterHead, 4, context);
  await expect(
    (async () => {
      for await (const page of pages) expect(page).toHaveLength(2);
    })(),
  ).rejects.toThrow('reset');
});
