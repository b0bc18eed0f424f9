import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { program } from './program.ts';

export interface StartOptions {
  readonly folder: string; // working folder, home and token cache of the process
  /** Added to a bare environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly through?: readonly string[]; // a command that runs the program: `unshare …`, or a shell with a limit
  readonly instead?: readonly string[]; // a command to run instead of the built program
  readonly timeoutMs?: number; // ms after which it is killed
  readonly stdin?: string; // what it reads from a socket, as Node.js starts programs; nothing by default
  readonly stdout?: number; // an open file to write to instead of a pipe
}

/** `code` is null if a signal ended the process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** The environment of the connector, apart from additions. */
export const bareEnvironment = (folder: string) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  SOURCE_TRAILER_DATA_CACHE: join(folder, 'token-cache'),
});

/** Starts the built program as a process with pipes. `exit` resolves once it has ended and `stdout` was read to its end. */
export function startConnector(args: readonly string[], options: StartOptions) {
  const connector = options.instead ?? [process.execPath, program];
  const [command = '', ...rest] = [...(options.through ?? []), ...connector, ...args];
  const child = spawn(command, rest, {
    cwd: options.folder,
    env: { ...bareEnvironment(options.folder), ...options.env },
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', options.stdout ?? 'pipe', 'pipe'],
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
  });
  child.stdin?.end(options.stdin);
  const closed = once(child, 'close') as Promise<[Exit['code'], Exit['signal']]>;
  // null if stdout is a file
  const stderr = text(child.stderr ?? Readable.from([]));
  const exit = closed.then(async ([code, signal]): Promise<Exit> => ({ code, signal, stderr: await stderr }));
  return { process: child, stdout: child.stdout ?? Readable.from([]), exit };
}
