// Installs the dependencies if they are missing or older than the lock file, so that `npm run build`, `npm run demo` and `npm test` work in
// a fresh clone. Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync('package-lock.json').mtimeMs) {
  process.stderr.write('installing dependencies …\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const { status } = spawnSync('npm', args, {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}
