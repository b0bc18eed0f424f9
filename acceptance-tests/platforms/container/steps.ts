import { chmod, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Scenario } from '../../sandbox/client.ts';
import { recordText } from '../../support/run-views.ts';
import { dockerStandIn } from './container-tool.ts';

/** The text of a file of `deploy`. */
export function deployFile(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../../deploy', name), 'utf8');
}

/** New alarms that are older than the lookback, so that the next watermark passes them whenever the read began. */
export async function arriveYesterday(world: Scenario, count: number): Promise<void> {
  await world.arrive('alarms', { count, createdAt: new Date(Date.now() - 86_400_000).toISOString() });
}

/** Resolves when so many rows of alarms have been served, or `running` has ended before; throws what that throws. */
export async function alarmsServed(world: Scenario, rows: number, running: Promise<unknown>): Promise<void> {
  const ended = running.then(() => true);
  while (((await world.requests(0)).endpoints['alarms']?.rows ?? 0) < rows)
    if (await Promise.race([ended, wait(20, false)])) return;
}

/** A new folder under `parent` that every user may read. */
export async function publicFolder(parent: string, prefix: string): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o755);
  return folder;
}

/** An environment in which `docker` runs the image under a name to kill it by. */
export async function withDocker(parent: string, name: string): Promise<NodeJS.ProcessEnv> {
  const home = await mkdtemp(join(parent, 'bin-'));
  await writeFile(join(home, 'docker'), dockerStandIn(name), { mode: 0o755 });
  return { ...process.env, PATH: `${home}:${process.env['PATH']}` };
}

/** The texts of the alarms in the output files of a folder, oldest file first. A line that was cut off is left out. */
export async function savedAlarms(folder: string, prefix: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith(prefix)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').slice(0, -1))
    .filter((line) => line.startsWith('{"type":"RECORD","record":{"stream":"alarms"') && line.endsWith('}}}'))
    .map((line) => recordText(Buffer.from(line)));
}
