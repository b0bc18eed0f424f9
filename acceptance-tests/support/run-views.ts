import type {
  AirbyteMessage,
  AirbyteStream,
  Estimate,
  StreamStatus,
  TraceError,
} from '../../src/generated/protocol.generated.ts';
import { digestOf } from '../sandbox/client.ts';
import type { RowSet } from '../sandbox/client.ts';

/** What a process has written: messages, and the line of each without its newline. */
export interface Output {
  readonly messages: readonly AirbyteMessage[];
  readonly lines: readonly Buffer[];
}

/** The exact texts of `record.data` of a stream, cut out of the lines and never written anew. */
export function recordTexts({ messages, lines }: Output, stream: string): string[] {
  return messages.flatMap((message, index) =>
    message.type === 'RECORD' && message.record.stream === stream ? [recordText(lines[index])] : [],
  );
}

const RECORD = /^\{"type":"RECORD","record":\{"stream":"\w+","emitted_at":\d+,"data":(.*)\}\}$/s;

/** The exact text of `record.data` of a RECORD line. */
export function recordText(line: Buffer | undefined): string {
  const [, text] = RECORD.exec(String(line)) ?? [];
  if (text === undefined) throw new Error(`not the form of our RECORD lines: ${String(line)}`);
  return text;
}

/** Count and digest of the emitted rows of a stream, to compare with the sandbox's truth. */
export function rowSet(output: Output, stream: string): RowSet {
  return digestOf(recordTexts(output, stream));
}

/** The records of a stream as values. */
export function records({ messages }: Output, stream: string): Record<string, unknown>[] {
  return messages.flatMap((message) =>
    message.type === 'RECORD' && message.record.stream === stream ? [message.record.data] : [],
  );
}

/** `emitted_at` of every record, epoch ms. */
export function emissionTimes({ messages }: Output): number[] {
  return messages.flatMap((message) => (message.type === 'RECORD' ? [message.record.emitted_at] : []));
}

/** The states of a stream in order, without what stands around them. */
export function states({ messages }: Output, stream: string): Record<string, unknown>[] {
  return messages.flatMap((message) =>
    message.type === 'STATE' && message.state.stream.stream_descriptor.name === stream
      ? [message.state.stream.stream_state]
      : [],
  );
}

/** The last state of each stream as a platform hands it back: an array of STREAM states. */
export function stateArray({ messages }: Output): object[] {
  const last = new Map<string, object>();
  for (const message of messages)
    if (message.type === 'STATE') {
      const { type, stream } = message.state;
      last.set(stream.stream_descriptor.name, { type, stream });
    }
  return [...last.values()];
}

/** The statuses of a stream in order. */
export function statuses({ messages }: Output, stream: string): StreamStatus[] {
  return messages.flatMap((message) =>
    message.type === 'TRACE' &&
    message.trace.type === 'STREAM_STATUS' &&
    message.trace.stream_status.stream_descriptor.name === stream
      ? [message.trace.stream_status.status]
      : [],
  );
}

/** The TRACE ERRORs. */
export function errors({ messages }: Pick<Output, 'messages'>): TraceError[] {
  return messages.flatMap((message) =>
    message.type === 'TRACE' && message.trace.type === 'ERROR' ? [message.trace.error] : [],
  );
}

/** The ESTIMATEs. */
export function estimates({ messages }: Output): Estimate[] {
  return messages.flatMap((message) =>
    message.type === 'TRACE' && message.trace.type === 'ESTIMATE' ? [message.trace.estimate] : [],
  );
}

/** The texts of the LOG lines of a level. */
export function logs({ messages }: Output, level: 'INFO' | 'WARN'): string[] {
  return messages.flatMap((message) =>
    message.type === 'LOG' && message.log.level === level ? [message.log.message] : [],
  );
}

/** The CONNECTION_STATUS of a check: status, and the lines of its message. */
export function verdict(output: Output): { readonly status: string; readonly lines: readonly string[] } {
  const found = output.messages.find((message) => message.type === 'CONNECTION_STATUS');
  if (found === undefined) throw new Error(`no CONNECTION_STATUS: ${output.lines.join('\n')}`);
  const { status, message = '' } = found.connectionStatus;
  return { status, lines: message.split('\n') };
}

/** The streams of the CATALOG that a discover printed. */
export function discovered({ messages, lines }: Output): AirbyteStream[] {
  const catalog = messages.find((message) => message.type === 'CATALOG');
  if (catalog === undefined) throw new Error(`no CATALOG: ${lines.join('\n')}`);
  return catalog.catalog.streams;
}
