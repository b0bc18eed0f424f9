import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../suites/packaging/versions.ts';

/** The program that builds and runs images here. */
export const tool = process.env['CONTAINER_TOOL'] ?? join(repository, '../shared/tools/container');
export const image = 'source-trailer-data-container-tests';
export const canRunImages = existsSync(tool) && process.getuid?.() === 0;

/** What a command prints. Throws with all that was said if it fails. */
export async function printed(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { cwd: repository })).stdout;
}

/** What the engine below the tool prints. */
export function engine(...args: readonly string[]): Promise<string> {
  return printed('podman', ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args]);
}

/** Builds the image from the Dockerfile, before the first test. */
export async function setup(): Promise<void> {
  if (!canRunImages) return;
  process.stderr.write('building the image; the first time this takes some minutes …\n');
  await printed(tool, ['build', image]);
}
