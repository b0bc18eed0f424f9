import type { Writable } from 'node:stream';

import type { AirbyteMessage } from '../generated/protocol.generated.ts';
import { logMessage } from './messages.ts';
import { escapeLineEnds } from './record-lines.ts';
import type { Redactor } from './redactor.ts';

/** The messages, and the members of them, that may quote a server. */
const QUOTING_TYPES = new Set<AirbyteMessage['type']>(['LOG', 'TRACE', 'CONNECTION_STATUS']);
const QUOTING_MEMBERS = new Set(['message', 'internal_message', 'stack_trace']);

/** The only owner of stdout. */
export type Writer = Readonly<ReturnType<typeof createWriter>>;

export function createWriter(stdout: Writable, redactor: Redactor) {
  const closed = new AbortController();
  const onError = (): void => closed.abort(new Error('stdout was closed'));
  // without a listener a closed pipe would end the process with a stack on stderr
  stdout.on('error', onError);
  let beforeWrite: (() => void) | null = null;
  const write = async (lines: Buffer): Promise<void> => {
    if (lines.length === 0) return;
    closed.signal.throwIfAborted();
    beforeWrite?.();
    // the callback, not `drain`: a small last line after a full pipe would otherwise be lost at the end
    const error = await new Promise((resolve) => {
      stdout.write(lines, resolve);
    });
    if (error === null || error === undefined) return;
    // the callback comes before the event, and the caller must find `closed` aborted
    onError();
    closed.signal.throwIfAborted();
  };
  const send = (message: AirbyteMessage): Promise<void> => write(messageLine(message, redactor));
  return {
    /**
     * Writes whole lines with one write call, in the order of the calls; resolves when they have left the process, so that
     * awaiting it applies back-pressure. Once stdout is closed, writes nothing and throws the reason of `closed`.
     */
    write,
    /** Writes a message, with secrets in its free text masked. */
    send,
    info: (message: string): Promise<void> => send(logMessage('INFO', message)),
    warn: (message: string): Promise<void> => send(logMessage('WARN', message)),
    /** From now on `call` is called before each write. */
    beforeEach: (call: () => void): void => {
      beforeWrite = call;
    },
    /** Aborted when stdout is closed: nobody would see what is still to be read. */
    closed: closed.signal,
  };
}

/** Returns a message as one line for any line splitter, Unicode's included, without control characters that a terminal may obey. */
export function messageLine(message: AirbyteMessage, redactor: Redactor): Buffer {
  const redact = (key: string, value: unknown): unknown =>
    QUOTING_MEMBERS.has(key) && typeof value === 'string' ? redactor.redact(value) : value;
  const json = JSON.stringify(message, QUOTING_TYPES.has(message.type) ? redact : undefined);
  // oxlint-disable-next-line no-control-regex -- those that JSON.stringify leaves
  const escaped = json.replaceAll(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return Buffer.from(`${escapeLineEnds(escaped)}\n`);
}
