import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { callbackify } from 'node:util';

/** Returns a stream to stdout that fails unless all bytes are written, whether stdout is a file, a pipe or a terminal. */
export function standardOutput(): Writable {
  const { stdout }: { stdout: Writable & { readonly fd: number } } = process;
  // Node.js treats pipes and terminals as sockets
  return stdout instanceof Socket ? stdout : fileOutput(stdout.fd);
}

/** The stream of Node.js ignores partial writes to a full disk, so rows would be lost silently. */
function fileOutput(fd: number): Writable {
  const write = async (bytes: Buffer, _encoding: string): Promise<void> => writeFileSync(fd, bytes);
  return new Writable({ write: callbackify(write) });
}

const DEFAULT_COLUMNS = 80;

export type StandardError = Readonly<ReturnType<typeof standardError>>;

/** stderr, which is for people and not part of the protocol. It is opened when it is first used. */
export function standardError() {
  return {
    /** True if it is a terminal on which no messages appear, because stdout is elsewhere. */
    isFreeTerminal: isatty(2) && !isatty(1),
    /** Returns its current width; a terminal without a size reports 0. */
    columns: () => openStderr().columns || DEFAULT_COLUMNS,
    /** Writes a text as it is. Never throws: a closed terminal does not stop a read. */
    write: (text: string): void => void openStderr().write(text),
  };
}

function openStderr(): NodeJS.WriteStream {
  // without a listener, a closed terminal would end the process
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
  return process.stderr;
}
