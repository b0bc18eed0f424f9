import { deepStrictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { compareRows, exact } from '../../support/compare-rows.ts';
import type { Bench } from './bench.ts';
import { ended, engine } from './container-tool.ts';
import { alarmsServed, arriveYesterday, deployFile, publicFolder, savedAlarms, withDocker } from './steps.ts';

/** deploy/run.sh, the script for cron: a run, one that brings what is new, one that is killed, and one that goes on from there. */
export async function checkCron(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 50, alarms: 500, options: { tokenLimits: false } });
  const folder = await publicFolder(bench.folder, 'cron-');
  const name = `source-trailer-data-cron-${process.pid}`;
  const env = await withDocker(bench.folder, name);
  const script = deployFile('run.sh')
    .replaceAll('/srv/trailer-data', folder)
    .replace('tokens:/cache', `${name}:/cache`);
  await writeFile(join(folder, 'run.sh'), script, { mode: 0o755 });
  await writeFile(join(folder, 'config.json'), JSON.stringify(world.config));
  const run = async (): Promise<number | null> => {
    // each run has a second of its own in the names of its files
    await wait(1001);
    const { code, stderr } = await ended(
      spawn('./run.sh', { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    deepStrictEqual(stderr, '');
    return code;
  };
  const rows = (): Promise<string[]> => savedAlarms(folder, 'out-');
  try {
    deepStrictEqual(await run(), 0);
    await arriveYesterday(world, 40);
    deepStrictEqual(await run(), 0);
    deepStrictEqual(await compareRows(await rows(), world.groundTruthRows('alarms', {})), exact);
    await arriveYesterday(world, 1000);
    await world.setOptions({ latencyMs: 50 });
    const killed = run();
    await alarmsServed(world, 540 + 500, killed);
    deepStrictEqual(await run(), 0, 'a run while another one runs stays away');
    await engine('kill', '--signal', 'KILL', name);
    deepStrictEqual(await killed, 137);
    await world.setOptions({ latencyMs: 0 });
    deepStrictEqual(await run(), 0);
    const found = await compareRows(await rows(), world.groundTruthRows('alarms', {}));
    // what came after the last state of the killed run may be there twice
    deepStrictEqual({ lost: found.lost, strange: found.strange }, { lost: 0, strange: 0 });
    deepStrictEqual((await world.requests(0)).tokens.issued, 1);
    return `4 runs, one of them killed: 0 lost, ${found.doubled} repeated, 1 token`;
  } finally {
    await engine('volume', 'rm', '--force', name);
  }
}
