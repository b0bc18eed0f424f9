import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MINORS = [11, 12, 10]; // minor versions of Python 3 with all pinned packages, that of the pins first

/** Python or the package index is missing. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable';
}

/**
 * Returns the Python of a virtual environment with exactly these requirements. Recreates it if it is incomplete, different or
 * moved. Throws pip's error if the installation fails.
 *
 * @throws NotAvailable if there is no suitable Python or no package index
 */
export async function ensureEnvironment(folder: string, requirements: string): Promise<string> {
  const python = join(folder, 'bin/python');
  const base = await findPython();
  const stamp = join(folder, 'made-from');
  const wanted = [folder, base, await readFile(requirements, 'utf8')].join('\n');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return python;
  process.stderr.write(`installing ${requirements} …\n`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(base, ['-m', 'venv', folder]);
  const pip = (...args: string[]): Promise<unknown> => run(python, ['-m', 'pip', ...args]);
  await pip('install', '--quiet', '--requirement', requirements).catch(async (error: unknown) => {
    // is any package available?
    const download = 'download --no-cache-dir --no-deps iniconfig --dest'.split(' ');
    const probe = pip(...download, join(folder, 'probe'));
    const reason = 'pip cannot reach a package index';
    throw await probe.then(() => error).catch(() => new NotAvailable(reason));
  });
  await writeFile(stamp, wanted);
  return python;
}

async function findPython(): Promise<string> {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const installed = await readdir(versions).catch(() => []);
  const candidates = MINORS.flatMap((minor) => [
    `python3.${minor}`,
    ...installed
      .filter((name) => name.startsWith(`3.${minor}.`))
      .map((name) => join(versions, name, 'bin/python3')),
  ]);
  for (const command of [...candidates, 'python3', 'python']) {
    const { stdout } = await run(command, ['--version']).catch(() => ({ stdout: '' }));
    if (MINORS.includes(Number(/^Python 3\.(\d+)\./.exec(stdout)?.[1]))) return command;
  }
  throw new NotAvailable(`no Python 3.${MINORS.join(', 3.')} found`);
}
