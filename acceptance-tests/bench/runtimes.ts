import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A Node.js to measure with. */
export interface Runtime {
  /** `Node 24`. */
  readonly name: string;
  readonly version: string;
  readonly command: string;
}

const repository = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The Node.js that the image ships, fetched by npm if it is not the running one; then the running one, if it is another. */
export async function findRuntimes(): Promise<readonly [Runtime, ...Runtime[]]> {
  const dockerfile = await readFile(join(repository, 'Dockerfile'), 'utf8');
  const major = /^FROM node:(\d+)/m.exec(dockerfile)?.[1] ?? '';
  const running = runtime(process.execPath, process.version);
  if (running.name === `Node ${major}`) return [running];
  const folder = join(repository, `.work/bench/node-${major}`);
  const command = join(folder, 'node_modules/node/bin/node');
  const versionOf = async (): Promise<string> => (await run(command, ['--version'])).stdout.trim();
  const version = await versionOf().catch(async () => {
    await run('npm', [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      `node@${major}`,
    ]);
    return versionOf();
  });
  return [runtime(command, version), running];
}

function runtime(command: string, version: string): Runtime {
  return { name: `Node ${/\d+/.exec(version)?.[0]}`, version, command };
}
