import { fstatSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { callbackify } from 'node:util';

const STDOUT = 1;

/**
 * Returns a stream to stdout that fails unless all bytes are written, whether stdout is a file, a pipe or a terminal. If stdout was
 * closed at the start, or opened for reading only, the stream fails at once.
 */
export function standardOutput(): Writable {
  const problem = problemOf(STDOUT);
  if (problem !== null) return new Writable().destroy(new Error(problem));
  const { stdout }: { stdout: Writable & { readonly fd: number } } = process;
  // Node.js treats pipes and terminals as sockets
  return stdout instanceof Socket ? stdout : fileOutput(stdout.fd);
}

/** Why nothing can be written to a descriptor, whatever its target; null if something may be. */
function problemOf(fd: number): string | null {
  try {
    writeSync(fd, Buffer.alloc(0));
  } catch (error) {
    // others are temporary, or told by the first message
    if ((error as NodeJS.ErrnoException).code === 'EBADF') return 'it is open for reading only';
  }
  return isReplaced(fd) ? 'it was closed at the start' : null;
}

/**
 * True if Node.js has replaced an output that was closed at the start, or a parent process means to: by the null device, open for
 * reading too. A shell opens it only for writing (`> /dev/null`), so that its user can discard the output.
 */
function isReplaced(fd: number): boolean {
  try {
    if (fstatSync(fd).rdev !== statSync(devNull).rdev || !fstatSync(fd).isCharacterDevice()) return false;
    readSync(fd, Buffer.alloc(1));
    return true;
  } catch {
    // not open for reading, or there is no null device
    return false;
  }
}

/** True if a path leads to the file that stdout writes; false also if that cannot be found out. */
export function isStandardOutput(path: string): boolean {
  try {
    const [file, output] = [statSync(path), fstatSync(STDOUT)];
    return file.isFile() && file.ino === output.ino && file.dev === output.dev;
  } catch {
    return false;
  }
}

/** The stream of Node.js ignores partial writes to a full disk, so rows would be lost silently. */
function fileOutput(fd: number): Writable {
  const write = async (bytes: Buffer, _encoding: string): Promise<void> => writeFileSync(fd, bytes);
  return new Writable({ write: callbackify(write) });
}

const DEFAULT_COLUMNS = 80;

export type StandardError = Readonly<ReturnType<typeof standardError>>;

/** stderr, which is for people and not part of the protocol. It is opened by the first write. */
export function standardError() {
  const isTerminal = isatty(2);
  let isOpen = false;
  const open = (): NodeJS.WriteStream => {
    // without a listener, a closed terminal would end the process
    if (!isOpen) process.stderr.on('error', () => undefined);
    isOpen = true;
    return process.stderr;
  };
  return {
    isTerminal,
    /** True if stdout is a terminal, which may show or save both streams as one, as with `docker run -t`. */
    isStdoutTerminal: isatty(STDOUT),
    /** Returns its current width; a terminal without a size reports 0, and a file or pipe nothing. */
    columns: () => open().columns || DEFAULT_COLUMNS,
    /** Writes a text as it is. Never throws: a closed terminal does not stop a read. */
    write: (text: string): void => void open().write(text),
  };
}
