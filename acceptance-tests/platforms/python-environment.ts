import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
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
 * The folder of programs of a virtual environment of exactly these requirements, made in `folder`, or found there as it was
 * made: half made ones, others, and those that were moved are made anew. Throws the words of pip if the requirements
 * cannot be installed although the package index can be reached.
 *
 * @throws NotAvailable if there is no Python that fits, or no package index
 */
export async function ensureEnvironment(folder: string, requirements: string): Promise<string> {
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const python = await findPython();
  const stamp = join(folder, 'made-from');
  const ingredients = [folder, python, await readFile(requirements, 'utf8')].join('\0');
  const wanted = createHash('sha256').update(ingredients).digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return programs;
  process.stderr.write(`installing ${requirements} …\n`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(python, ['-m', 'venv', folder]);
  const pip = [join(programs, 'python'), '-m', 'pip'] as const;
  try {
    await run(pip[0], [...pip.slice(1), 'install', '--quiet', '--requirement', requirements]);
  } catch (error) {
    await expectIndex(pip, `${folder}.probe`);
    throw error;
  }
  await writeFile(stamp, wanted);
  return programs;
}

/** The first Python that answers, on the path or among those that pyenv keeps. */
async function findPython(): Promise<string> {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const kept = await readdir(versions).catch(() => []);
  const candidates = MINORS.flatMap((minor) => [
    `python3.${minor}`,
    ...kept
      .filter((version) => version.startsWith(`3.${minor}.`))
      .map((version) => join(versions, version, 'bin/python3')),
  ]);
  for (const command of [...candidates, 'python3', 'python']) {
    const said = await run(command, ['--version']).catch(() => ({ stdout: '' }));
    if (MINORS.includes(Number(/^Python 3\.(\d+)\./.exec(said.stdout)?.[1]))) return command;
  }
  throw new NotAvailable(`there is no Python 3.${MINORS.join(', 3.')} on this machine`);
}

/** Throws NotAvailable if even one small package cannot be had. */
async function expectIndex([python, ...pip]: readonly [string, ...string[]], folder: string): Promise<void> {
  try {
    await run(python, [...pip, 'download', '--no-cache-dir', '--no-deps', '--dest', folder, 'iniconfig']);
  } catch {
    throw new NotAvailable('pip reaches no package index from this machine');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
