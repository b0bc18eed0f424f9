import { deepStrictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandsOf } from '../../suites/packaging/markdown.ts';
import type { Bench } from './bench.ts';
import { engine } from './container-tool.ts';
import { publicFolder, withDocker } from './steps.ts';

/** The docker commands of the pages, one after the other: each ends well, and all of a page share one token. */
export async function checkDocs(bench: Bench): Promise<string> {
  const pages = [commandsOf('README.md'), commandsOf('docs/running.md')];
  const commands = pages.map((page) => page.filter((command) => command.startsWith('docker ')));
  deepStrictEqual(
    commands.map(({ length }) => length > 1),
    [true, true],
  );
  for (const [index, page] of commands.entries()) await runPage(bench, page, index);
  return `${commands.flat().length} commands`;
}

async function runPage(bench: Bench, commands: readonly string[], index: number): Promise<void> {
  const world = await bench.world({ assets: 60, alarms: 60 });
  const folder = await publicFolder(bench.folder, 'docs-');
  const name = `source-trailer-data-docs-${process.pid}-${index}`;
  await mkdir(join(folder, 'data'));
  await chmod(join(folder, 'data'), 0o755);
  await writeFile(join(folder, 'data/config.json'), JSON.stringify(world.config));
  const env = await withDocker(bench.folder, name);
  try {
    for (const command of commands) {
      const script = command.replace('tokens:/cache', `${name}:/cache`);
      const { stderr } = await promisify(execFile)('sh', ['-ec', script], { cwd: folder, env });
      deepStrictEqual(stderr, '', command);
    }
    const saved = await readFile(join(folder, 'data/out.jsonl'), 'utf8');
    deepStrictEqual(saved.split('\n').filter((line) => line.startsWith('{"type":"RECORD"')).length, 120);
    deepStrictEqual((await world.requests(0)).tokens.issued, 1);
  } finally {
    await engine('volume', 'rm', '--force', name);
  }
}
