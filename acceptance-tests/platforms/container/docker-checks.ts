import { deepStrictEqual } from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { compareRows } from '../../support/compare-rows.ts';
import { commandsOf } from '../../suites/packaging/markdown.ts';
import { textOf } from '../../suites/packaging/versions.ts';
import type { Bench } from './bench.ts';
import { engine, finished, image, tool } from './container-tool.ts';
import { alarmsServed, savedAlarms } from './outputs.ts';

/** A folder with a `docker` that runs the image under a name, and a volume of that name in place of `tokens`. */
interface DockerHome {
  readonly folder: string;
  readonly name: string;
  /** Runs a script in the folder; its exit code. Throws if it says anything on stderr. */
  readonly run: (script: string) => Promise<number | null>;
}

async function withDocker(bench: Bench, work: (home: DockerHome) => Promise<string>): Promise<string> {
  const folder = await bench.newFolder();
  const name = `source-trailer-data-docker-${process.pid}`;
  const env = { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}` };
  const run = async (script: string): Promise<number | null> => {
    const { code, stderr } = await finished('sh', ['-ec', script], { cwd: folder, env });
    deepStrictEqual(stderr, '', script);
    return code;
  };
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/docker'), dockerStandIn(name), { mode: 0o755 });
  try {
    return await work({ folder, name, run });
  } finally {
    await engine('volume', 'rm', '--force', name);
  }
}

/** Stands in for docker where there is none; the image has been built, and whatever its version is called, it is run. */
function dockerStandIn(name: string): string {
  return [
    '#!/bin/sh',
    '[ "$1" = build ] && exit 0',
    'shift',
    'for one; do',
    '  shift',
    `  case $one in source-trailer-data | source-trailer-data:*) one=${image} ;; tokens:/cache) one=${name}:/cache ;; esac`,
    '  set -- "$@" "$one"',
    'done',
    `exec ${tool} run --name=${name} "$@"`,
    '',
  ].join('\n');
}

/** The docker commands of a page, one after the other: each ends well, and all share one token. */
export async function checkDocs(bench: Bench): Promise<string> {
  const pages = [commandsOf('README.md'), commandsOf('docs/running.md')];
  const counts: number[] = [];
  for (const page of pages) {
    const commands = page.filter((command) => command.startsWith('docker '));
    deepStrictEqual(commands.length > 1, true);
    counts.push(commands.length);
    const world = await bench.world({ assets: 60, alarms: 60 });
    await withDocker(bench, async ({ folder, run }) => {
      await mkdir(join(folder, 'data'));
      await chmod(join(folder, 'data'), 0o755);
      await writeFile(join(folder, 'data/config.json'), JSON.stringify(world.config));
      for (const command of commands) deepStrictEqual(await run(command), 0, command);
      const saved = await readFile(join(folder, 'data/out.jsonl'), 'utf8');
      deepStrictEqual(saved.split('\n').filter((line) => line.startsWith('{"type":"RECORD"')).length, 120);
      deepStrictEqual((await world.requests(0)).tokens.issued, 1);
      return '';
    });
  }
  return `${counts.join(' and ')} commands`;
}

/** deploy/run.sh, the script for cron: a run, one that is killed while a third stays away, and one that goes on from there. */
export async function checkCron(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 50, alarms: 500, options: { tokenLimits: false } });
  return withDocker(bench, async ({ folder, name, run }) => {
    const script = textOf('deploy/run.sh').replaceAll('/srv/trailer-data', folder);
    await writeFile(join(folder, 'run.sh'), script, { mode: 0o755 });
    await writeFile(join(folder, 'config.json'), JSON.stringify(world.config));
    deepStrictEqual(await run('./run.sh'), 0);
    await world.arrive('alarms', { count: 1000 });
    await world.setOptions({ latencyMs: 50 });
    // each run has a second of its own in the names of its files
    const killed = wait(1001).then(() => run('./run.sh'));
    await alarmsServed(world, 500 + 500, killed);
    deepStrictEqual(await run('./run.sh'), 0, 'a run while another one runs stays away');
    await engine('kill', '--signal', 'KILL', name);
    deepStrictEqual(await killed, 137);
    await world.setOptions({ latencyMs: 0 });
    await wait(1001);
    deepStrictEqual(await run('./run.sh'), 0);
    const { lost, doubled, strange } = await compareRows(
      await savedAlarms(folder),
      world.groundTruthRows('alarms', {}),
    );
    // what came after the last state of the killed run may be there twice
    deepStrictEqual({ lost, strange }, { lost: 0, strange: 0 });
    deepStrictEqual((await world.requests(0)).tokens.issued, 1);
    return `3 runs, one of them killed: 0 lost, ${doubled} repeated, 1 token`;
  });
}
