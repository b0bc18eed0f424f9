import type {
  AirbyteStream,
  Estimate,
  StreamStatus,
  TraceError,
} from '../../src/generated/protocol.generated.ts';
import { digestOf } from '../sandbox/client.ts';
import type { RowSet } from '../sandbox/client.ts';
import { memberText } from './json-member.ts';
import type { Run } from './run-connector.ts';

/** The exact texts of `record.data` of a stream, cut out of the lines and never written anew. */
export function recordTexts(run: Run, stream: string): string[] {
  return run.messages.flatMap((message, index) =>
    message.type === 'RECORD' && message.record.stream === stream ? [recordText(run.lines[index])] : [],
  );
}

/** The exact text of `record.data` of a RECORD line. */
export function recordText(line: Buffer | undefined): string {
  const text = memberText(line?.toString() ?? '', ['record', 'data']);
  if (text === undefined) throw new Error(`no record.data: ${String(line)}`);
  return text;
}

/** Count and digest of the emitted rows of a stream, to compare with the sandbox's truth. */
export function rowSet(run: Run, stream: string): RowSet {
  return digestOf(recordTexts(run, stream));
}

/** The records of a stream as values. */
export function records(run: Run, stream: string): Record<string, unknown>[] {
  return run.messages.flatMap((message) =>
    message.type === 'RECORD' && message.record.stream === stream ? [message.record.data] : [],
  );
}

/** `emitted_at` of every record of the run, epoch ms. */
export function emissionTimes(run: Run): number[] {
  return run.messages.flatMap((message) => (message.type === 'RECORD' ? [message.record.emitted_at] : []));
}

/** The states of a stream in order, without what stands around them. */
export function states(run: Run, stream: string): Record<string, unknown>[] {
  return run.messages.flatMap((message) =>
    message.type === 'STATE' && message.state.stream.stream_descriptor.name === stream
      ? [message.state.stream.stream_state]
      : [],
  );
}

/** The last state of each stream as a platform hands it back: an array of STREAM states. */
export function stateArray(run: Run): object[] {
  const last = new Map<string, object>();
  for (const message of run.messages)
    if (message.type === 'STATE') {
      const { type, stream } = message.state;
      last.set(stream.stream_descriptor.name, { type, stream });
    }
  return [...last.values()];
}

/** The statuses of a stream in order. */
export function statuses(run: Run, stream: string): StreamStatus[] {
  return run.messages.flatMap((message) =>
    message.type === 'TRACE' &&
    message.trace.type === 'STREAM_STATUS' &&
    message.trace.stream_status.stream_descriptor.name === stream
      ? [message.trace.stream_status.status]
      : [],
  );
}

/** The TRACE ERRORs of the run. */
export function errors(run: Run): TraceError[] {
  return run.messages.flatMap((message) =>
    message.type === 'TRACE' && message.trace.type === 'ERROR' ? [message.trace.error] : [],
  );
}

/** The ESTIMATEs of the run. */
export function estimates(run: Run): Estimate[] {
  return run.messages.flatMap((message) =>
    message.type === 'TRACE' && message.trace.type === 'ESTIMATE' ? [message.trace.estimate] : [],
  );
}

/** The texts of the LOG lines of a level. */
export function logs(run: Run, level: 'INFO' | 'WARN'): string[] {
  return run.messages.flatMap((message) =>
    message.type === 'LOG' && message.log.level === level ? [message.log.message] : [],
  );
}

/** The CONNECTION_STATUS of a check: status, and the lines of its message. */
export function verdict(run: Run): { readonly status: string; readonly lines: readonly string[] } {
  const status = run.messages.flatMap((message) =>
    message.type === 'CONNECTION_STATUS' ? [message.connectionStatus] : [],
  )[0];
  if (status === undefined) throw new Error(`no CONNECTION_STATUS: ${run.stdout.toString()}`);
  return { status: status.status, lines: (status.message ?? '').split('\n') };
}

/** The streams of the CATALOG that a discover printed. */
export function discovered(run: Run): AirbyteStream[] {
  const catalog = run.messages.find((message) => message.type === 'CATALOG');
  if (catalog === undefined) throw new Error(`no CATALOG: ${run.stdout.toString()}`);
  return catalog.catalog.streams;
}
