import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';

/** What an output turned out to be: the one answer of spec, check or discover, or the rows and states of a read. */
export type OutputKind = 'undecided' | 'answered' | 'read';

/**
 * The kind of the output after one more message: SPEC, CATALOG and CONNECTION_STATUS come once, and never beside what a
 * read writes. LOG, CONTROL and the other traces go with both.
 *
 * @throws Error that names the broken rule.
 */
export function afterMessage(before: OutputKind, message: AirbyteMessage): OutputKind {
  if (isAnswer(message)) {
    if (before === 'answered') throw new Error(`${message.type} is a second answer`);
    if (before === 'read') throw new Error(`${message.type} in the output of a read`);
    return 'answered';
  }
  if (!belongsToRead(message)) return before;
  if (before === 'answered')
    throw new Error(`${nameOf(message)} after the answer of spec, check or discover`);
  return 'read';
}

function isAnswer({ type }: AirbyteMessage): boolean {
  return type === 'SPEC' || type === 'CATALOG' || type === 'CONNECTION_STATUS';
}

function belongsToRead(message: AirbyteMessage): boolean {
  return ['RECORD', 'STATE', 'STREAM_STATUS', 'ESTIMATE'].includes(nameOf(message));
}

function nameOf(message: AirbyteMessage): string {
  return message.type === 'TRACE' ? message.trace.type : message.type;
}
