import { describe, expect, test } from 'vitest';
import { firstOf } from '../../property-runs.test-support.ts';
import { NO_DELAY, NO_STATE, readModel, turns, type Delay } from './model-reads.fake.ts';
import { FORMAT, ORDINARY_SERVER, createModelServer, rowsAt, type ModelRow } from './model-server.fake.ts';
import { DAY, MINUTE } from './model-worlds.fake.ts';

/** Units: the default of `lookback_seconds`. */
const LOOKBACK = 5 * MINUTE;
/** Server time throughout. */
const NOW = 600 * DAY;
const OLD = NOW - 500 * DAY;

/** Rows at equal distances, in units. */
interface Cluster {
  readonly from: number;
  readonly rows: number;
  readonly spacing: number;
}

function rowsOf(clusters: readonly Cluster[]): readonly ModelRow[] {
  return rowsAt(
    clusters.flatMap(({ from, rows, spacing }) =>
      Array.from({ length: rows }, (_, row) => Math.floor(from + row * spacing)),
    ),
  );
}

/** A server of rows in ascending order, at rest. */
function serverOf(rows: readonly ModelRow[], pageSize: number) {
  const [order, cursors] = ['ascending', 'keys'] as const;
  return createModelServer({ ...ORDINARY_SERVER, rows, order, pageSize, cursors, steps: [0], now: NOW });
}

/** Reads the list up to an end, and checks that each row came once. Returns the rounds of requests, and the requests in them. */
async function read(clusters: readonly Cluster[], pageSize: number, chains: number, end: number | undefined) {
  const rows = rowsOf(clusters);
  const server = serverOf(rows, pageSize);
  const limits = { start: undefined, end, limit: undefined, lookback: LOOKBACK, pageSize: null };
  const config = { ...limits, chains, format: FORMAT, tuning: {} };
  const { delay, rounds } = createRounds();
  const ids: number[] = [];
  for await (const { texts, said } of readModel(server, NO_STATE, config, delay)) {
    expect(said).toEqual([]);
    for (const text of texts) ids.push(Number(text));
  }
  const wanted = rows.filter(({ bounded }) => bounded <= (end ?? Infinity)).map(({ id }) => id);
  expect(ids.toSorted((a, b) => a - b)).toStrictEqual(wanted);
  return { rounds: rounds(), requests: server.options.requests };
}

/** Responds to all waiting requests at once, and counts how often: each round takes the time of one request, however many it answers. */
function createRounds() {
  let waiting: (() => void)[] = [];
  let rounds = 0;
  const respond = (): void => {
    const round = waiting;
    waiting = [];
    rounds++;
    for (const resolve of round) resolve();
  };
  const delay: Delay = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      // a request that follows a response is sent before the next turn of the event loop
      if (waiting.length === 1) setImmediate(respond);
    });
  return { delay, rounds: () => rounds };
}

describe('100,000 rows by 25, which one chain reads in 4,000 rounds of one request each', () => {
  const rows = 100_000;
  const until = (spacing: number): Cluster => ({ from: NOW - rows * spacing, rows, spacing });

  test.each<[string, Cluster]>(
    firstOf(1, [
      ['all of one day, 500 days ago', { from: OLD, rows, spacing: DAY / rows }],
      ['70 a minute', until(MINUTE / 70)],
      ['one a minute', until(MINUTE)],
    ]),
  )('%s: 8 chains are at least 6 times as fast, with few requests more', async (_, cluster) => {
    const { rounds, requests } = await read([cluster], 25, 8, undefined);
    expect(rounds).toBeLessThanOrEqual(4000 / 6);
    expect(requests).toBeLessThanOrEqual(1.15 * 4000);
  });
});

describe('rounds of requests that several chains need', () => {
  const page = 20;
  const rows = 160 * page;
  const evenly = { from: OLD, rows, spacing: (499 * DAY) / rows };
  const roundsOf = async (clusters: readonly Cluster[], chains: number, end: number | undefined) =>
    (await read(clusters, page, chains, end)).rounds;

  test('rows that are spread evenly up to now: 160 pages by 8 chains, which can do them in 20 rounds', async () => {
    expect(await roundsOf([evenly], 8, undefined)).toBeLessThanOrEqual(36);
  });

  test('towards the end, chains jump less far: 400 pages of three hours by 8 chains', async () => {
    const dense = {
      from: NOW - 3 * 60 * MINUTE,
      rows: 400 * page,
      spacing: (3 * 60 * MINUTE) / (400 * page),
    };
    expect(await roundsOf([dense], 8, undefined)).toBeLessThanOrEqual(100);
  });

  test('chains jump only up to a past end date', async () => {
    const many = { ...evenly, rows: 10 * rows, spacing: evenly.spacing / 10 };
    expect(await roundsOf([many], 8, OLD + 50 * DAY)).toBeLessThanOrEqual(36);
  });

  test('rows created at the same time cannot be split: several chains take as long as one', async () => {
    const before = { from: OLD - 20 * page, rows: 2 * page, spacing: 1 };
    const all = [before, { from: OLD, rows, spacing: 0 }];
    expect(await roundsOf(all, 8, undefined)).toBe(await roundsOf(all, 1, undefined));
  });
});

test('a chain ahead that answers late repeats nothing of what the front has returned meanwhile', async () => {
  const server = serverOf(rowsOf([{ from: 0, rows: 600, spacing: 3 }]), 5);
  const limits = { start: undefined, end: undefined, limit: undefined, lookback: 5, pageSize: null };
  const tuning = { lastReceived: 0, sweptAfter: 0 };
  const bounds = new Set<string | null>();
  let isLate = false;
  const fetchPage: typeof server.fetchPage = (request) => {
    isLate = !bounds.has(request.createdSince) && bounds.size > 0;
    bounds.add(request.createdSince);
    return server.fetchPage(request);
  };
  const delay = turns(() => (isLate ? 300 : 1));
  const ids: number[] = [];
  const config = { ...limits, chains: 2, format: FORMAT, tuning };
  for await (const { texts } of readModel({ ...server, fetchPage }, NO_STATE, config, delay))
    ids.push(...texts.map(Number));
  expect(bounds.size).toBeGreaterThan(1);
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, id) => id));
});

test('a read that is given up aborts its requests', async () => {
  const server = serverOf(rowsOf([{ from: 0, rows: 60, spacing: 3 }]), 5);
  const signals = new Set<AbortSignal | undefined>();
  const fetchPage: typeof server.fetchPage = (request, signal) => {
    signals.add(signal);
    return server.fetchPage(request);
  };
  const limits = { start: undefined, end: undefined, limit: undefined, lookback: 5, pageSize: null };
  const config = { ...limits, chains: 1, format: FORMAT, tuning: {} };
  for await (const { texts } of readModel({ ...server, fetchPage }, NO_STATE, config, NO_DELAY)) {
    expect([...signals].map((signal) => signal?.aborted)).toEqual([false]);
    if (texts.length > 0) break;
  }
  expect([...signals].map((signal) => signal?.aborted)).toEqual([true]);
});
