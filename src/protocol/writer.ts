import type { Writable } from 'node:stream';

import type { AirbyteMessage } from '../generated/protocol.generated.ts';
import { logMessage } from './messages.ts';
import { escapeLineEnds } from './record-lines.ts';
import type { Redactor } from './redactor.ts';

/** Where free text is: in these messages and these members of them a server's words may stand. */
const WITH_FREE_TEXT = new Set<AirbyteMessage['type']>(['LOG', 'TRACE', 'CONNECTION_STATUS']);
const FREE_TEXT = new Set(['message', 'internal_message', 'stack_trace']);

/** The only owner of stdout. */
export type Writer = Readonly<ReturnType<typeof createWriter>>;

/** Takes possession of stdout. */
export function createWriter(stdout: Writable, redactor: Redactor) {
  const gone = new AbortController();
  const onGone = (): void => gone.abort(new Error('the reader of stdout went away'));
  // without a listener a closed pipe would end the process with a stack on stderr
  stdout.on('error', onGone);
  let before: (() => void) | null = null;
  const write = async (lines: Buffer): Promise<void> => {
    gone.signal.throwIfAborted();
    before?.();
    // the callback, not `drain`: a small last line behind a full pipe would otherwise be lost at the end
    const error = await new Promise((resolve) => {
      stdout.write(lines, resolve);
    });
    if (error === null || error === undefined) return;
    // it comes before the event, and whoever waits must find `gone` aborted
    onGone();
    gone.signal.throwIfAborted();
  };
  const send = (...messages: readonly AirbyteMessage[]): Promise<void> =>
    write(messageLines(messages, redactor));
  return {
    /**
     * Writes whole lines with one write call, in the order of the calls; resolves once they have left the process, so
     * that awaiting it is back-pressure. Once the reader has gone away it writes nothing, and throws the reason of `gone`.
     */
    write,
    /** The same for messages; secrets in their free text are masked. */
    send,
    /** The same for words to the platform's log. */
    info: (message: string): Promise<void> => send(logMessage('INFO', message)),
    warn: (message: string): Promise<void> => send(logMessage('WARN', message)),
    /** From now on this is called before each write. */
    beforeEach: (call: () => void): void => {
      before = call;
    },
    /** Aborted when the reader of stdout goes away: nobody will see what is still to be read. */
    gone: gone.signal,
  };
}

/** The same JSON with its control characters as escapes: a terminal may obey those that JSON allows raw. */
function escapeControls(json: string): string {
  // oxlint-disable-next-line no-control-regex -- those that JSON.stringify leaves
  return json.replaceAll(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** Messages as lines; every line is one line for every splitter of lines, Unicode's included. */
export function messageLines(messages: readonly AirbyteMessage[], redactor: Redactor): Buffer {
  const redact = (key: string, value: unknown): unknown =>
    FREE_TEXT.has(key) && typeof value === 'string' ? redactor.redact(value) : value;
  const lines = messages.map((message) => {
    const text = JSON.stringify(message, WITH_FREE_TEXT.has(message.type) ? redact : undefined);
    return `${escapeLineEnds(escapeControls(text))}\n`;
  });
  return Buffer.from(lines.join(''));
}
