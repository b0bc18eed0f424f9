import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../..');
/** One for each run of the tests: another one, or a build, leaves it alone. */
const folder = join(repository, '.work', `program-${process.pid}`);

/** Builds the program from the sources as they are, before the first test. */
export function setup(): void {
  execFileSync(process.execPath, ['build.mjs', folder], { cwd: repository });
  process.env['PROGRAM'] = join(folder, 'main.js');
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
