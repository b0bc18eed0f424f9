import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { ensureBuilt } from '../support/ensure-built.ts';
import { writeInputs } from '../support/input-files.ts';
import type { Inputs } from '../support/input-files.ts';
import type { Exit, Started } from '../support/start-connector.ts';
import { useFolder } from './process-rig.ts';

const AS_FIRST = ['--fork', '--pid', '--mount-proc', '--kill-child'];

/** Why no process can be made the first one of a namespace here; null if it can. */
export function whyNoFirstProcess(): string | null {
  const { error, status, stderr } = spawnSync('unshare', [...AS_FIRST, 'true'], { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return status === 0 ? null : stderr.trim();
}

/** A connector as PID 1, as it is in a container. */
export interface FirstProcess extends Started {
  /** Sends a signal from outside, as a container's runtime does. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts a read as PID 1 of a namespace of its own; its exit code comes through. */
export async function startAsFirstProcess(inputs: Inputs): Promise<FirstProcess> {
  const { folder, args } = await writeInputs(await useFolder(), inputs);
  const command = [process.execPath, await ensureBuilt(), 'read', ...args];
  const child = spawn('unshare', [...AS_FIRST, ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const closed = once(child, 'close') as Promise<[Exit['code'], Exit['signal']]>;
  const stderr = text(child.stderr);
  const exit = async (): Promise<Exit> => {
    const [code, signal] = await closed;
    return { code, signal, stderr: await stderr };
  };
  return {
    process: child,
    stdout: child.stdout,
    exit: exit(),
    kill: async (signal) => {
      try {
        const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
        const first = Number(children.split(' ')[0]);
        // 0 would be this process's own group
        if (first > 0) process.kill(first, signal);
      } catch (error) {
        // it has ended before
        if (child.exitCode === null && !isGone(error)) throw error;
      }
    },
  };
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
}
