import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import type { Instant } from './instant.ts';
import { readCursorList } from './cursor-read.ts';
import { NOW, createRoundList } from './round-list.fake.ts';

/** ns */
const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;
const PAGE = 20;

/** Rows at equal distances. */
interface Cluster {
  readonly from: Instant;
  readonly rows: number;
  /** ns */
  readonly spacing: bigint;
}

function timesOf(clusters: readonly Cluster[]): Instant[] {
  return clusters.flatMap(({ from, rows, spacing }) =>
    Array.from({ length: rows }, (_, row) => from + BigInt(row) * spacing),
  );
}

/** Reads the list to its end, and checks that each row up to the end came once. */
async function roundsOf(
  times: readonly Instant[],
  chains: number,
  end: Instant | undefined,
): Promise<number> {
  const list = createRoundList(times, PAGE, end, chains);
  const places: number[] = [];
  for await (const { rows } of readCursorList(list.read)) places.push(...rows.map(({ place }) => place));
  const wanted = times.filter((created) => end === undefined || created <= end).length;
  expect(places.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: wanted }, (_, place) => place));
  return list.rounds();
}

describe('rounds of requests that several chains need', () => {
  const pages = 160;
  const rows = pages * PAGE;
  const old = NOW - 500n * DAY;
  const evenly = { from: old, rows, spacing: (499n * DAY) / BigInt(rows) };
  const oldCluster = { from: old, rows, spacing: SECOND };
  const half = { from: old, rows: rows / 2, spacing: SECOND };

  // eight chains can do 160 pages in 20 rounds; what comes on top is spent on finding where the rows are
  test.each<[string, readonly Cluster[], number]>([
    ['spread evenly up to now', [evenly], 25],
    ['in an hour long before now', [oldCluster], 36],
    ['in two clusters', [half, { ...half, from: old + 200n * DAY }], 36],
    [
      'half of them in an hour, the others spread evenly',
      [half, { ...evenly, rows: rows / 2, spacing: 2n * evenly.spacing }],
      36,
    ],
  ])('160 pages, 8 chains: %s', async (_, clusters, most) => {
    expect(await roundsOf(timesOf(clusters), 8, undefined)).toBeLessThanOrEqual(most);
  });

  test('ranges are split only up to a past end date', async () => {
    const end = old + 50n * DAY;
    expect(
      await roundsOf(timesOf([{ ...evenly, rows: 10 * rows, spacing: evenly.spacing / 10n }]), 8, end),
    ).toBeLessThanOrEqual(25);
  });

  test('rows created at the same time cannot be split: several chains take as long as one', async () => {
    const before = { from: old - 100n * SECOND, rows: 2 * PAGE, spacing: SECOND };
    const all = timesOf([before, { from: old, rows, spacing: 0n }]);
    expect(await roundsOf(all, 8, undefined)).toBe(await roundsOf(all, 1, undefined));
  });

  test('wherever the rows are, rounds stay below 1.25 × pages / chains + 15', async () => {
    const cluster = fc.record({
      from: fc.bigInt({ min: 0n, max: 2000n * DAY }).map((age) => NOW - 2200n * DAY + age),
      rows: fc.integer({ min: 1, max: 60 * PAGE }),
      // a page covers a minute at least: ranges meet at whole minutes
      spacing: fc.bigInt({ min: 3n * SECOND, max: 3600n * SECOND }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(cluster, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 2, max: 16 }),
        async (clusters, chains) => {
          const times = timesOf(clusters);
          const share = Math.ceil(times.length / PAGE / chains);
          expect(await roundsOf(times, chains, undefined)).toBeLessThanOrEqual(1.25 * share + 15);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
