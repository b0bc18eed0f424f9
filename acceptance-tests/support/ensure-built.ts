import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const repository = join(import.meta.dirname, '../..');
const builds = join(repository, '.work/builds');
/** What a build depends on. */
const inputs = ['src', 'schemas', 'spec.json', 'build.mjs', 'LICENSE', 'package.json', 'package-lock.json'];
/** ms after which a build counts as left over from other sources. */
const leftOverMs = 24 * 3_600_000;

let built: Promise<string> | undefined;

/**
 * The path of the program, built from the sources as they are now by `npm run build`. Builds are kept by a hash of their
 * inputs under `.work/builds`, so any number of processes may ask at once: none of them waits, builds twice in a row, or
 * ever starts a half-written file.
 */
export function ensureBuilt(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = join(builds, await hashOfInputs());
  const program = join(folder, 'main.js');
  if (existsSync(program)) return program;
  await removeLeftOvers();
  const fresh = `${folder}.${process.pid}`;
  await promisify(execFile)('npm', ['run', '--silent', 'build', '--', fresh], {
    cwd: repository,
    shell: process.platform === 'win32',
  });
  try {
    await rename(fresh, folder);
  } catch (error) {
    // another process was faster, with the same result
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  }
  return program;
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const path = join(repository, input);
    const folder = (await stat(path)).isDirectory();
    const files = folder
      ? (await readdir(path, { recursive: true, withFileTypes: true })).filter(isFile)
      : [];
    const paths = folder ? files.map(({ parentPath, name }) => join(parentPath, name)).toSorted() : [path];
    for (const file of paths) hash.update(`${file}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function isFile(entry: { isFile(): boolean }): boolean {
  return entry.isFile();
}

async function removeLeftOvers(): Promise<void> {
  await mkdir(builds, { recursive: true });
  for (const name of await readdir(builds)) {
    const folder = join(builds, name);
    // another process may be removing it too
    const age = Date.now() - ((await stat(folder).catch(() => undefined))?.mtimeMs ?? 0);
    if (age > leftOverMs) await rm(folder, { recursive: true, force: true });
  }
}
