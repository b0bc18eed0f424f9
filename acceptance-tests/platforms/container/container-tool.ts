import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const repository = join(import.meta.dirname, '../../..');
/** The program that builds and runs images here. */
export const tool = process.env['CONTAINER_TOOL'] ?? join(repository, '../shared/tools/container');

/** The image of these tests. */
export const image = 'source-trailer-data-container-tests';

/** Why containers cannot be built and run here; undefined if they can. */
export function whyNoContainers(): string | undefined {
  if (!existsSync(tool)) return `there is no ${tool} here, which builds and runs the image`;
  return process.getuid?.() === 0 ? undefined : `${tool} needs root`;
}

/** Builds the image from the Dockerfile. Throws with all that was said if it fails. */
export async function buildImage(): Promise<void> {
  process.stderr.write('building the image; the first time this takes some minutes …\n');
  const result = await finished(tool, ['build', image]);
  if (result.code !== 0) throw new Error(`the image cannot be built:\n${result.stdout}${result.stderr}`);
}

/** A process that has ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a container of the image: `options` as `docker run` takes them, then the arguments of the program. */
export function startContainer(
  options: readonly string[],
  args: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(tool, ['run', ...options, image, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a command of the image's shell to its end and gives what it prints. Throws if it fails. */
export async function shellInImage(command: string): Promise<string> {
  const { code, stdout, stderr } = await finished(tool, ['run', '--entrypoint', 'sh', image, '-c', command]);
  if (code !== 0) throw new Error(`in the image: ${command}: ${stderr}`);
  return stdout;
}

/**
 * A script that stands in for docker where there is none: it runs the image of these tests, whatever its version is called,
 * under a name to kill it by. There is nothing to build any more.
 */
export function dockerStandIn(name: string): string {
  return [
    '#!/bin/sh',
    '[ "$1" = build ] && exit 0',
    'shift',
    'for one; do',
    '  shift',
    `  case $one in source-trailer-data | source-trailer-data:*) one=${image} ;; esac`,
    '  set -- "$@" "$one"',
    'done',
    `exec ${tool} run --name=${name} "$@"`,
    '',
  ].join('\n');
}

/** Runs the engine below the tool and gives what it prints. Throws if it fails. */
export async function engine(...args: readonly string[]): Promise<string> {
  const settings = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
  const { code, stdout, stderr } = await finished('podman', [...settings, ...args]);
  if (code !== 0) throw new Error(`podman ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function finished(command: string, args: readonly string[]): Promise<Finished> {
  return ended(spawn(command, args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Takes all that a process says to its end. */
export async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Finished> {
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}
