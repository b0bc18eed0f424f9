import { expect } from 'vitest';
import { isLong, propertySeed, runs } from '../../property-runs.test-support.ts';
import { ordinaryWorld, withChanges } from './drawn-worlds.fake.ts';
import { readOffsetList } from './read.ts';
import type { World } from './world.fake.ts';
import { readWorld, type Result } from './worlds.fake.ts';

/** Worlds by their seeds. */
export type Worlds = (seed: number) => World;

export interface Counts {
  readonly worlds: number;
  lost: number; // worlds that lost rows, and of these those without a warning
  lostUnseen: number;
  repeated: number;
  reordered: number; // complete, with a warning of the order
  failed: number;
  requests: number;
  pages: number; // that the emitted rows fill
  readonly codes: Map<string, number>;
  readonly seeds: number[]; // of worlds that lost or repeated rows
}

/** The first seed: the same one each time, or another one for each run of all tests. */
const FIRST = propertySeed(process.env);

/** Reads some worlds, and counts what came of them. */
export async function readWorlds(worlds: Worlds, all: number, part: number): Promise<Counts> {
  const count = runs(all, part);
  const counts: Counts = {
    worlds: count,
    lost: 0,
    lostUnseen: 0,
    repeated: 0,
    reordered: 0,
    failed: 0,
    requests: 0,
    pages: 0,
    codes: new Map(),
    seeds: [],
  };
  for (let seed = FIRST; seed < FIRST + count; seed++)
    add(counts, seed, await readWorld(worlds(seed), seed, readOffsetList));
  return counts;
}

function add(counts: Counts, seed: number, result: Result): void {
  const { code, lost, lostLater, repeated, isReordered } = result;
  counts.requests += result.requests;
  counts.pages += result.pages;
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

/** Of many worlds, a few are costly; the order of answers changes with each await. */
const COST_SLACK = isLong ? 4 : 1.05;

/** Checks what reads cost: requests for each page that their rows fill, kills and passes included. */
export function expectCost({ requests, pages }: Counts, most: number): void {
  expect(requests / pages).toBeLessThanOrEqual(COST_SLACK * most);
}

/** The same world with changes of a kind, whose reads are not killed. */
export const quiet = (world: World, kind: string): World => ({ ...withChanges(world, kind), kills: [] });
/** A list at rest, or one that changes for a while. */
export const halfQuiet = (seed: number): World => ({
  ...quiet(ordinaryWorld(seed), seed % 2 === 0 ? 'few' : 'still'),
  active: 40,
});
