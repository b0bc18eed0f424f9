import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { ReadStream, isatty } from 'node:tty';
import { InputError } from './encoding.ts';

const { O_RDONLY, O_NONBLOCK } = constants;

const READ_ALREADY =
  'can be read only once, and was read already, for another input; give each input a file or pipe of its own';

/**
 * Returns a function that opens the files named on the command line, following links; `-` is stdin. Pipes, sockets and terminals are read
 * through a socket, so that `signal` aborts the wait for a writer; each can be opened once, since its bytes are gone then: a second time
 * throws an InputError.
 */
export function createInputs(signal: AbortSignal): (path: string) => Readable {
  const opened = new Set<string>();
  const openOnce = (id: string, fd: number): void => {
    if (!opened.has(id)) return void opened.add(id);
    closeSync(fd);
    throw new InputError(READ_ALREADY);
  };
  return (path) => {
    const own = descriptorOf(path);
    // once it has been read, it is closed, or the descriptor of something else
    if (own !== null && opened.has(String(own))) throw new InputError(READ_ALREADY);
    const fd = openFile(path, own);
    if (fd === own) opened.add(String(own));
    const found = fstatSync(fd);
    const isTerminal = isatty(fd);
    if (!isTerminal && !found.isFIFO() && !found.isSocket())
      return addAbortSignal(signal, createReadStream('', { fd }));
    openOnce(`${found.dev}-${found.ino}`, fd);
    return addAbortSignal(
      signal,
      isTerminal ? new ReadStream(fd) : new Socket({ fd, readable: true, writable: false }),
    );
  };
}

/** The descriptor that a path is another name of; null for any other path. */
function descriptorOf(path: string): number | null {
  if (path === '-' || path === '/dev/stdin') return 0;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path) ?? [];
  return number === undefined ? null : Number(number);
}

/** Opens a file; returns its own descriptor if it has one and cannot be opened, like a socket, or a pipe of another user. */
function openFile(path: string, own: number | null): number {
  try {
    return openSync(path === '-' ? '/dev/stdin' : path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    if (own === null || !isOpen(own)) throw error;
    return own;
  }
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}
