import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mix } from '../../sandbox/data/random.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { runCrashWorld } from './crash-world.ts';

/** To replay: `CRASH_SEED=… npx vitest run --project long acceptance-tests/stress/crash`. */
const asked = process.env['CRASH_SEED'];
/** Else one that once found a fault, and a new one. */
const seeds = asked === undefined ? [100465101, Math.floor(Math.random() * 2 ** 31)] : [Number(asked)];

/** In each of two worlds of a seed. */
const KILLS_WANTED = 100;
/** Small pages, so that a read has many states; what else servers do differently is left to the simulation. */
const OPTIONS = { tokenLimits: false, alarmsMaxPageSize: 20 };
const bed = useTestBed();

// one world waits for requests while a process of another one starts
test.concurrent.each(seeds.flatMap((seed) => [0, 1].map((number) => [seed, number] as const)))(
  'seed %i, world %i, killed at random bytes, resumed from what had reached stdout: no row is lost or altered, and only what followed the last state is repeated',
  async (seed, number) => {
    const own = mix(seed, number);
    const world = await bed.world({ seed: own, assets: 600, alarms: 1500, options: OPTIONS });
    const folder = await mkdtemp(join(tmpdir(), 'crash-'));
    console.log(`CRASH_SEED=${seed}, world ${number}; the outputs of its rounds are in ${folder}`);
    const { counts, rows, problems } = await runCrashWorld(world, own, folder, KILLS_WANTED);
    console.log(`CRASH_SEED=${seed}, world ${number}:`, counts, rows);
    expect(problems).toStrictEqual([]);
    await rm(folder, { recursive: true });
    expect(counts.kills).toBeGreaterThanOrEqual(KILLS_WANTED);
    expect(counts.killsInsideLine).toBeGreaterThan(0);
    expect(counts.assetCycles).toBeGreaterThan(0);
    expect(counts.readsFinished).toBeGreaterThan(0);
  },
);
