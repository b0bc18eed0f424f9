import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository, textOf } from '../suites/packaging/versions.ts';
import { NotAvailable } from './python-environment.ts';

const run = promisify(execFile);
const node = (command: string, version: string) => ({
  name: `Node ${version.split('.')[0]}`,
  version,
  command,
});
type Node = ReturnType<typeof node>;

/**
 * Returns the Node.js of the image, installed from npm if it is not the running one, then the running one if it differs.
 *
 * @throws NotAvailable if npm cannot install it
 */
export async function findNodes(): Promise<readonly [Node, ...Node[]]> {
  const [, major = ''] = /^FROM node:(\d+)/m.exec(textOf('Dockerfile')) ?? [];
  const running = node(process.execPath, process.versions.node);
  if (running.version.startsWith(`${major}.`)) return [running];
  const folder = join(repository, `.work/node-${major}`);
  const command = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(command)) {
    const options = ['--no-save', '--no-audit', '--no-fund', '--prefix', folder];
    await run('npm', ['install', ...options, `node@${major}`]).catch((error: unknown) => {
      throw new NotAvailable(`npm cannot install Node.js ${major}: ${String(error)}`);
    });
  }
  const { stdout: version } = await run(command, ['--version']);
  return [node(command, version.trim().slice(1)), running];
}

/** Runs the acceptance suites, or the given tests, on the Node.js of the image. Returns true if they pass. */
export async function runOnNodeOfImage(args: readonly string[]): Promise<boolean> {
  const [image, other] = await findNodes();
  console.log(`acceptance suites on Node.js ${image.version}, as in the image`);
  if (other === undefined) return true;
  const files = args.length > 0 ? args : ['acceptance-tests/suites'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'acceptance', ...files];
  const env = { ...process.env, PATH: dirname(image.command) + delimiter + process.env['PATH'] };
  return spawnSync(image.command, vitest, { cwd: repository, env, stdio: 'inherit' }).status === 0;
}
