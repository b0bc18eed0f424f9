import { describe, expect, test } from 'vitest';
import { expectCost, quiet, readWorlds, type Worlds } from './counted-worlds.fake.ts';
import {
  EARLY_ENDS,
  ordinaryWorld,
  otherOrderFrom,
  strangeWorld,
  turningTies,
  withChanges,
} from './drawn-worlds.fake.ts';
import type { OffsetOutcome } from './outcome.ts';
import type { Line } from './world-server.fake.ts';
import { STILL_WORLD, type World } from './world.fake.ts';
import { readWorld, type Reader } from './worlds.fake.ts';

const NOTHING_FOUND: OffsetOutcome<Line> = {
  rows: 0,
  expected: 0,
  maxTotal: null,
  isTotalSteady: false,
  hasShrunk: false,
  passes: 1,
  limitedAt: null,
  beyond: null,
  refusedAt: null,
  refusal: null,
  hasClash: false,
  repeatedLines: 0,
  reordered: 0,
  cutsPages: false,
  leftOut: 0,
  statedLater: 0,
  hidden: 0,
  stop: null,
};

const sizes = Object.values(EARLY_ENDS);

type Ordinary = [what: string, worlds: Worlds, maxFailed: number, cost: number];

const PAGES = ['first page', 'last page'] as const;
const endingWith =
  (pastEnd: (typeof PAGES)[number]): Worlds =>
  (seed) => {
    const world = quiet(ordinaryWorld(seed), 'busy');
    return { ...world, rows: 5 + (seed % 60), total: 'right', server: { pastEnd } };
  };

const upheaval: Worlds = (seed) => ({
  ...withChanges(ordinaryWorld(seed), 'upheaval'),
  rows: 60 + (seed % 200),
  total: seed % 2 === 0 ? 'right' : 'absent',
});

describe('ordinary lists', () => {
  test.each<Ordinary>([
    ['a right total', (seed) => ({ ...ordinaryWorld(seed), total: 'right' }), 0.008, 2.47],
    ['any total', ordinaryWorld, 0.2, 3.41],
    // it says nothing about where the list ends
    [
      'a total that is too small',
      (seed) => ({ ...quiet(ordinaryWorld(seed), 'busy'), total: 'too small' }),
      0.005,
      1.69,
    ],
    ...PAGES.map((pastEnd): Ordinary => [`its ${pastEnd} past the end`, endingWith(pastEnd), 0.01, 2.1]),
    // such reads take all passes, in which a list that grows does so for ever, so that the next one takes longer
    [
      'a total of a million more',
      (seed) => ({ ...ordinaryWorld(seed), kills: [], total: { plus: 1_000_000 } }),
      1,
      5.7,
    ],
  ])('P1, P2, P3, P4, %s: nothing is lost or repeated', async (_, worlds, maxFailed, cost) => {
    const counts = await readWorlds(worlds, 5000, 1 / 80);
    expect(counts).toMatchObject({ lost: 0, seeds: [] });
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(maxFailed);
    expect(counts.codes.get('endless') ?? 0).toBeLessThan(counts.worlds / 500);
    expectCost(counts, cost);
  });

  test('whole pages of rows inserted and deleted at once: nothing is lost, and hardly anything repeated', async () => {
    const counts = await readWorlds(upheaval, 5000, 1 / 80);
    expect(counts.lost).toBe(0);
    expect(counts.repeated / counts.worlds).toBeLessThan(0.001);
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(0.008);
    expectCost(counts, 2.05);
  });

  test.each(['right', 'too small', 'absent'] as const)(
    'pages that end early lose nothing, and the total is %s',
    async (total) => {
      const worlds: Worlds = (seed) => ({
        ...ordinaryWorld(seed),
        total,
        size: sizes[seed % sizes.length] ?? STILL_WORLD.size,
      });
      const counts = await readWorlds(worlds, 1500, 1 / 50);
      expect(counts).toMatchObject(total === 'right' ? { lost: 0, seeds: [] } : { repeated: 0 });
      // without a right total, four pages may be cut after the same row by chance
      expect(counts.lost / counts.worlds).toBeLessThan(0.004);
      expect(counts.failed / counts.worlds).toBeLessThan(0.07);
      expectCost(counts, { right: 8.79, 'too small': 7.88, absent: 8.41 }[total]);
    },
  );
});

