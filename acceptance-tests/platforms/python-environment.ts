import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Versions of Python 3 for which every pinned package is to be had, the one of the pins first. */
const MINORS = [11, 12, 10];

/** Something is missing that is not ours to mend: a Python, or the package index. The message says what. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable';
}

/**
 * The Python of a virtual environment of exactly these requirements, made in `folder`, or found there as it was made: half
 * made ones, others, and those that were moved are made anew. Throws the words of pip if they cannot be installed.
 *
 * @throws NotAvailable if there is no Python that fits, or no package index
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
    // can even one small package be had?
    const probe = pip(
      'download',
      '--no-cache-dir',
      '--no-deps',
      '--dest',
      join(folder, 'probe'),
      'iniconfig',
    );
    const reason = 'pip reaches no package index from this machine';
    throw await probe.then(() => error).catch(() => new NotAvailable(reason));
  });
  await writeFile(stamp, wanted);
  return python;
}

/** The first Python that answers, on the path or among those that pyenv keeps. */
async function findPython(): Promise<string> {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const kept = await readdir(versions).catch(() => []);
  const candidates = MINORS.flatMap((minor) => [
    `python3.${minor}`,
    ...kept
      .filter((name) => name.startsWith(`3.${minor}.`))
      .map((name) => join(versions, name, 'bin/python3')),
  ]);
  for (const command of [...candidates, 'python3', 'python']) {
    const said = await run(command, ['--version']).catch(() => ({ stdout: '' }));
    if (MINORS.includes(Number(/^Python 3\.(\d+)\./.exec(said.stdout)?.[1]))) return command;
  }
  throw new NotAvailable(`there is no Python 3.${MINORS.join(', 3.')} on this machine`);
}
