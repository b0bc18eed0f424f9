import { describe, expect, test } from 'vitest';
import { expectCost, quiet, readWorlds, type Worlds } from './counted-worlds.fake.ts';
import { EARLY_ENDS, ordinaryWorld, otherOrderFrom, strangeWorld } from './drawn-worlds.fake.ts';
import { STILL_WORLD, type World } from './world.fake.ts';

describe('ordinary lists', () => {
  test.each<[what: string, worlds: Worlds, maxFailed: number, cost: number]>([
    ['a right total', (seed) => ({ ...ordinaryWorld(seed), total: 'right' }), 0.008, 1.66],
    ['any total', ordinaryWorld, 0.2, 2.25],
    // it says nothing about where the list ends
    [
      'a total that is too small',
      (seed) => ({ ...quiet(ordinaryWorld(seed), 'busy'), total: 'too small' }),
      0.005,
      1.82,
    ],
  ])('%s: nothing is lost or repeated', async (_, worlds, maxFailed, cost) => {
    const counts = await readWorlds(worlds, 5000, 1 / 40);
    expect(counts).toMatchObject({ lost: 0, seeds: [] });
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(maxFailed);
    expect(counts.codes.get('endless') ?? 0).toBeLessThan(counts.worlds / 500);
    expectCost(counts, cost);
  });

  test.each(['right', 'too small', 'absent'] as const)(
    'pages that end early lose nothing, and the total is %s',
    async (total) => {
      const sizes = Object.values(EARLY_ENDS);
      const worlds: Worlds = (seed) => ({
        ...ordinaryWorld(seed),
        total,
        size: sizes[seed % sizes.length] ?? STILL_WORLD.size,
      });
      const counts = await readWorlds(worlds, 1500, 1 / 50);
      expect(counts).toMatchObject(total === 'right' ? { lost: 0, seeds: [] } : { repeated: 0 });
      // without a total, four pages may be cut after the same row by chance
      expect(counts.lost / counts.worlds).toBeLessThan(0.002);
      expect(counts.failed / counts.worlds).toBeLessThan(0.1);
      expectCost(counts, { right: 16, 'too small': 10.8, absent: 16.5 }[total]);
    },
  );
});

describe('strange lists', () => {
  test.each<[what: string, worlds: Worlds, maxLost: number, cost: number]>([
    ['a right total', (seed) => ({ ...strangeWorld(seed), total: 'right' }), 0.0005, 6.4],
    ['any total', strangeWorld, 0.001, 6],
  ])('%s: hardly anything is lost, and nothing repeated', async (_, worlds, maxLost, cost) => {
    const counts = await readWorlds(worlds, 5000, 1 / 80);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThan(maxLost);
    expectCost(counts, cost);
  });

  test.each<[what: string, kind: string, maxFailed: number, cost: number]>([
    // such reads take some hundred requests each
    ['about a page is inserted per request', 'page', 0.6, 4],
    ['up to half a page is inserted per request', 'half', 0.02, 2.35],
    ['many rows at once are inserted or deleted', 'storm', 0.003, 2.55],
  ])('%s: nothing is lost', async (_, kind, maxFailed, cost) => {
    const worlds: Worlds = (seed) => ({ ...quiet(ordinaryWorld(seed), kind), total: 'right' });
    const counts = await readWorlds(worlds, kind === 'page' ? 300 : 1000, 1 / 25);
    expect(counts).toMatchObject({ lost: 0, repeated: 0 });
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(maxFailed + 1 / counts.worlds);
    expectCost(counts, cost);
  });
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

  test.each([
    [1, 2],
    [8, 2.15],
  ])(
    'is not said to change where rows are inserted at the head and deleted anywhere, %i requests at once',
    async (concurrency, cost) => {
      const worlds: Worlds = (seed) => ({ ...ordinaryWorld(seed), elsewhere: 0, concurrency, kills: [] });
      const counts = await readWorlds(worlds, 5000, 1 / 40);
      expect(counts.lost).toBe(0);
      // none in seeds 1 to 5,000
      expect(counts.reordered).toBeLessThanOrEqual(counts.worlds / 5000);
      expectCost(counts, cost);
    },
  );
});
