// Installs and builds what is missing, so that `npm run demo` and `npm test` do everything themselves on a bare machine.
import { spawnSync } from 'node:child_process';

process.stderr.write('building …\n');
const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
  stdio: ['ignore', 2, 2],
  shell: process.platform === 'win32',
});
if (status !== 0) throw new Error('npm run build failed');
