import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

/** A process that has ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function finished(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Finished> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}

/** What a command of the tool, or of another program, prints. Throws with all that was said if it fails. */
async function printed(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await finished(command, args, { cwd: repository, env: process.env });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Builds the image from the Dockerfile. */
export async function buildImage(): Promise<void> {
  process.stderr.write('building the image; the first time this takes some minutes …\n');
  await printed(tool, ['build', image]);
}

/** Runs a command of the image's shell and gives what it prints. */
export const shellInImage = (command: string): Promise<string> =>
  printed(tool, ['run', '--entrypoint', 'sh', image, '-c', command]);

/** Runs the engine below the tool and gives what it prints. */
export const engine = (...args: readonly string[]): Promise<string> =>
  printed('podman', ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args]);
