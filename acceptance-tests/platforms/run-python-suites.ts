import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { startSandbox } from '../sandbox/client.ts';
import { program } from '../support/program.ts';
import { reportSkips, type Skip } from '../support/skips.ts';
import { installDuckdbs } from './duckdb-releases.ts';
import { ensureEnvironment } from './python-environment.ts';

const suites = join(import.meta.dirname, 'python');
const work = join(import.meta.dirname, '../../.work/platforms');
const scratch = join(work, 'scratch');
const skipped = join(scratch, 'skips.jsonl');

/** Runs the Python suites with arguments of pytest, for example `-k killed`. Returns true if they pass. */
export async function runPythonSuites(args: readonly string[]): Promise<boolean> {
  const python = await ensureEnvironment(join(work, 'python'), join(suites, 'requirements.txt'));
  const duckdbs = await installDuckdbs(join(work, 'duckdb'));
  const sandbox = await startSandbox();
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  const child = spawn(python, ['-m', 'pytest', suites, ...args], {
    cwd: work,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      SANDBOX_URL: sandbox.url,
      // for `#!/usr/bin/env node`
      PATH: dirname(process.execPath) + delimiter + process.env['PATH'],
      PROGRAM: program,
      DUCKDBS: JSON.stringify(duckdbs),
      SKIPS: skipped,
      SOURCE_TRAILER_DATA_CACHE: join(scratch, 'tokens'),
      // no telemetry
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
  await sandbox.stop();
  const lines = (await readFile(skipped, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  return reportSkips(lines.map((line) => JSON.parse(line) as Skip)) && code === 0;
}
