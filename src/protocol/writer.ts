import type { Writable } from 'node:stream';
import type { AirbyteMessage } from '../generated/protocol.generated.ts';
import { logMessage } from './messages.ts';
import { escapeLineEnds } from './record-lines.ts';
import type { Redactor } from './redactor.ts';

/** The messages that may quote a server, and their members that do. */
const QUOTING_TYPES = new Set<AirbyteMessage['type']>(['LOG', 'TRACE', 'CONNECTION_STATUS']);
const QUOTING_MEMBERS = new Set(['message', 'internal_message', 'stack_trace']);

/** The errors of writing to a pipe or socket whose reader has gone away. */
const READER_GONE = ['EPIPE', 'ECONNRESET'];

/** Stdout cannot be written, although nobody has stopped reading it: a disk is full, or it was closed at the start. */
export class UnwritableError extends Error {
  override readonly name = 'UnwritableError';
}

/** The only owner of stdout. */
export type Writer = Readonly<ReturnType<typeof createWriter>>;

export function createWriter(stdout: Writable, redactor: Redactor) {
  const closed = new AbortController();
  const onError = (error: NodeJS.ErrnoException): void => {
    const isGone = READER_GONE.includes(error.code ?? '');
    closed.abort(isGone ? new Error('stdout was closed') : new UnwritableError(error.message));
  };
  // without a listener, a closed pipe would crash the process with a stack trace on stderr
  stdout.on('error', onError);
  const write = async (lines: Buffer): Promise<void> => {
    if (lines.length === 0) return;
    closed.signal.throwIfAborted();
    // waits for the callback, not for `drain`: a short last line after a full pipe could be lost at the end
    const error = await new Promise<Error | null | undefined>((resolve) => {
      stdout.write(lines, resolve);
    });
    if (error === null || error === undefined) return;
    // the callback precedes the event, and `closed` must be aborted before the caller continues
    onError(error);
    closed.signal.throwIfAborted();
  };
  const send = (message: AirbyteMessage): Promise<void> => write(messageLine(message, redactor));
  return {
    /**
     * Writes whole lines with one write call, in the order of the calls. Resolves when they have left the process, so awaiting it
     * applies backpressure. Once stdout is closed, writes nothing and throws the reason of `closed`.
     */
    write,
    /** Writes a message, with secrets in its free text masked. */
    send,
    info: (message: string): Promise<void> => send(logMessage('INFO', message)),
    warn: (message: string): Promise<void> => send(logMessage('WARN', message)),
    /** Aborted when stdout is closed, because nobody would see the rest, or with an UnwritableError. */
    closed: closed.signal,
  };
}

/** What may be in a quoted text and cannot be seen, moves what follows, or is refused by databases, such as U+0000; line ends are ours. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with characters that cannot be seen as escapes, such as `\u0000`. */
function visible(text: string): string {
  return text.replaceAll(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a message as one line, for any definition of a line end, without control characters that a terminal might interpret. */
export function messageLine(message: AirbyteMessage, redactor: Redactor): Buffer {
  const redact = (key: string, value: unknown): unknown =>
    QUOTING_MEMBERS.has(key) && typeof value === 'string' ? visible(redactor.redact(value)) : value;
  const json = JSON.stringify(message, QUOTING_TYPES.has(message.type) ? redact : undefined);
  // oxlint-disable-next-line no-control-regex -- those that JSON.stringify leaves
  const escaped = json.replaceAll(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return Buffer.from(`${escapeLineEnds(escaped)}\n`);
}
