import type { AirbyteMessage, AirbyteStream } from '../../src/generated/protocol.generated.ts';

/** The messages of a process, and the line of each without its newline. */
export interface Output {
  readonly messages: readonly AirbyteMessage[];
  readonly lines: readonly Buffer[];
}

type Messages = Pick<Output, 'messages'>;
type Of<T extends AirbyteMessage['type']> = Extract<AirbyteMessage, { type: T }>;
type Trace = Of<'TRACE'>['trace'];

function ofType<T extends AirbyteMessage['type']>({ messages }: Messages, type: T): Of<T>[] {
  return messages.filter((message): message is Of<T> => message.type === type);
}

function traces<T extends Trace['type']>(output: Messages, type: T): Extract<Trace, { type: T }>[] {
  const all = ofType(output, 'TRACE').map(({ trace }) => trace);
  return all.filter((trace): trace is Extract<Trace, { type: T }> => trace.type === type);
}

/** The exact texts of `record.data` of a stream, cut out of the lines. */
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

/** `emitted_at` of every record, epoch ms. */
export const emissionTimes = (output: Output): number[] =>
  ofType(output, 'RECORD').map(({ record }) => record.emitted_at);

const streamStates = (output: Output) => ofType(output, 'STATE').map(({ state }) => state);

/** The states of a stream, in order. */
export const states = (output: Output, name: string): Record<string, unknown>[] =>
  streamStates(output).flatMap(({ stream }) =>
    stream.stream_descriptor.name === name ? [stream.stream_state] : [],
  );

/** The last state of each stream, as platforms pass it: an array of STREAM states. */
export const stateArray = (output: Output): object[] => [
  ...new Map(
    streamStates(output).map(({ type, stream }) => [stream.stream_descriptor.name, { type, stream }]),
  ).values(),
];

/** The statuses of a stream, in order. */
export const statuses = (output: Output, name: string) =>
  traces(output, 'STREAM_STATUS').flatMap(({ stream_status: { stream_descriptor: stream, status } }) =>
    stream.name === name ? [status] : [],
  );

export const errors = (output: Messages) => traces(output, 'ERROR').map(({ error }) => error);

export const estimates = (output: Output) => traces(output, 'ESTIMATE').map(({ estimate }) => estimate);

/** The messages of LOG lines of a level. */
export const logs = (output: Output, level: 'INFO' | 'WARN'): string[] =>
  ofType(output, 'LOG').flatMap(({ log }) => (log.level === level ? [log.message] : []));

/** The CONNECTION_STATUS of a check, with the lines of its message. */
export function verdict(output: Output): { readonly status: string; readonly lines: readonly string[] } {
  const [found] = ofType(output, 'CONNECTION_STATUS');
  if (found === undefined) throw new Error(`no CONNECTION_STATUS: ${output.lines.join('\n')}`);
  const { status, message = '' } = found.connectionStatus;
  return { status, lines: message.split('\n') };
}

/** The streams of a CATALOG. */
export function discovered(output: Output): AirbyteStream[] {
  const [found] = ofType(output, 'CATALOG');
  if (found === undefined) throw new Error(`no CATALOG: ${output.lines.join('\n')}`);
  return found.catalog.streams;
}

/** The configs of CONTROL messages, in order. */
export const announcedConfigs = (output: Output): object[] =>
  ofType(output, 'CONTROL').map(({ control }) => control.connectorConfig.config);

/** The word that each warning about rows that are emitted again contains. */
export const REPEATS = 'repeat';
