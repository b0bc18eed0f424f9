import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { program } from './program.ts';

/** How a process of the connector starts. */
export interface StartOptions {
  /** Working folder and home of the process; its token cache is in it too, so that nothing outlives the test. */
  readonly folder: string;
  /** Added to a bare environment: nothing else of this process's own reaches the connector. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A command that runs the program, whose path and arguments come behind it: `unshare …`, or a shell with a limit. */
  readonly through?: readonly string[];
  /** A command that stands for the built program: an image of it. */
  readonly instead?: readonly string[];
  /** ms after which it is killed. */
  readonly timeoutMs?: number;
  /** An open file to write to instead of a pipe. */
  readonly stdout?: number;
}

/** How a process ended. `code` is null if a signal ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** All that a process of the connector knows of where it runs, unless it is told more. */
export const bareEnvironment = (folder: string) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  SOURCE_TRAILER_DATA_CACHE: join(folder, 'token-cache'),
});

/**
 * Starts the built program as a user would: a process of its own, over real pipes. `exit` resolves when it has ended and all its
 * output has been taken: read `stdout` to its end, or this waits for ever.
 */
export function startConnector(args: readonly string[], options: StartOptions) {
  const connector = options.instead ?? [process.execPath, program];
  const [command = '', ...rest] = [...(options.through ?? []), ...connector, ...args];
  const child = spawn(command, rest, {
    cwd: options.folder,
    env: { ...bareEnvironment(options.folder), ...options.env },
    stdio: ['ignore', options.stdout ?? 'pipe', 'pipe'],
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close') as Promise<[Exit['code'], Exit['signal']]>;
  // with files in use their types allow for null
  const stderr = text(child.stderr ?? Readable.from([]));
  const exit = closed.then(async ([code, signal]): Promise<Exit> => ({ code, signal, stderr: await stderr }));
  return { process: child, stdout: child.stdout ?? Readable.from([]), exit };
}
