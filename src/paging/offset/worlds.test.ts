import { describe, expect, test } from 'vitest';
import type { OffsetParameters } from '../../../acceptance-tests/model/offset-answer.ts';
import { propertySeed, runs } from '../../property-runs.test-support.ts';
import { ordinaryWorld, otherOrderFrom, strangeWorld, withChanges, EARLY_ENDS } from './drawn-worlds.fake.ts';
import type { Cause } from './explain.ts';
import { readOffsetList } from './read.ts';
import { STILL_WORLD, type World } from './world.fake.ts';
import { readWorld, type Result } from './worlds.fake.ts';

type Worlds = (seed: number) => World;

interface Counts {
  readonly worlds: number;
  lost: number; // worlds that lost rows, and of these those without a warning
  lostUnseen: number;
  repeated: number;
  reordered: number; // complete, with a warning of the order
  failed: number;
  readonly codes: Map<string, number>;
  readonly seeds: number[]; // of worlds that lost or repeated rows
}

/** The first seed: the same one each time, or another one for each run of all tests. */
const FIRST = propertySeed(process.env);

/** Reads some worlds, and counts what came of them. */
async function readWorlds(worlds: Worlds, all: number, part: number): Promise<Counts> {
  const count = runs(all, part);
  const counts: Counts = {
    worlds: count,
    lost: 0,
    lostUnseen: 0,
    repeated: 0,
    reordered: 0,
    failed: 0,
    codes: new Map(),
    seeds: [],
  };
  for (let seed = FIRST; seed < FIRST + count; seed++)
    add(counts, seed, await readWorld(worlds(seed), seed, readOffsetList));
  return counts;
}

function add(counts: Counts, seed: number, { code, lost, lostLater, repeated, isReordered }: Result): void {
  const isLost = lost + lostLater > 0;
  if (isLost) counts.lost++;
  if (isLost && !isReordered) counts.lostUnseen++;
  if (repeated > 0) counts.repeated++;
  if (isLost || repeated > 0) counts.seeds.push(seed);
  if (code === null && isReordered) counts.reordered++;
  if (code === null) return;
  counts.failed++;
  counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
}

const quiet = (world: World, kind: string): World => ({ ...withChanges(world, kind), kills: [] });
/** A list at rest, or one that changes for a while. */
const halfQuiet = (seed: number): World => ({
  ...quiet(ordinaryWorld(seed), seed % 2 === 0 ? 'few' : 'still'),
  active: 40,
});

describe('ordinary lists', () => {
  test.each<[what: string, worlds: Worlds, maxFailed: number]>([
    ['a right total', (seed) => ({ ...ordinaryWorld(seed), total: 'right' }), 0.008],
    ['any total', ordinaryWorld, 0.2],
    // it says nothing about where the list ends
    [
      'a total that is too small',
      (seed) => ({ ...quiet(ordinaryWorld(seed), 'busy'), total: 'too small' }),
      0.005,
    ],
  ])('%s: nothing is lost or repeated', async (_, worlds, maxFailed) => {
    const counts = await readWorlds(worlds, 5000, 1 / 40);
    expect(counts).toMatchObject({ lost: 0, seeds: [] });
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(maxFailed);
    expect(counts.codes.get('endless') ?? 0).toBeLessThan(counts.worlds / 500);
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
    },
  );
});

