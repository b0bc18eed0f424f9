// Generated from acceptance-tests/suites/conformance/airbyte-protocol.schema.json by `npm run generate`. Do not edit.

/**
 * One line on stdout. Strict on purpose: it accepts only the parts of the protocol that the connector uses, so that misspelled and new fields are noticed.
 */
export type AirbyteMessage =
  | RecordMessage
  | StateMessage
  | LogMessage
  | TraceMessage
  | ControlMessage
  | CatalogMessage
  | SpecMessage
  | ConnectionStatusMessage;
/**
 * Time in epoch milliseconds, between the years 2020 and 2100.
 */
export type EpochMs = number;
export type LogLevel = 'FATAL' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';
export type Trace = ErrorTrace | EstimateTrace | StreamStatusTrace;
/**
 * config_error: the user must change something; transient_error: a later attempt may succeed; system_error: a fault of the connector.
 */
export type FailureType = 'system_error' | 'config_error' | 'transient_error';
export type StreamStatus = 'STARTED' | 'RUNNING' | 'COMPLETE' | 'INCOMPLETE';
export type SyncMode = 'full_refresh' | 'incremental';

/**
 * One row of a stream.
 */
export interface RecordMessage {
  type: 'RECORD';
  record: RecordPayload;
}
/**
 * A row and its stream.
 */
export interface RecordPayload {
  /**
   * Name of the stream.
   */
  stream: string;
  /**
   * The row. It is never empty, because platforms silently drop empty rows.
   */
  data: {
    [k: string]: unknown;
  };
  emitted_at: EpochMs;
}
/**
 * From where a later read of a stream can resume.
 */
export interface StateMessage {
  type: 'STATE';
  state: StatePayload;
}
/**
 * State of one stream. It covers all rows of the stream that were written before it.
 */
export interface StatePayload {
  type: 'STREAM';
  stream: StreamState;
  sourceStats: StateStats;
}
export interface StreamState {
  stream_descriptor: StreamDescriptor;
  /**
   * The connector's own state of the stream.
   */
  stream_state: {
    [k: string]: unknown;
  };
}
/**
 * Names one stream.
 */
export interface StreamDescriptor {
  name: string;
}
export interface StateStats {
  /**
   * Rows of this stream written since its previous state.
   */
  recordCount: number;
}
/**
 * A line for the log of the platform.
 */
export interface LogMessage {
  type: 'LOG';
  log: LogPayload;
}
export interface LogPayload {
  level: LogLevel;
  message: string;
  stack_trace?: string;
}
/**
 * Information about the run: a failure, an estimate, the status of a stream, or a count.
 */
export interface TraceMessage {
  type: 'TRACE';
  trace: Trace;
}
/**
 * A failure, of one stream or of the whole run.
 */
export interface ErrorTrace {
  type: 'ERROR';
  emitted_at: EpochMs;
  error: TraceError;
}
export interface TraceError {
  /**
   * For the user: what happened and what to do.
   */
  message: string;
  /**
   * For support: the technical cause.
   */
  internal_message?: string;
  stack_trace?: string;
  failure_type: FailureType;
  stream_descriptor?: StreamDescriptor;
}
/**
 * An estimate of the amount of data.
 */
export interface EstimateTrace {
  type: 'ESTIMATE';
  emitted_at: EpochMs;
  estimate: Estimate;
}
export interface Estimate {
  /**
   * Name of the stream, or of the sync.
   */
  name: string;
  type: 'STREAM' | 'SYNC';
  /**
   * Rows expected.
   */
  row_estimate?: number;
  /**
   * Bytes expected.
   */
  byte_estimate?: number;
}
/**
 * The status of a stream.
 */
export interface StreamStatusTrace {
  type: 'STREAM_STATUS';
  emitted_at: EpochMs;
  stream_status: StreamStatusChange;
}
export interface StreamStatusChange {
  stream_descriptor: StreamDescriptor;
  status: StreamStatus;
  /**
   * @minItems 1
   * @maxItems 1
   */
  reasons?: StatusReason[];
}
/**
 * Why a running stream makes no progress.
 */
export interface StatusReason {
  type: 'RATE_LIMITED';
  rate_limited?: RateLimit;
}
export interface RateLimit {
  quota_reset?: EpochMs;
}
/**
 * Asks the platform to store a changed config.
 */
export interface ControlMessage {
  type: 'CONTROL';
  control: ControlPayload;
}
export interface ControlPayload {
  type: 'CONNECTOR_CONFIG';
  emitted_at: EpochMs;
  connectorConfig: ConnectorConfigUpdate;
}
export interface ConnectorConfigUpdate {
  /**
   * The whole config, which replaces the platform's.
   */
  config: {
    [k: string]: unknown;
  };
}
/**
 * What can be read.
 */
export interface CatalogMessage {
  type: 'CATALOG';
  catalog: AirbyteCatalog;
}
export interface AirbyteCatalog {
  streams: AirbyteStream[];
}
/**
 * One stream that can be read.
 */
export interface AirbyteStream {
  name: string;
  namespace?: string;
  /**
   * JSON Schema of the rows. A platform needs its properties.
   */
  json_schema: {
    type: 'object';
    properties: {
      [k: string]: unknown;
    };
    [k: string]: unknown;
  };
  /**
   * @minItems 1
   */
  supported_sync_modes: SyncMode[];
  source_defined_cursor?: boolean;
  /**
   * Path of the cursor field.
   *
   * @minItems 1
   */
  default_cursor_field?: string[];
  /**
   * Paths of the fields of the primary key.
   *
   * @minItems 1
   */
  source_defined_primary_key?: string[][];
  /**
   * An interrupted read can be resumed.
   */
  is_resumable?: boolean;
}
/**
 * How the connector is configured.
 */
export interface SpecMessage {
  type: 'SPEC';
  spec: ConnectorSpecification;
}
export interface ConnectorSpecification {
  /**
   * Version of the protocol, from 0.0.0 to 0.3.0.
   */
  protocol_version?: string;
  documentationUrl?: string;
  changelogUrl?: string;
  /**
   * JSON Schema of a config.
   */
  connectionSpecification: {
    [k: string]: unknown;
  };
}
/**
 * The result of a check.
 */
export interface ConnectionStatusMessage {
  type: 'CONNECTION_STATUS';
  connectionStatus: ConnectionStatus;
}
export interface ConnectionStatus {
  status: 'SUCCEEDED' | 'FAILED';
  /**
   * Shown to the user.
   */
  message?: string;
}
