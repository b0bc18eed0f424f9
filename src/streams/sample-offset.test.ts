import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OffsetPage } from '../paging/offset-pages.ts';
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

test('both ends of a list of any length are sampled, each row once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(5000),
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 1500 }),
      async (size, cap, count) => {
        const { rows, requests, messages } = await sample({ ...RIGHT, size, cap }, count);
        const half = Math.min(size, Math.ceil(count / 2));
        const end = Math.max(half, size - (count - half));
        expect(ascending(rows)).toStrictEqual([...range(0, half), ...range(end, size)]);
        expect(messages).toStrictEqual([]);
        expect(requests).toBeLessThanOrEqual(2 * Math.ceil(count / cap) + 2);
      },
    ),
    { numRuns: 2000 },
  );
});

const NEWEST_ONLY = ['the end of the list cannot be found; sampling only its newest rows'];

test.each<[what: string, changes: Partial<Server>]>([
  ['is absent', { total: () => undefined }],
  ['is 0', { total: () => 0 }],
  ['is too small', { total: () => 300 }],
  ['is too large', { total: (size) => 3 * size }],
  ['is the largest of all', { total: () => Number.MAX_SAFE_INTEGER }],
  ['is beyond the largest offset', { refusesFrom: 4000 }],
  ['is wrong at every offset', { size: Infinity, total: () => undefined }],
])('if the total %s, only the head is sampled, with a log line', async (_, changes) => {
  const { rows, messages } = await sample({ ...RIGHT, size: 5000, cap: 100, ...changes }, 400);
  expect(rows).toStrictEqual(range(0, 400));
  expect(messages).toStrictEqual(NEWEST_ONLY);
});

test('a list that is no longer than the sample is sampled in full without a total', async () => {
  for (const size of [0, 1, 200, 201, 399]) {
    const { rows, messages } = await sample({ ...RIGHT, size, cap: 100, total: () => undefined }, 400);
    expect(rows).toStrictEqual(range(0, size));
    expect(messages).toStrictEqual([]);
  }
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
