import { describe, expect, test } from 'vitest';
import { firstOf } from '../../property-runs.test-support.ts';
import type { Instant } from '../instant.ts';
import { readCursorList } from './read.ts';
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

/** Reads the list to its end, and checks that each row up to the end came once. Returns the rounds, and the requests in them. */
async function read(times: readonly Instant[], pageSize: number, chains: number, end: Instant | undefined) {
  const list = createRoundList(times, pageSize, end, chains);
  const places: number[] = [];
  for await (const { rows } of readCursorList(list.read)) for (const { place } of rows) places.push(place);
  const wanted = times.filter((created) => end === undefined || created <= end).length;
  expect(places.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: wanted }, (_, place) => place));
  return { rounds: list.rounds(), requests: list.requests() };
}

async function roundsOf(
  times: readonly Instant[],
  chains: number,
  end: Instant | undefined,
): Promise<number> {
  return (await read(times, PAGE, chains, end)).rounds;
}

describe('100,000 rows by 25, which one chain reads in 4,000 rounds of one request each', () => {
  const rows = 100_000;
  const until = (spacing: bigint): Cluster => ({ from: NOW - BigInt(rows) * spacing, rows, spacing });
  const ofOneDay = { from: NOW - 500n * DAY, rows, spacing: DAY / BigInt(rows) };

  test.each<[string, Cluster]>(
    firstOf(1, [
      ['all of one day, 500 days ago', ofOneDay],
      ['70 a minute', until((60n * SECOND) / 70n)],
      ['one a minute', until(60n * SECOND)],
    ]),
  )('%s: 8 chains are at least 6 times as fast, with few requests more', async (_, cluster) => {
    const { rounds, requests } = await read(timesOf([cluster]), 25, 8, undefined);
    expect(rounds).toBeLessThanOrEqual(4000 / 6);
    expect(requests).toBeLessThanOrEqual(1.15 * 4000);
  });
});

describe('rounds of requests that several chains need', () => {
  const pages = 160;
  const rows = pages * PAGE;
  const old = NOW - 500n * DAY;
  const evenly = { from: old, rows, spacing: (499n * DAY) / BigInt(rows) };

  test('rows that are spread evenly up to now: 160 pages by 8 chains, which can do them in 20 rounds', async () => {
    expect(await roundsOf(timesOf([evenly]), 8, undefined)).toBeLessThanOrEqual(36);
  });

  test('chains jump only up to a past end date', async () => {
    const end = old + 50n * DAY;
    expect(
      await roundsOf(timesOf([{ ...evenly, rows: 10 * rows, spacing: evenly.spacing / 10n }]), 8, end),
    ).toBeLessThanOrEqual(36);
  });

  test('rows created at the same time cannot be split: several chains take as long as one', async () => {
    const before = { from: old - 100n * SECOND, rows: 2 * PAGE, spacing: SECOND };
    const all = timesOf([before, { from: old, rows, spacing: 0n }]);
    expect(await roundsOf(all, 8, undefined)).toBe(await roundsOf(all, 1, undefined));
  });
});
