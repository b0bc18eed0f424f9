import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../..');
/** One per test run, so that other runs and builds do not change it. */
const folder = join(repository, '.work', `program-${process.pid}`);

/** Builds the program before the first test. */
export function setup(): void {
  execFileSync(process.execPath, ['build.mjs', folder], { cwd: repository });
  process.env['PROGRAM'] = join(folder, 'main.js');
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
