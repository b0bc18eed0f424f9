import { expect, test } from 'vitest';
import { propertySeed, runs } from '../../property-runs.test-support.ts';
import { ordinaryWorld, withChanges } from './drawn-worlds.fake.ts';
import { readOffsetList } from './read.ts';
import type { World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

const FIRST = propertySeed(process.env);

const isTooLarge = (total: World['total']): boolean =>
  total === 'too large' || (typeof total === 'object' && total.plus > 0);
/** How many requests each pass may take: the fewest for a right total, which says where to stop requesting ahead. */
const mostRequests = ({ rows, limit, total, server, concurrency }: World): number => {
  const stride = Math.min(limit, server.maxPerPage ?? limit) - 1;
  const past = total === 'right' ? 1 : 4;
  const ahead = total === 'absent' || isTooLarge(total) ? 2 * concurrency : 0;
  return Math.max(1, Math.ceil((rows - 1) / stride)) + past + ahead;
};

test('a list at rest takes few requests more than it has pages, and a few more whenever its read is killed', async () => {
  for (let seed = FIRST; seed < FIRST + runs(3000, 1 / 12); seed++) {
    const world = withChanges(ordinaryWorld(seed), 'still');
    // such a total is believed once
    const [passes, kills] = isTooLarge(world.total) ? [2, []] : [1, world.kills];
    const { requests, notices, outcome } = await readWorld({ ...world, kills }, seed, readOffsetList);
    expect({ seed, notices, passes: outcome?.passes }).toStrictEqual({ seed, notices: [], passes });
    // the head pass takes one; what a killed read has requested ahead, or not written yet, is requested again
    const most = passes * mostRequests(world) + 1 + 4 * kills.length;
    expect(requests, `requests of ${seed}`).toBeLessThanOrEqual(most);
  }
});
