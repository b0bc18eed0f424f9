import { ConnectorError, messageOf } from '../errors.ts';
import type {
  AirbyteMessage,
  FailureType,
  StreamStatus,
  TraceMessage,
} from '../generated/protocol.generated.ts';

export function logMessage(level: 'INFO' | 'WARN', message: string): AirbyteMessage {
  return { type: 'LOG', log: { level, message } };
}

/** CONTROL with a whole config, which replaces the platform's. */
export function configMessage(config: Readonly<Record<string, unknown>>, nowMs: number): AirbyteMessage {
  const connectorConfig = { config };
  return { type: 'CONTROL', control: { type: 'CONNECTOR_CONFIG', emitted_at: nowMs, connectorConfig } };
}

/** State from which a stream can be resumed; only the stream interprets it. */
export type StreamState = Readonly<Record<string, unknown>>;

/** STATE of the type STREAM; `recordCount` is the number of records of the stream since its previous STATE. */
export function stateMessage(name: string, state: StreamState, recordCount: number): AirbyteMessage {
  const stream = { stream_descriptor: { name }, stream_state: state };
  return { type: 'STATE', state: { type: 'STREAM', stream, sourceStats: { recordCount } } };
}

export function statusMessage(name: string, status: StreamStatus, nowMs: number): TraceMessage {
  const stream_status = { stream_descriptor: { name }, status };
  return { type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: nowMs, stream_status } };
}

/** RUNNING with the reason RATE_LIMITED; requests resume at `quotaResetMs`, in ms since the epoch. */
export function rateLimitedMessage(name: string, quotaResetMs: number, nowMs: number): TraceMessage {
  const reasons = [{ type: 'RATE_LIMITED' as const, rate_limited: { quota_reset: quotaResetMs } }];
  const stream_status = { stream_descriptor: { name }, status: 'RUNNING' as const, reasons };
  return { type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: nowMs, stream_status } };
}

export function estimateMessage(name: string, rows: number, nowMs: number): TraceMessage {
  const estimate = { name, type: 'STREAM' as const, row_estimate: rows };
  return { type: 'TRACE', trace: { type: 'ESTIMATE', emitted_at: nowMs, estimate } };
}

/** TRACE ERROR for anything thrown, with the descriptor of the stream if only one failed. */
export function errorMessage(error: unknown, stream: string | null, nowMs: number): TraceMessage {
  const descriptor = stream === null ? {} : { stream_descriptor: { name: stream } };
  const description =
    error instanceof ConnectorError ? describeKnown(error) : describeInternal(error, stream);
  const trace = { type: 'ERROR' as const, emitted_at: nowMs, error: { ...description, ...descriptor } };
  return { type: 'TRACE', trace };
}

/** The `failure_type` of anything thrown. */
export function failureTypeOf(error: unknown): FailureType {
  return error instanceof ConnectorError ? error.failureType : 'system_error';
}

function describeKnown({ message, code, cause = null, failureType }: ConnectorError) {
  const internal = cause === null ? code : `${code}: ${messageOf(cause)}`;
  return { message, internal_message: internal, failure_type: failureType };
}

function describeInternal(error: unknown, stream: string | null) {
  return {
    message: `${stream === null ? '' : `${stream}: `}an unexpected failure inside the connector; please report it.`,
    internal_message: messageOf(error),
    failure_type: 'system_error' as const,
    ...(error instanceof Error && error.stack !== undefined ? { stack_trace: error.stack } : {}),
  };
}

/** Formats `12,345`; fractions are not grouped. `toLocaleString` would take half as long as Node.js takes to start. */
export function grouped(count: number): string {
  return Number.isInteger(count) ? String(count).replaceAll(/\d(?=(?:\d{3})+$)/g, '$&,') : String(count);
}

/** Formats `1 row`, `12,345 rows`. */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

const MAX_NAME = 100; // characters of a name in a message
const MAX_LISTED = 8; // names in a message

/** Quotes a name or ID from a server or file, truncated if it is long, and escaped so that it cannot break a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text);
}

/** Joins alternatives: `a`, `a or b`, `a, b or c`. */
export function alternatives(texts: readonly string[]): string {
  const last = texts.slice(-1).join('');
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}

/** Returns a simple word or path as it is, and quotes any other name. */
export function plain(name: string): string {
  return name.length <= MAX_NAME && /^[\w.[\]]+$/.test(name) ? name : quoted(name);
}

/** Lists the first names, formatted by `show`, and how many more there are. */
export function listed<T>(names: readonly T[], show: (name: T) => string): string {
  const shown = names.slice(0, MAX_LISTED).map(show).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${grouped(names.length - MAX_LISTED)} more` : shown;
}

/** Returns a function that passes each message on once. */
export function onceEach(pass: (message: string) => Promise<void>): (message: string) => Promise<void> {
  const passed = new Set<string>();
  return async (message) => {
    if (passed.has(message)) return;
    passed.add(message);
    await pass(message);
  };
}
