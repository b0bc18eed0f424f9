import { ConnectorError, messageOf } from '../errors.ts';
import type { AirbyteMessage, StreamStatus, TraceMessage } from '../generated/protocol.generated.ts';

export function logMessage(level: 'INFO' | 'WARN', message: string): AirbyteMessage {
  return { type: 'LOG', log: { level, message } };
}

/** CONTROL: the whole config as it shall be from now on; the platform replaces the old one by it. */
export function configMessage(config: Readonly<Record<string, unknown>>, nowMs: number): AirbyteMessage {
  const connectorConfig = { config };
  return { type: 'CONTROL', control: { type: 'CONNECTOR_CONFIG', emitted_at: nowMs, connectorConfig } };
}

/** What a stream's reader hands back to go on later: only the stream itself knows what is in it. */
export type StreamState = Readonly<Record<string, unknown>>;

/** STATE of one stream, of the kind STREAM; `recordCount` is the number of its records since its previous STATE. */
export function stateMessage(name: string, state: StreamState, recordCount: number): AirbyteMessage {
  const stream = { stream_descriptor: { name }, stream_state: state };
  return { type: 'STATE', state: { type: 'STREAM', stream, sourceStats: { recordCount } } };
}

export function statusMessage(name: string, status: StreamStatus, nowMs: number): TraceMessage {
  const stream_status = { stream_descriptor: { name }, status };
  return { type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: nowMs, stream_status } };
}

/** RUNNING with the reason RATE_LIMITED; `quotaResetMs` is the epoch ms at which requests go on. */
export function rateLimitedMessage(name: string, quotaResetMs: number, nowMs: number): TraceMessage {
  const reasons = [{ type: 'RATE_LIMITED' as const, rate_limited: { quota_reset: quotaResetMs } }];
  const stream_status = { stream_descriptor: { name }, status: 'RUNNING' as const, reasons };
  return { type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: nowMs, stream_status } };
}

export function estimateMessage(name: string, rows: number, nowMs: number): TraceMessage {
  const estimate = { name, type: 'STREAM' as const, row_estimate: rows };
  return { type: 'TRACE', trace: { type: 'ESTIMATE', emitted_at: nowMs, estimate } };
}

/** TRACE ERROR for anything thrown; with the stream's descriptor if one stream failed. */
export function errorMessage(error: unknown, stream: string | null, nowMs: number): TraceMessage {
  const about = error instanceof ConnectorError ? known(error) : unexpected(error, stream);
  const descriptor = stream === null ? {} : { stream_descriptor: { name: stream } };
  return { type: 'TRACE', trace: { type: 'ERROR', emitted_at: nowMs, error: { ...about, ...descriptor } } };
}

function known({ message, code, cause = null, failureType }: ConnectorError) {
  const internal = cause === null ? code : `${code}: ${messageOf(cause)}`;
  return { message, internal_message: internal, failure_type: failureType };
}

/** A fault of ours. */
function unexpected(error: unknown, stream: string | null) {
  return {
    message: `${stream === null ? '' : `${stream}: `}an unexpected failure inside the connector; please report it.`,
    internal_message: messageOf(error),
    failure_type: 'system_error' as const,
    ...(error instanceof Error && error.stack !== undefined ? { stack_trace: error.stack } : {}),
  };
}

/** `12,345`; a fraction stays as it is. By hand: the first `toLocaleString` takes half as long as to start Node.js. */
export function grouped(count: number): string {
  return Number.isInteger(count) ? String(count).replaceAll(/\d(?=(?:\d{3})+$)/g, '$&,') : String(count);
}

/** `1 row`, `12,345 rows`. */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

const MAX_NAME = 100; // characters of a name in a message
const MAX_LISTED = 8; // names in it

/** A name or an id from a server or a file, for messages: bounded, and written so that nothing in it breaks a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text);
}

/** A name as it is where it is a plain word or a path, else quoted. */
export function plain(name: string): string {
  return name.length <= MAX_NAME && /^[\w.[\]]+$/.test(name) ? name : quoted(name);
}

/** The first of some names, each as `show` writes it, and how many more there are. */
export function listed(names: readonly string[], show: (name: string) => string): string {
  const shown = names.slice(0, MAX_LISTED).map(show).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${grouped(names.length - MAX_LISTED)} more` : shown;
}
