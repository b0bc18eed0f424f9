import { expect, test } from 'vitest';
import { propertySeed, runs } from '../../property-runs.test-support.ts';
import { ordinaryWorld, withChanges } from './drawn-worlds.fake.ts';
import { readOffsetList } from './read.ts';
import type { World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

const textOf = (row: number, answer: number) => (row % 3 === 0 ? null : `row ${row} ${answer}`);

/** A busy list, two thirds of whose rows have no key, and look new each time. */
function changingTexts(seed: number): World {
  const { server, ...world } = withChanges(ordinaryWorld(seed), 'busy');
  return {
    ...world,
    rows: 40,
    limit: 3 + (seed % 4),
    kills: [],
    textOf,
    server: { ...server, maxPerPage: 3 },
  };
}

test('rows that only look new do not keep a read going without end', async () => {
  const first = propertySeed(process.env);
  const codes = new Set<string | null>();
  for (let seed = first; seed < first + runs(500, 1 / 20); seed++)
    codes.add((await readWorld(changingTexts(seed), seed, readOffsetList)).code);
  expect(codes).not.toContain('endless');
});
