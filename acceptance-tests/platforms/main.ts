import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandbox } from '../sandbox/client.ts';
import { ensureBuilt } from '../support/ensure-built.ts';
import { tellSkips } from '../support/skips.ts';
import type { Skip } from '../support/skips.ts';
import { NotAvailable, ensureEnvironment } from './python-environment.ts';

const suites = join(import.meta.dirname, 'python');
const work = join(import.meta.dirname, '../../.work/platforms');
const skipped = join(work, 'skips.jsonl');

try {
  const programs = await ensureEnvironment(join(work, 'python'), join(suites, 'requirements.txt'));
  process.exitCode = await runSuites(join(programs, 'python'));
} catch (error) {
  if (!(error instanceof NotAvailable)) throw error;
  const file = 'acceptance-tests/platforms/main.ts';
  if (!tellSkips([{ file, name: 'the platform tests', reason: error.message }])) process.exitCode = 1;
}

/** Runs pytest on the suites (arguments of this process go to it, for example `-k killed`); gives its exit code. */
async function runSuites(python: string): Promise<number> {
  const program = await ensureBuilt();
  const sandbox = await startSandbox();
  try {
    await rm(skipped, { force: true });
    const child = spawn(python, ['-m', 'pytest', suites, ...process.argv.slice(2)], {
      cwd: work,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        SANDBOX_URL: sandbox.url,
        NODE: process.execPath,
        PROGRAM: program,
        SKIPS: skipped,
        // nothing of this leaves the machine
        AIRBYTE_OFFLINE_MODE: '1',
        DO_NOT_TRACK: '1',
        AIRBYTE_PROJECT_DIR: work,
        AIRBYTE_LOGGING_ROOT: join(work, 'logs'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        NO_COLOR: '1',
      },
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const lines = (await readFile(skipped, 'utf8').catch(() => '')).split('\n').slice(0, -1);
    return tellSkips(lines.map((line) => JSON.parse(line) as Skip)) ? (code ?? 1) : 1;
  } finally {
    await sandbox.stop();
  }
}
