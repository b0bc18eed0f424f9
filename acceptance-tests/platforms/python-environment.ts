import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';
import { NotAvailable } from './not-available.ts';
import { runQuietly } from './process-output.ts';

/** What a virtual environment is made of. */
export interface EnvironmentOptions {
  /** Where it is made; a folder beside it holds downloads while the index is probed. */
  readonly folder: string;
  /** Path of the requirements file, every version exact. */
  readonly requirements: string;
  /** The interpreter, see `findPython`. */
  readonly python: string;
}

/**
 * Makes the environment, or takes it as it is if it was made from the same requirements with the same interpreter.
 * Gives the folder of its programs.
 *
 * @throws NotAvailable if the package index cannot be reached
 * @throws Error with the words of pip if the requirements cannot be installed although the index can be reached
 */
export async function ensureEnvironment(options: EnvironmentOptions): Promise<string> {
  const { folder, requirements, python } = options;
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  await madeOnce(folder, [python, await readFile(requirements, 'utf8')], async () => {
    process.stderr.write(`installing ${requirements} …\n`);
    const settings = { cwd: folder, env: process.env };
    await runQuietly(python, ['-m', 'venv', folder], settings);
    const interpreter = join(programs, 'python');
    const install = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    try {
      await runQuietly(interpreter, install, settings);
    } catch (error) {
      await expectIndex(interpreter, `${folder}.probe`);
      throw error;
    }
  });
  return programs;
}

/** Throws NotAvailable if even one small package cannot be had. */
async function expectIndex(python: string, folder: string): Promise<void> {
  const probe = ['-m', 'pip', 'download', '--quiet', '--no-cache-dir', '--no-deps', '--dest', folder];
  try {
    await runQuietly(python, [...probe, 'iniconfig'], { cwd: '.', env: process.env });
  } catch {
    throw new NotAvailable('pip reaches no package index from this machine');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
