import { describe, expect, test } from 'vitest';
import type { OffsetParameters } from '../../../acceptance-tests/model/offset-answer.ts';
import { propertySeed, runs } from '../../property-runs.test-support.ts';
import { expectCost, halfQuiet, quiet, readWorlds, type Worlds } from './counted-worlds.fake.ts';
import { ordinaryWorld, withChanges } from './drawn-worlds.fake.ts';
import type { Cause } from './explain.ts';
import { readOffsetList } from './read.ts';
import type { World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

/** The same seeds each time, or other ones for each run of all tests. */
const FIRST = propertySeed(process.env);

const aligned =
  (offsets: 'rounded down' | 'refused', total: World['total']): Worlds =>
  (seed) => {
    const { server, ...world } = halfQuiet(seed);
    const limit = 8 + (seed % 9);
    // of a list that is shorter than its pages, and states no total, the end cannot be seen there
    const rows = world.rows + limit;
    const kills = seed % 3 === 0 ? [4 + (seed % 7), 5] : [];
    return {
      ...world,
      rows,
      total,
      limit,
      kills,
      server: { pastEnd: server.pastEnd ?? 'empty page', offsets },
    };
  };
const window = (rows: number, changes: string): Worlds => {
  const most = { total: 'right', minRows: 5, server: { window: 60 } } as const;
  return (seed) => ({
    ...quiet(ordinaryWorld(seed), seed % 2 === 0 ? changes : 'still'),
    ...most,
    rows: rows + (seed % 31),
    limit: 10 + (seed % 7),
    active: 3,
  });
};
const limited =
  (worlds: Worlds, acrossDepth: OffsetParameters['acrossDepth']): Worlds =>
  (seed) => {
    const { server, ...world } = worlds(seed);
    return {
      ...world,
      rows: 50,
      total: 'right',
      server: { ...server, depth: 15 + (seed % 10), acrossDepth },
    };
  };
const ACROSS = ['cut there', 'whole', 'past the end'] as const;
const repeating =
  (more: number): Worlds =>
  (seed) => ({
    ...halfQuiet(seed),
    total: 'right',
    limit: 6 + (seed % 9),
    elsewhere: 0,
    server: {},
    copiesOf: (row) => (row % 10 < 3 ? 1 + (row % more) : 0),
  });
const sharing = (total: World['total']): Worlds => {
  return (seed) => ({ ...halfQuiet(seed), total, keyOf: (row) => (row % 7 === 3 ? row - 3 : row) });
};

const whole: Worlds = (seed) => {
  const own = { total: 'right', rows: 2 + (seed % 9), limit: 12, server: {}, ignoresOffset: true } as const;
  return { ...quiet(ordinaryWorld(seed), 'still'), ...own };
};
const keyless =
  (each: number): Worlds =>
  (seed) => ({
    ...halfQuiet(seed),
    rows: 60,
    total: seed % 2 === 0 ? 'right' : 'absent',
    textOf: (row, answer) => (row % each === 0 ? `row ${row}, answer ${answer}` : `row ${row}`),
  });
const HIDDEN = 'nothing is shown beyond an offset';

describe('servers', () => {
  // what is hidden may come before the depth when rows before it are deleted, while the end is read
  test.each([
    ['few', 0.005, 15.6],
    ['an insert each time', 0, 7.23],
    ['inserts', 0, 8.74],
    ['an insert and a deletion each time', 0.01, 7.24],
    ['busy', 0.04, 13.83],
    ['deletes', 0.05, 9.88],
  ] as const)('that hide rows beyond a depth (%s) fail the read', async (kind, maxLost, cost) => {
    const worlds: Worlds = (seed) => {
      const changing: Worlds = () => withChanges(ordinaryWorld(seed), kind);
      return limited(changing, ACROSS[seed % ACROSS.length] ?? 'whole')(seed);
    };
    const counts = await readWorlds(worlds, 1000, 1 / 20);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThanOrEqual(maxLost);
    expectCost(counts, cost);
  });

  test.each(ACROSS)(
    'that show nothing beyond a depth: it is told, if the page there is %s',
    async (acrossDepth) => {
      for (let seed = FIRST; seed < FIRST + runs(300, 1 / 30); seed++) {
        const own = quiet(ordinaryWorld(seed), 'still');
        const limit = 10 + (seed % 50);
        const depth = 3 + limit * (2 + (seed % 19));
        const rows = depth + limit * (2 + ((seed * 31) % 40));
        const pastEnd = (['empty page', 400, 'first page', 'last page'] as const)[seed % 4] ?? 400;
        const world: World = { ...own, limit, rows, total: 'right', server: { pastEnd, depth, acrossDepth } };
        const { code, outcome } = await readWorld(world, seed, readOffsetList);
        expect(code).toBe(HIDDEN);
        const first = acrossDepth === 'past the end' ? depth - limit + 1 : depth;
        const from = outcome?.limitedAt ?? outcome?.stop?.hiddenFrom ?? 0;
        expect(Math.abs(from - first), `${seed}: ${from} for ${first}`).toBeLessThanOrEqual(limit);
      }
    },
  );

  test.each<[what: string, worlds: Worlds, most: { failed?: number; lost?: number; cost: number }]>([
    ['round offsets down', aligned('rounded down', 'right'), { failed: 0.05, cost: 2.85 }],
    ['round offsets down, and state no total', aligned('rounded down', 'absent'), { failed: 0.05, cost: 3 }],
    ['refuse offsets that are no multiples', aligned('refused', 'right'), { failed: 0.05, cost: 2.66 }],
    [
      'refuse offsets that are no multiples, and state no total',
      aligned('refused', 'absent'),
      { failed: 0.05, cost: 2.7 },
    ],
    ['have a window that is larger than the list', window(30, 'few'), { failed: 0.07, cost: 1.52 }],
    ['repeat rows once', repeating(1), { failed: 0.01, cost: 2.22 }],
    ['repeat rows up to three times', repeating(3), { failed: 0.08, cost: 3.32 }],
    ['ignore the offset, and return the whole list', whole, { failed: 0, cost: 12.8 }],
    ['have rows with the same key', sharing('right'), { lost: 0.04, cost: 3.75 }],
    ['have rows with the same key, and state no total', sharing('absent'), { lost: 0.04, cost: 2.36 }],
  ])('that %s', async (_, worlds, { failed = 1, lost = 0, cost }) => {
    const counts = await readWorlds(worlds, 500, 1 / 20);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThanOrEqual(lost);
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(failed);
    expectCost(counts, cost);
  });

  test.each<[what: string, worlds: Worlds, cause: Cause | 'rows are missing', cost: number]>([
    ['have a window that is smaller than the list', window(66, 'still'), HIDDEN, 13.9],
    ['cut the list at a depth', limited(halfQuiet, 'cut there'), HIDDEN, 5.75],
    ['show no page beyond a depth', limited(halfQuiet, 'whole'), HIDDEN, 15.8],
    ['show no page that reaches beyond a depth', limited(halfQuiet, 'past the end'), HIDDEN, 15.7],
    [
      'return one row per page',
      (seed) => ({
        ...quiet(ordinaryWorld(seed), 'still'),
        total: seed % 2 === 0 ? 'right' : 'absent',
        rows: 20,
        server: { maxPerPage: 1 },
      }),
      'one row per page',
      46.7,
    ],
    [
      'ignore the offset',
      (seed) => ({ ...halfQuiet(seed), rows: 60, total: 'right', ignoresOffset: true }),
      'the offset is ignored',
      14.9,
    ],
    [
      'leave rows out of pages that were cut',
      (seed) => ({ ...halfQuiet(seed), rows: 60, total: 'right', leavesOut: (row) => row % 3 === 0 }),
      'rows are missing',
      9.1,
    ],
  ])('that %s fail the read', async (_, worlds, cause, cost) => {
    const counts = await readWorlds(worlds, 500, 1 / 20);
    expect(counts).toMatchObject({ lost: 0, repeated: 0 });
    // a few are read to their end from offsets before the depth
    expect(counts.failed / counts.worlds).toBeGreaterThan(0.9);
    expect((counts.codes.get(cause) ?? 0) / counts.failed).toBeGreaterThan(0.5);
    // the requests that a read may take are few for each page
    expectCost(counts, cost);
  });

  test.each([1, 3, 10])(
    'that return rows without a key, of which 1 in %i changes, fail the read',
    async (each) => {
      const { worlds, codes } = await readWorlds(keyless(each), 500, 1 / 20);
      expect(codes.get('rows cannot be recognized') ?? 0).toBeGreaterThan(0.9 * worlds);
    },
  );
});