describe('strange lists', () => {
  test.each<[what: string, worlds: Worlds, maxLost: number, cost: number]>([
    ['a right total', (seed) => ({ ...strangeWorld(seed), total: 'right' }), 0.0005, 10.2],
    ['any total', strangeWorld, 0.001, 8.35],
  ])('%s: hardly anything is lost, and nothing repeated', async (_, worlds, maxLost, cost) => {
    const counts = await readWorlds(worlds, 5000, 1 / 160);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThan(maxLost);
    expectCost(counts, cost);
  });

  test.each<[what: string, kind: string, maxFailed: number, cost: number]>([
    // such reads take some hundred requests each
    ['about a page is inserted per request', 'page', 0.75, 4.78],
    ['up to half a page is inserted per request', 'half', 0.02, 2.7],
    ['many rows at once are inserted or deleted', 'storm', 0.003, 2.57],
    ['the same rows are inserted and deleted per request', 'steady', 0.035, 3.32],
  ])('%s: nothing is lost', async (_, kind, maxFailed, cost) => {
    const totals = ['right', 'absent', 'too small'] as const;
    const worlds: Worlds = (seed) => {
      return { ...quiet(ordinaryWorld(seed), kind), total: totals[seed % totals.length] ?? 'right' };
    };
    const counts = await readWorlds(worlds, kind === 'page' ? 300 : 1000, 1 / 25);
    expect(counts).toMatchObject({ lost: 0, repeated: 0 });
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(maxFailed + 1 / counts.worlds);
    expectCost(counts, cost);
  });
});

/** Without a total, the end of such a list shows in its pages alone. */
const endingEarly =
  (kind: string): Worlds =>
  (seed) => ({
    ...quiet(strangeWorld(seed), kind),
    size: sizes[seed % sizes.length] ?? STILL_WORLD.size,
    total: seed % 2 === 0 ? 'too small' : 'absent',
  });

test.each(['page', 'half'])(
  'pages that end early, and up to a %s inserted per request: hardly anything is lost, and nothing repeated',
  async (kind) => {
    const counts = await readWorlds(endingEarly(kind), 300, 1 / 20);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThan(0.01);
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(kind === 'page' ? 0.8 : 0.2);
  },
);

/** Advances by the page size until a page is short. */
const plainReader = (limit: number): Reader =>
  async function* plain({ fetchPage, signal }) {
    for (let offset = 0; ; offset += limit) {
      const { rows, total } = await fetchPage(offset, signal, Infinity);
      yield { pass: 'scan', rows, total, state: null, emitted: 0 };
      if (rows.length < limit) return NOTHING_FOUND;
    }
  };

test('a plain reader loses rows and repeats others', async () => {
  let [lost, repeated] = [0, 0];
  for (let seed = 1; seed <= 100; seed++) {
    const world = { ...quiet(ordinaryWorld(seed), 'busy'), server: {} };
    const result = await readWorld(world, seed, plainReader(world.limit));
    lost += result.lost;
    repeated += result.repeated;
  }
  expect(lost).toBeGreaterThan(50);
  expect(repeated).toBeGreaterThan(50);
});

const twoOrders = (seed: number): World => ({
  ...quiet(ordinaryWorld(seed), 'still'),
  rows: 200,
  limit: 20,
  server: {},
  orderAt: otherOrderFrom(
    20 + ((seed * 37) % 160),
    (row) => Math.floor(row / ([3, 10, 30, 100][seed % 4] ?? 3)),
    seed,
  ),
});

const turning = (seed: number): World => ({
  ...quiet(ordinaryWorld(seed), 'still'),
  total: 'right',
  orderAt: turningTies(2 + (seed % 4)),
});

describe('the order of rows', () => {
  test('is seen to change where it changes in a list at rest', async () => {
    const counts = await readWorlds((seed) => ({ ...twoOrders(seed), total: 'absent' }), 1000, 1 / 25);
    expect(counts.lost).toBeGreaterThan(counts.worlds / 2);
    // ties of three rows may show no sign
    expect(counts.lostUnseen / counts.lost).toBeLessThan(0.3);
  });

  test('is not complete where a right total shows that rows are missing', async () => {
    const counts = await readWorlds((seed) => ({ ...twoOrders(seed), total: 'right' }), 1000, 1 / 25);
    expect(counts).toMatchObject({ lost: 0, reordered: 0 });
    expect(counts.failed).toBeGreaterThan(counts.worlds / 2);
  });

  test('P5: is not complete either if it changes with each answer', async () => {
    const counts = await readWorlds(turning, 1000, 1 / 20);
    expect(counts).toMatchObject({ lost: 0, repeated: 0 });
  });

  test.each([
    [1, 2.35],
    [8, 2.67],
  ])(
    'is not said to change where rows are inserted at the head and deleted anywhere, %i requests at once',
    async (concurrency, cost) => {
      const worlds: Worlds = (seed) => ({ ...ordinaryWorld(seed), elsewhere: 0, concurrency, kills: [] });
      const counts = await readWorlds(worlds, 5000, 1 / 80);
      expect(counts.lost).toBe(0);
      // none in seeds 1 to 5,000
      expect(counts.reordered).toBeLessThanOrEqual(counts.worlds / 5000);
      expectCost(counts, cost);
    },
  );
});
