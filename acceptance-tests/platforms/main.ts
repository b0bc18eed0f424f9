import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandbox } from '../sandbox/client.ts';
import { ensureBuilt } from '../support/ensure-built.ts';
import { findPython } from './find-python.ts';
import { ensureMeltanoProject } from './meltano-project.ts';
import { NotAvailable } from './not-available.ts';
import { ensureEnvironment } from './python-environment.ts';
import { readResults, resultTable } from './suite-results.ts';

const suites = join(import.meta.dirname, 'python');
const work = join(import.meta.dirname, '../../.work/platforms');
const results = join(work, 'results.jsonl');

try {
  await mkdir(work, { recursive: true });
  const programs = await ensureEnvironment({
    folder: join(work, 'python'),
    requirements: join(suites, 'requirements.txt'),
    python: await findPython([11, 12, 10]),
  });
  if (!(await runSuites(join(programs, 'python'), await meltanoVariables()))) process.exitCode = 1;
} catch (error) {
  if (error instanceof NotAvailable)
    process.stdout.write(`The platform tests did not run: ${error.message}.\n`);
  else {
    process.exitCode = 1;
    process.stdout.write(
      `The platform tests failed: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}

/** Where the suites find Meltano, or the reason why they do not. */
async function meltanoVariables(): Promise<Record<string, string>> {
  try {
    const { meltano, folder } = await ensureMeltanoProject(work);
    return { MELTANO: meltano, MELTANO_PROJECT: folder };
  } catch (error) {
    if (error instanceof NotAvailable) return { MELTANO_MISSING: error.message };
    throw error;
  }
}

/** Runs pytest on the suites (arguments of this process go to it, for example `-k killed`); true if all went well. */
async function runSuites(python: string, variables: Record<string, string>): Promise<boolean> {
  const program = await ensureBuilt();
  const sandbox = await startSandbox();
  try {
    await rm(results, { force: true });
    const child = spawn(python, ['-m', 'pytest', suites, ...process.argv.slice(2)], {
      cwd: work,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...variables,
        SANDBOX_URL: sandbox.url,
        NODE: process.execPath,
        PROGRAM: program,
        RESULTS: results,
        // nothing of this leaves the machine
        AIRBYTE_OFFLINE_MODE: '1',
        DO_NOT_TRACK: '1',
        MELTANO_SEND_ANONYMOUS_USAGE_STATS: 'false',
        AIRBYTE_PROJECT_DIR: work,
        AIRBYTE_LOGGING_ROOT: join(work, 'logs'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        NO_COLOR: '1',
      },
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const found = await readResults(results).catch(() => []);
    const failed = found.filter(({ outcome }) => outcome === 'failed').length;
    const skipped = found.filter(({ outcome }) => outcome === 'skipped').length;
    process.stdout.write(`\n${resultTable(found)}\n\n`);
    process.stdout.write(`${found.length} tests: ${failed} failed, ${skipped} did not run\n`);
    return code === 0 && found.length > 0;
  } finally {
    await sandbox.stop();
  }
}
