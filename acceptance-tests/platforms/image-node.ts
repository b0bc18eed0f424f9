import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tellSkips } from '../support/skips.ts';
import { textOf } from '../suites/packaging/versions.ts';

/** Runs the acceptance suites once more on the Node.js of the image, which npm has as a package; true if all went well. */
export function runOnNodeOfImage(args: readonly string[]): boolean {
  const [, major = ''] = /^FROM node:(\d+)/m.exec(textOf('Dockerfile')) ?? [];
  if (process.versions.node.startsWith(`${major}.`)) {
    console.log(`the suites ran on Node.js ${process.version}, as the image does`);
    return true;
  }
  const node = (words: readonly string[], output: 'pipe' | 'inherit') =>
    spawnSync('npx', ['--yes', '--package', `node@${major}`, '--', 'node', ...words], {
      cwd: join(import.meta.dirname, '../..'),
      stdio: ['ignore', output, 'inherit'],
      encoding: 'utf8',
    });
  const { status, stdout } = node(['--version'], 'pipe');
  if (status !== 0) {
    const file = 'acceptance-tests/platforms/image-node.ts';
    const reason = `npm does not fetch Node.js ${major} here`;
    return tellSkips([{ file, name: 'the acceptance suites on the Node.js of the image', reason }]);
  }
  console.log(`the acceptance suites on Node.js ${stdout.trim()}, as in the image`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'acceptance', ...args];
  return node(vitest, 'inherit').status === 0;
}
