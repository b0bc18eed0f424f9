import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Scenario } from '../../sandbox/client.ts';
import { recordText } from '../../support/run-views.ts';

/** The user ID that platforms use. */
export const user = 1000;

/** Read-only except for mounts, and without privileges. */
export const confined =
  '--read-only --read-only-tmpfs=false --cap-drop=ALL --security-opt=no-new-privileges'.split(' ');

/** Creates a folder that every user can read, until the end of the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'container-tests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  return folder;
}

/** What run.sh says of a connector in a pod that is evicted. */
const EVICTED = /^run\.sh: the connector was ended by SIGTERM\..*\n/;

/** Returns the exit code of a command. Throws an error if it writes anything to stderr but that a pod was evicted. */
export async function exitCodeOf(cwd: string, command: string, ...args: readonly string[]) {
  return new Promise<number | null>((resolve, reject) => {
    const child = execFile(command, args, { cwd }, (_error, _stdout, stderr) => {
      const problem = child.exitCode === 143 ? stderr.replace(EVICTED, '') : stderr;
      if (problem === '') resolve(child.exitCode);
      else reject(new Error(problem));
    });
  });
}

/** Resolves when a number of alarms has been served or `running` has ended. Throws its error. */
export async function alarmsServed(world: Scenario, rows: number, running: Promise<unknown>): Promise<void> {
  const ended = running.then(() => true);
  while (((await world.requests(0)).endpoints['alarms']?.rows ?? 0) < rows)
    if (await Promise.race([ended, wait(20, false)])) return;
}

/** Returns the texts of the alarms in the output files of a folder, oldest file first, without truncated lines. */
export async function savedAlarms(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^out-.*\.jsonl$/.test(name)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').slice(0, -1))
    .filter((line) => line.startsWith('{"type":"RECORD","record":{"stream":"alarms"') && line.endsWith('}}}'))
    .map((line) => recordText(Buffer.from(line)));
}
