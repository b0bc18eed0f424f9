import { deepStrictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { compareRows, exact } from '../support/compare-rows.ts';
import type { Bench } from './bench.ts';
import { dockerStandIn, engine } from './container-tool.ts';
import { deployFile } from './deploy-files.ts';
import { publicFolder, savedAlarms } from './saved-output.ts';
import { alarmsServed, arriveYesterday } from './world-steps.ts';

/** deploy/run.sh, the script for cron: a run, one that brings what is new, one that is killed, and one that goes on from there. */
export async function checkCron(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 50, alarms: 500, options: { tokenLimits: false } });
  const folder = await publicFolder(bench.folder, 'cron-');
  const home = await mkdtemp(join(bench.folder, 'bin-'));
  const name = `source-trailer-data-cron-${process.pid}`;
  await writeFile(join(home, 'docker'), dockerStandIn(name), { mode: 0o755 });
  const script = deployFile('run.sh')
    .replaceAll('/srv/trailer-data', folder)
    .replace('tokens:/cache', `${name}:/cache`);
  await writeFile(join(folder, 'run.sh'), script, { mode: 0o755 });
  await writeFile(join(folder, 'config.json'), JSON.stringify(world.config));
  const run = async (): Promise<number | null> => {
    // each run has a second of its own in the names of its files
    await wait(1001);
    const child = spawn('./run.sh', {
      cwd: folder,
      env: { ...process.env, PATH: `${home}:${process.env['PATH']}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [code]] = await Promise.all([
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    deepStrictEqual(said, '');
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