describe('strange lists', () => {
  test.each<[what: string, worlds: Worlds, maxLost: number]>([
    ['a right total', (seed) => ({ ...strangeWorld(seed), total: 'right' }), 0.0005],
    ['any total', strangeWorld, 0.001],
  ])('%s: hardly anything is lost, and nothing repeated', async (_, worlds, maxLost) => {
    const counts = await readWorlds(worlds, 5000, 1 / 80);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThan(maxLost);
  });

  test.each<[what: string, kind: string, maxFailed: number]>([
    // such reads take some hundred requests each
    ['about a page is inserted per request', 'page', 0.6],
    ['up to half a page is inserted per request', 'half', 0.02],
    ['many rows at once are inserted or deleted', 'storm', 0.003],
  ])('%s: nothing is lost', async (_, kind, maxFailed) => {
    const worlds: Worlds = (seed) => ({ ...quiet(ordinaryWorld(seed), kind), total: 'right' });
    const counts = await readWorlds(worlds, kind === 'page' ? 300 : 1000, 1 / 25);
    expect(counts).toMatchObject({ lost: 0, repeated: 0 });
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(maxFailed + 1 / counts.worlds);
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

  test.each([1, 8])(
    'is not said to change where rows are inserted at the head and deleted anywhere, %i requests at once',
    async (concurrency) => {
      const worlds: Worlds = (seed) => ({ ...ordinaryWorld(seed), elsewhere: 0, concurrency, kills: [] });
      const { worlds: count, lost, reordered } = await readWorlds(worlds, 5000, 1 / 40);
      expect(lost).toBe(0);
      // none in seeds 1 to 5,000
      expect(reordered).toBeLessThanOrEqual(count / 5000);
    },
  );
});

const aligned =
  (offsets: 'rounded down' | 'refused', total: World['total']): Worlds =>
  (seed) => {
    const { server, ...world } = halfQuiet(seed);
    const limit = 8 + (seed % 9);
    // of a list that is shorter than its pages, and states no total, the end cannot be seen there
    const rows = world.rows + limit;
    const kills = seed % 3 === 0 ? [4 + (seed % 7), 5] : [];
    return { ...world, rows, total, limit, kills, server: { ...server, maxPerPage: Infinity, offsets } };
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
const textOf: World['textOf'] = (row, answer) => `row ${row}, answer ${answer}`;
const keyless: Worlds = (seed) => {
  return { ...halfQuiet(seed), rows: 60, total: seed % 2 === 0 ? 'right' : 'absent', textOf };
};
const HIDDEN = 'nothing is shown beyond an offset';

describe('servers', () => {
  // what is hidden may come before the depth when rows before it are deleted, while the end is read
  test.each([
    ['few', 0.005],
    ['an insert each time', 0],
    ['inserts', 0],
    ['an insert and a deletion each time', 0.01],
    ['busy', 0.04],
    ['deletes', 0.05],
  ] as const)('that hide rows beyond a depth (%s) fail the read', async (kind, maxLost) => {
    const worlds: Worlds = (seed) => {
      const changing: Worlds = () => withChanges(ordinaryWorld(seed), kind);
      return limited(changing, ACROSS[seed % ACROSS.length] ?? 'whole')(seed);
    };
    const counts = await readWorlds(worlds, 1000, 1 / 10);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThanOrEqual(maxLost);
  });

  test.each<[what: string, worlds: Worlds, most: { failed?: number; lost?: number }]>([
    ['round offsets down', aligned('rounded down', 'right'), { failed: 0.03 }],
    ['round offsets down, and state no total', aligned('rounded down', 'absent'), { failed: 0.05 }],
    ['refuse offsets that are no multiples', aligned('refused', 'right'), { failed: 0.05 }],
    [
      'refuse offsets that are no multiples, and state no total',
      aligned('refused', 'absent'),
      { failed: 0.05 },
    ],
    ['have a window that is larger than the list', window(30, 'few'), { failed: 0.07 }],
    ['repeat rows once', repeating(1), { failed: 0.01 }],
    ['repeat rows up to three times', repeating(3), { failed: 0.07 }],
    ['ignore the offset, and return the whole list', whole, { failed: 0 }],
    ['have rows with the same key', sharing('right'), { lost: 0.02 }],
    ['have rows with the same key, and state no total', sharing('absent'), { lost: 0.04 }],
  ])('that %s', async (_, worlds, { failed = 1, lost = 0 }) => {
    const counts = await readWorlds(worlds, 500, 1 / 20);
    expect(counts.repeated).toBe(0);
    expect(counts.lost / counts.worlds).toBeLessThanOrEqual(lost);
    expect(counts.failed / counts.worlds).toBeLessThanOrEqual(failed);
  });

  test.each<[what: string, worlds: Worlds, cause: Cause | 'rows are missing']>([
    ['have a window that is smaller than the list', window(66, 'still'), HIDDEN],
    ['cut the list at a depth', limited(halfQuiet, 'cut there'), HIDDEN],
    ['show no page beyond a depth', limited(halfQuiet, 'whole'), HIDDEN],
    ['show no page that reaches beyond a depth', limited(halfQuiet, 'past the end'), HIDDEN],
    [
      'return one row per page',
      (seed) => ({
        ...quiet(ordinaryWorld(seed), 'still'),
        total: seed % 2 === 0 ? 'right' : 'absent',
        rows: 20,
        server: { maxPerPage: 1 },
      }),
      'one row per page',
    ],
    [
      'ignore the offset',
      (seed) => ({ ...halfQuiet(seed), rows: 60, total: 'right', ignoresOffset: true }),
      'the offset is ignored',
    ],
    [
      'leave rows out of pages that were cut',
      (seed) => ({ ...halfQuiet(seed), rows: 60, total: 'right', leavesOut: (row) => row % 3 === 0 }),
      'rows are missing',
    ],
  ])('that %s fail the read', async (_, worlds, cause) => {
    const counts = await readWorlds(worlds, 500, 1 / 20);
    expect(counts).toMatchObject({ lost: 0, repeated: 0 });
    // a few are read to their end from offsets before the depth
    expect(counts.failed / counts.worlds).toBeGreaterThan(0.94);
    expect((counts.codes.get(cause) ?? 0) / counts.failed).toBeGreaterThan(0.5);
  });

  test('that return rows without a key, whose text changes, fail the read', async () => {
    const { worlds, codes } = await readWorlds(keyless, 500, 1 / 20);
    expect(Object.fromEntries(codes)).toStrictEqual({ 'rows cannot be recognized': worlds });
  });
});
