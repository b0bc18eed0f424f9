import { expect, test } from 'vitest';
import { propertySeed, runs } from '../../property-runs.test-support.ts';
import { ordinaryWorld, withChanges } from './drawn-worlds.fake.ts';
import { readOffsetList } from './read.ts';
import { STILL_WORLD, pageSizeOf, type World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

const FIRST = propertySeed(process.env);

const isTooLarge = (total: World['total']): boolean =>
  total === 'too large' || (typeof total === 'object' && total.plus > 0);
/** How many larger pages a server may refuse before it returns one, whenever a read begins. */
const mostRefused = ({ limit, server: { refusedAbove = Infinity } }: World): number =>
  limit > refusedAbove ? 5 : 0;
/** How many requests each pass may take: the fewest for a right total, which says where to stop requesting ahead. */
const mostRequests = (world: World): number => {
  const { rows, total, concurrency } = world;
  const stride = pageSizeOf(world) - 1;
  const past = total === 'right' ? 1 : 4;
  const ahead = total === 'absent' || isTooLarge(total) ? 2 * concurrency : 0;
  return Math.max(1, Math.ceil((rows - 1) / stride)) + past + ahead;
};

test('P6: a list at rest takes few requests more than it has pages, and a few more whenever its read is killed', async () => {
  for (let seed = FIRST; seed < FIRST + runs(3000, 1 / 12); seed++) {
    const world: World = { ...withChanges(ordinaryWorld(seed), 'still'), changesBetween: () => [] };
    // such a total is believed once
    const [passes, kills] = isTooLarge(world.total) ? [2, []] : [1, world.kills];
    const { requests, refusedSizes, notices, outcome } = await readWorld(
      { ...world, kills },
      seed,
      readOffsetList,
    );
    expect({ seed, notices, passes: outcome?.passes }).toStrictEqual({ seed, notices: [], passes });
    // the head pass takes one; what a killed read has requested ahead, or not written yet, is requested again
    const most = passes * mostRequests(world) + 1 + 4 * kills.length;
    expect(requests, `requests of ${seed}`).toBeLessThanOrEqual(most);
    expect(refusedSizes, `sizes of ${seed}`).toBeLessThanOrEqual((1 + kills.length) * mostRefused(world));
  }
});

const changesBetween: World['changesBetween'] = ({ between, chance }) =>
  chance(50)
    ? [{ kind: 'insert', count: between(1, 240) }]
    : [{ kind: 'delete', count: between(1, 90), at: 0 }];

test('a killed read goes on where it was although pages of rows were inserted or deleted meanwhile', async () => {
  const notices = new Set<string>();
  for (let seed = FIRST; seed < FIRST + runs(500, 1 / 10); seed++) {
    const total = seed % 2 === 0 ? 'right' : 'absent';
    const world: World = {
      ...STILL_WORLD,
      rows: 400,
      limit: 20,
      total,
      kills: [6 + (seed % 5)],
      changesBetween,
    };
    const result = await readWorld(world, seed, readOffsetList);
    expect(result).toMatchObject({ code: null, lost: 0, repeated: 0, resumed: 1 });
    for (const notice of result.notices) notices.add(notice);
  }
  expect([...notices]).not.toContain('the place is gone');
});
