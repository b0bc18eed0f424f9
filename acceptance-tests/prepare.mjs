// Installs and builds what is missing, so that `npm run demo` and `npm test` do everything themselves on a bare machine.
// Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';

function run(command, args, words) {
  process.stderr.write(`${words}\n`);
  const { status } = spawnSync(command, args, {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync('package-lock.json').mtimeMs)
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'], 'installing dependencies …');
run('npm', ['run', '--silent', 'build'], 'building …');
