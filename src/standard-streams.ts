import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { callbackify } from 'node:util';

/** stdout as a stream that fails if not all of what it is given can be written, whatever stdout is. */
export function standardOutput(): Writable {
  const { stdout }: { stdout: Writable & { readonly fd: number } } = process;
  // pipes and terminals are sockets for Node
  return stdout instanceof Socket ? stdout : fileOutput(stdout.fd);
}

/** Node's own stream takes a write for done of which only a part has found room on the disk: rows would be lost in silence. */
function fileOutput(fd: number): Writable {
  const write = async (bytes: Buffer, _encoding: string): Promise<void> => writeFileSync(fd, bytes);
  return new Writable({ write: callbackify(write) });
}

const USUAL_COLUMNS = 80;

export type StandardError = Readonly<ReturnType<typeof standardError>>;

/** stderr: for people only, and no part of the protocol. It is not opened before something is written to it. */
export function standardError(env: Readonly<Record<string, string | undefined>>) {
  const isTerminal = isatty(2);
  const erases = isTerminal && !['', 'dumb'].includes(env['TERM'] ?? '');
  let opened: NodeJS.WriteStream | null = null;
  // without a listener a terminal that went away would end the process
  const stderr = (): NodeJS.WriteStream => (opened ??= process.stderr.on('error', () => undefined));
  return {
    isTerminal,
    /** True if stdout is a terminal too: then its messages and what we write stand on one screen. */
    isSharedWithStdout: isTerminal && isatty(1),
    /** True if escape codes that erase are understood. */
    erases,
    colors: erases && (env['NO_COLOR'] ?? '') === '',
    /** Its present width: 0 is what a terminal without a size says; Node follows every change of it. */
    columns: () => (isTerminal ? stderr().columns || USUAL_COLUMNS : USUAL_COLUMNS),
    /** Writes a text as it is. Nothing is thrown: a person who went away is no reason to stop. */
    write: (text: string): void => void stderr().write(text),
  };
}
