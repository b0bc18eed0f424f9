import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NotAvailable } from './not-available.ts';

/**
 * The command of a Python 3 with one of the minor versions, the first of them that answers: on the path, or among those
 * that pyenv keeps.
 *
 * @throws NotAvailable if there is none
 */
export async function findPython(minors: readonly number[]): Promise<string> {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const kept = await readdir(versions).catch(() => []);
  const candidates = minors.flatMap((minor) => [
    `python3.${minor}`,
    ...kept
      .filter((version) => version.startsWith(`3.${minor}.`))
      .map((version) => join(versions, version, 'bin/python3')),
  ]);
  for (const command of [...candidates, 'python3', 'python']) {
    const minor = await minorOf(command);
    if (minor !== undefined && minors.includes(minor)) return command;
  }
  throw new NotAvailable(`there is no Python 3.${minors.join(', 3.')} on this machine`);
}

/** The minor version of a Python 3, undefined if the command is none. */
async function minorOf(command: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, ['--version']);
    const found = /^Python 3\.(\d+)\./.exec(stdout);
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
