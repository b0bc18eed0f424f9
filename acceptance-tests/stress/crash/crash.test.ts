import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/client.ts';
import type { Sandbox } from '../../sandbox/client.ts';
import { killsWanted, runCrashTest } from './run-crash-test.ts';

/** To replay: `CRASH_SEED=… npx vitest run --project long acceptance-tests/stress/crash`. */
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let sandbox: Sandbox | undefined;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox?.stop();
});

test('killed at random bytes, resumed from what had reached stdout: no row is lost or altered, and only what followed the last state is repeated', async () => {
  if (sandbox === undefined) throw new Error('no sandbox');
  const { clean, figures, words } = await runCrashTest(sandbox, seed, () => false);
  console.log(`\n${words}`);
  expect(clean, words).toBe(true);
  expect(figures.kills).toBeGreaterThanOrEqual(killsWanted);
  expect(figures.killsInsideLine).toBeGreaterThan(0);
  expect(figures.assetCycles).toBeGreaterThan(0);
  expect(figures.readsFinished).toBeGreaterThan(0);
}, 300_000);
