import { ConnectorError, messageOf } from '../errors.ts';
import type {
  ControlMessage,
  ErrorTrace,
  LogLevel,
  LogMessage,
  StateMessage,
  StreamStatus,
  TraceMessage,
} from '../generated/protocol.generated.ts';

/** A line for the platform's log. */
export function logMessage(level: LogLevel, message: string): LogMessage {
  return { type: 'LOG', log: { level, message } };
}

/** CONTROL: the whole config as it shall be from now on; the platform replaces the old one by it. */
export function configMessage(config: Readonly<Record<string, unknown>>, nowMs: number): ControlMessage {
  return {
    type: 'CONTROL',
    control: { type: 'CONNECTOR_CONFIG', emitted_at: nowMs, connectorConfig: { config } },
  };
}

/** What a stream's reader hands back to go on later: only the stream itself knows what is in it. */
export type StreamState = Readonly<Record<string, unknown>>;

/** STATE of one stream, of the kind STREAM; `recordCount` is the number of its records since its previous STATE. */
export function stateMessage(stream: string, state: StreamState, recordCount: number): StateMessage {
  return {
    type: 'STATE',
    state: {
      type: 'STREAM',
      stream: { stream_descriptor: { name: stream }, stream_state: state },
      sourceStats: { recordCount },
    },
  };
}

/** STREAM_STATUS of one stream. */
export function statusMessage(stream: string, status: StreamStatus, nowMs: number): TraceMessage {
  return {
    type: 'TRACE',
    trace: {
      type: 'STREAM_STATUS',
      emitted_at: nowMs,
      stream_status: { stream_descriptor: { name: stream }, status },
    },
  };
}

/** RUNNING with the reason RATE_LIMITED; `quotaResetMs` is the epoch ms at which requests go on. */
export function rateLimitedMessage(stream: string, quotaResetMs: number, nowMs: number): TraceMessage {
  return {
    type: 'TRACE',
    trace: {
      type: 'STREAM_STATUS',
      emitted_at: nowMs,
      stream_status: {
        stream_descriptor: { name: stream },
        status: 'RUNNING',
        reasons: [{ type: 'RATE_LIMITED', rate_limited: { quota_reset: quotaResetMs } }],
      },
    },
  };
}

/** ESTIMATE of the rows of one stream. */
export function estimateMessage(stream: string, rows: number, nowMs: number): TraceMessage {
  return {
    type: 'TRACE',
    trace: {
      type: 'ESTIMATE',
      emitted_at: nowMs,
      estimate: { name: stream, type: 'STREAM', row_estimate: rows },
    },
  };
}

/** TRACE ERROR for anything thrown; with the stream's descriptor if one stream failed. */
export function errorMessage(error: unknown, stream: string | null, nowMs: number): TraceMessage {
  const known = error instanceof ConnectorError;
  const stack = error instanceof Error ? error.stack : undefined;
  const trace: ErrorTrace = {
    type: 'ERROR',
    emitted_at: nowMs,
    error: {
      message: known
        ? error.message
        : `${stream === null ? '' : `${stream}: `}an unexpected failure inside the connector; please report it.`,
      internal_message: known ? `${error.code}${causeOf(error)}` : messageOf(error),
      failure_type: known ? error.failureType : 'system_error',
      ...(known || stack === undefined ? {} : { stack_trace: stack }),
      ...(stream === null ? {} : { stream_descriptor: { name: stream } }),
    },
  };
  return { type: 'TRACE', trace };
}

function causeOf(error: Error): string {
  return error.cause === undefined || error.cause === null ? '' : `: ${messageOf(error.cause)}`;
}
