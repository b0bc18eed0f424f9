import { closeSync, constants, createReadStream, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { ReadStream, isatty } from 'node:tty';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file that the command line names. Links are followed, and a pipe or a terminal is as good as a file: what waits for
 * its writer does so as a socket, which `signal` ends at any time. Throws what keeps the file from being opened.
 */
export function openInput(path: string, signal: AbortSignal): Readable {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  if (isatty(fd)) return addAbortSignal(signal, new ReadStream(fd));
  if (fstatSync(fd).isFIFO())
    return addAbortSignal(signal, new Socket({ fd, readable: true, writable: false }));
  return addAbortSignal(signal, createReadStream('', { fd }));
}

/** What stands in the place of a file of our own; `id` changes with the file, and with what is in it. */
export type OwnFile = Readonly<NonNullable<ReturnType<typeof readOwnFile>>>;

/**
 * Reads a file of our own, in a place where others may have put something else: no link is followed, and nothing is waited
 * for. The text is empty if what is there is no regular file, cannot be read or exceeds `maxBytes`; null if nothing is there.
 */
export function readOwnFile(path: string, maxBytes: number) {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  const problem = found.isFile() ? null : `${path} is not a regular file`;
  const file = { id: `${found.ino}-${found.mtimeNs}`, problem, isPrivate: false, text: '' };
  if (problem !== null) return file;
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size, uid, mode } = fstatSync(fd);
      if (size > maxBytes) return file;
      const isPrivate = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
      const bytes = Buffer.alloc(size);
      return { ...file, isPrivate, text: bytes.toString('utf8', 0, readSync(fd, bytes)) };
    } finally {
      closeSync(fd);
    }
  } catch {
    // not ours, or gone meanwhile
    return file;
  }
}
