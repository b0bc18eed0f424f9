import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OffsetPage } from '../paging/offset/window.ts';
import { sampleOffset } from './sample-offset.ts';

interface Server {
  readonly size: number;
  readonly cap: number; // maximum page size
  readonly total: (size: number) => number | undefined;
  readonly refusesFrom: number | null; // first offset that it refuses; null if it refuses none
}

const silent = async (): Promise<void> => undefined;
const context = { signal: new AbortController().signal, info: silent, onWait: silent };
const REFUSED = { rows: [], total: undefined, bytes: 0, isRefused: true } as const;

/** Samples a list of the numbers 0 to `size` - 1. */
async function sample(
  { size, cap, total, refusesFrom }: Server,
  count: number,
): Promise<{ rows: number[]; requests: number; messages: string[] }> {
  const rows: number[] = [];
  const messages: string[] = [];
  let requests = 0;
  const fetchPage = async (offset: number): Promise<OffsetPage<number>> => {
    requests++;
    if (refusesFrom !== null && offset >= refusesFrom) return REFUSED;
    const length = Math.max(0, Math.min(cap, size - offset));
    return { rows: Array.from({ length }, (_, index) => offset + index), total: total(size), bytes: 0 };
  };
  const pages = sampleOffset(fetchPage, count, {
    ...context,
    info: async (line) => void messages.push(line),
  });
  for await (const page of pages) rows.push(...page);
  return { rows, requests, messages };
}

const RIGHT = { total: (size: number) => size, refusesFrom: null };
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
const ascending = (rows: readonly number[]): number[] => rows.toSorted((a, b) => a - b);

const totals = fc.constantFrom<Server['total']>(
  (size) => size,
  () => undefined,
  () => 0,
  (size) => size + 1,
  (size) => size * 3,
  (size) => Math.floor(size / 3),
  () => Number.MAX_SAFE_INTEGER,
);

test('both ends of a list of any length are sampled, each row once, whatever the total is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(5000),
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 1500 }),
      totals,
      async (size, cap, count, total) => {
        const { rows, requests, messages } = await sample({ size, cap, total, refusesFrom: null }, count);
        const half = Math.min(size, Math.ceil(count / 2));
        const end = Math.max(half, size - (count - half));
        expect(ascending(rows)).toStrictEqual([...range(0, half), ...range(end, size)]);
        expect(messages).toStrictEqual([]);
        // pages of the sample itself, in two halves, and those that find the end
        expect(requests).toBeLessThanOrEqual(2 * Math.ceil(count / cap) + 120);
      },
    ),
    { numRuns: 2000 },
  );
});

describe('the number of requests', () => {
  test.each<[string, Server, number]>([
    ['a total that is right', { ...RIGHT, size: 100_000, cap: 500 }, 3],
    ['a list that is no longer than the sample', { ...RIGHT, size: 1000, cap: 500 }, 3],
    ['a short list', { ...RIGHT, size: 10, cap: 500 }, 2],
    ['no total', { ...RIGHT, total: () => undefined, size: 100_000, cap: 500 }, 20],
  ])('%s: %#', async (_, server, max) => {
    const { requests } = await sample(server, 1000);
    expect(requests).toBeLessThanOrEqual(max);
  });
});

test('if large offsets are refused, the last available rows are sampled as the end, with a log line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4000 }), totals, async (refusesFrom, total) => {
      const { rows, messages } = await sample({ size: 5000, cap: 100, total, refusesFrom }, 400);
      // the last page begins before the limit, and ends after it
      expect(Math.max(...rows)).toBeGreaterThanOrEqual(refusesFrom - 1);
      expect(Math.max(...rows)).toBeLessThan(refusesFrom + 99);
      expect(messages.join()).toMatch(/^the server refuses offsets from \d+ on/);
    }),
    { numRuns: 500 },
  );
});

test('if a server returns rows at any offset, only the head is sampled, with a log line', async () => {
  const { rows, messages, requests } = await sample(
    { size: Infinity, cap: 100, total: () => 5000, refusesFrom: null },
    400,
  );
  expect(rows).toStrictEqual(range(0, 200));
  expect(messages).toHaveLength(1);
  expect(requests).toBeLessThan(100);
});

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
