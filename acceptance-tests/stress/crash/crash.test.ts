import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/client.ts';
import type { Sandbox } from '../../sandbox/client.ts';
import { describeFigures } from './figures.ts';
import { KILLS_WANTED, runCrashTest } from './run-crash-test.ts';

/** To replay: `CRASH_SEED=… npx vitest run --project long acceptance-tests/stress/crash`. */
const asked = process.env['CRASH_SEED'];
/** Else one that once found a fault, and a new one. */
const seeds = asked === undefined ? [100465101, Math.floor(Math.random() * 2 ** 31)] : [Number(asked)];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

test.concurrent.each(seeds)(
  'seed %i, killed at random bytes, resumed from what had reached stdout: no row is lost or altered, and only what followed the last state is repeated',
  async (seed) => {
    const figures = await runCrashTest(sandbox, seed, () => false);
    const words = describeFigures(figures, seed);
    console.log(`\n${words}`);
    const { counts, problems } = figures;
    expect(problems, words).toStrictEqual([]);
    expect(counts.kills).toBeGreaterThanOrEqual(KILLS_WANTED);
    expect(counts.killsInsideLine).toBeGreaterThan(0);
    expect(counts.assetCycles).toBeGreaterThan(0);
    expect(counts.readsFinished).toBeGreaterThan(0);
  },
  300_000,
);
