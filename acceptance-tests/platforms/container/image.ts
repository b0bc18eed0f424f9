import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../suites/packaging/versions.ts';

/** The program that builds and runs images. */
export const tool = process.env['CONTAINER_TOOL'] ?? join(repository, '../shared/tools/container');
export const image = 'source-trailer-data-container-tests';
export const canRunImages = existsSync(tool) && process.getuid?.() === 0;

/** Returns the output of a command. Throws an error with stderr if it fails. */
export async function printed(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { cwd: repository })).stdout;
}

/** Returns the output of the container engine. */
export function engine(...args: readonly string[]): Promise<string> {
  return printed('podman', ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args]);
}

/** Builds the image before the first test. */
export async function setup(): Promise<void> {
  if (!canRunImages) return;
  process.stderr.write('building the image; the first build takes some minutes …\n');
  await printed(tool, ['build', image]);
}
