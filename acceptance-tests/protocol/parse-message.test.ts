import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AirbyteMessage, AirbyteStream } from '../../src/generated/protocol.generated.ts';
import { parseMessage } from './parse-message.ts';

const now = 1_767_225_600_000;
const stream_descriptor = { name: 'alarms', namespace: 'fleet' };
const alarmsStream: AirbyteStream = {
  name: 'alarms',
  namespace: 'fleet',
  json_schema: { type: 'object', properties: { createdDate: {} } },
  supported_sync_modes: ['full_refresh', 'incremental'],
  source_defined_cursor: true,
  default_cursor_field: ['createdDate'],
  source_defined_primary_key: [['id']],
  is_resumable: true,
  is_file_based: false,
};

/** One message of each kind, with every field that the schema knows. */
const full = {
  record: {
    type: 'RECORD',
    record: {
      stream: 'alarms',
      namespace: 'fleet',
      data: { id: 1 },
      emitted_at: now,
      meta: { changes: [{ field: 'note', change: 'NULLED', reason: 'SOURCE_SERIALIZATION_ERROR' }] },
      file_reference: { staging_file_url: 'a', source_file_relative_path: 'b', file_size_bytes: 0 },
    },
  },
  state: {
    type: 'STATE',
    state: {
      type: 'STREAM',
      stream: { stream_descriptor, stream_state: { created_since: '2026-01-01T00:00:00Z' } },
      sourceStats: { recordCount: 0, rejectedRecordCount: 0 },
    },
  },
  log: { type: 'LOG', log: { level: 'WARN', message: 'a', stack_trace: 'b' } },
  error: {
    type: 'TRACE',
    trace: {
      type: 'ERROR',
      emitted_at: now,
      error: {
        message: 'a',
        internal_message: 'b',
        stack_trace: 'c',
        failure_type: 'config_error',
        stream_descriptor,
      },
    },
  },
  estimate: {
    type: 'TRACE',
    trace: {
      type: 'ESTIMATE',
      emitted_at: now,
      estimate: { name: 'alarms', namespace: 'fleet', type: 'STREAM', row_estimate: 1, byte_estimate: 2 },
    },
  },
  status: {
    type: 'TRACE',
    trace: {
      type: 'STREAM_STATUS',
      emitted_at: now,
      stream_status: {
        stream_descriptor,
        status: 'RUNNING',
        reasons: [{ type: 'RATE_LIMITED', rate_limited: { quota_reset: now } }],
      },
    },
  },
  analytics: {
    type: 'TRACE',
    trace: { type: 'ANALYTICS', emitted_at: now, analytics: { type: 'a', value: 'b' } },
  },
  control: {
    type: 'CONTROL',
    control: {
      type: 'CONNECTOR_CONFIG',
      emitted_at: now,
      connectorConfig: { config: { auth_url: 'https://a.example' } },
    },
  },
  catalog: { type: 'CATALOG', catalog: { streams: [alarmsStream] } },
  spec: {
    type: 'SPEC',
    spec: {
      protocol_version: '0.2.0',
      documentationUrl: 'https://a.example/docs',
      changelogUrl: 'https://a.example/changes',
      connectionSpecification: { type: 'object' },
      advanced_auth: {
        auth_flow_type: 'oauth2.0',
        predicate_key: ['a'],
        predicate_value: 'b',
        oauth_config_specification: { complete_oauth_output_specification: {} },
      },
    },
  },
  status_of_check: {
    type: 'CONNECTION_STATUS',
    connectionStatus: { status: 'SUCCEEDED', message: 'assets: ok' },
  },
} satisfies Record<string, AirbyteMessage>;

/** The bad message that comes of putting `value` at `path`; `undefined` takes the field out. */
function changed(message: AirbyteMessage, path: string, value: unknown): string {
  const copy: unknown = structuredClone(message);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce((at, key) => (at as Record<string, unknown>)[key], copy);
  (parent as Record<string, unknown>)[last] = value;
  return JSON.stringify(copy);
}

/** Paths of all objects inside `value` that the protocol itself defines. */
function objectPaths(value: unknown, path: string): string[] {
  const open = ['data', 'stream_state', 'json_schema', 'config', 'connectionSpecification'];
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value)
    .filter(([key]) => !open.includes(key) && !key.endsWith('_output_specification'))
    .flatMap(([key, child]) => objectPaths(child, `${path}${key}.`));
  return Array.isArray(value) ? inner : [path, ...inner];
}

test.each(Object.values(full))('$type with every field is accepted', (message) => {
  expect(parseMessage(JSON.stringify(message))).toStrictEqual(message);
});

test.each(
  Object.values(full).flatMap((message) => objectPaths(message, '').map((path) => ({ message, path }))),
)('an unknown field is caught: $message.type $path', ({ message, path }) => {
  expect(() => parseMessage(changed(message, `${path}misspelt`, 1))).toThrow(
    '"additionalProperty":"misspelt"',
  );
});

describe('what a source must not write is caught', () => {
  test.each<[AirbyteMessage, string, unknown]>([
    [full.record, 'type', undefined],
    [full.record, 'type', 'STATE'],
    [full.record, 'type', 'DESTINATION_CATALOG'],
    [full.record, 'record', undefined],
    [full.record, 'state', full.state.state],
    [full.record, 'record.stream', ''],
    [full.record, 'record.data', {}],
    [full.record, 'record.data', []],
    [full.record, 'record.data', undefined],
    [full.record, 'record.emitted_at', undefined],
    [full.record, 'record.emitted_at', 1_767_225_600],
    [full.record, 'record.emitted_at', now * 1000],
    [full.record, 'record.emitted_at', now + 0.5],
    [full.record, 'record.emitted_at', '2026-01-01T00:00:00Z'],
    [full.record, 'record.meta.changes.0.reason', 'BECAUSE'],
    [full.state, 'state.type', undefined],
    [full.state, 'state.type', 'LEGACY'],
    [full.state, 'state.type', 'GLOBAL'],
    [full.state, 'state.id', 1],
    [full.state, 'state.data', {}],
    [full.state, 'state.destinationStats', { recordCount: 1 }],
    [full.state, 'state.stream.stream_descriptor', undefined],
    [full.state, 'state.stream.stream_descriptor.name', undefined],
    [full.state, 'state.stream.stream_state', undefined],
    [full.state, 'state.stream.stream_state', null],
    [full.state, 'state.sourceStats', undefined],
    [full.state, 'state.sourceStats.recordCount', undefined],
    [full.state, 'state.sourceStats.recordCount', -1],
    [full.state, 'state.sourceStats.recordCount', 1.5],
    [full.state, 'state.sourceStats.recordCount', '1'],
    [full.log, 'log.level', 'info'],
    [full.log, 'log.message', undefined],
    [full.error, 'trace.type', undefined],
    [full.error, 'trace.type', 'ESTIMATE'],
    [full.error, 'trace.emitted_at', 1_767_225_600],
    [full.error, 'trace.error.message', ''],
    [full.error, 'trace.error.failure_type', undefined],
    [full.error, 'trace.error.failure_type', 'user_error'],
    [full.estimate, 'trace.estimate.type', undefined],
    [full.estimate, 'trace.estimate.row_estimate', -1],
    [full.status, 'trace.stream_status.status', 'STOPPED'],
    [full.status, 'trace.stream_status.status', 'COMPLETE'],
    [full.status, 'trace.stream_status.reasons', []],
    [full.status, 'trace.stream_status.reasons.0.type', 'TIRED'],
    [full.status, 'trace.stream_status.reasons.0.rate_limited.quota_reset', 1_767_225_600],
    [full.analytics, 'trace.analytics.value', 1],
    [full.control, 'control.type', undefined],
    [full.control, 'control.emitted_at', undefined],
    [full.control, 'control.connectorConfig.config', {}],
    [full.control, 'control.connectorConfig.config', undefined],
    [full.catalog, 'catalog.streams', undefined],
    [full.catalog, 'catalog.streams.0.json_schema', {}],
    [full.catalog, 'catalog.streams.0.supported_sync_modes', []],
    [full.catalog, 'catalog.streams.0.supported_sync_modes', ['resumable']],
    [full.catalog, 'catalog.streams.0.default_cursor_field', 'createdDate'],
    [full.catalog, 'catalog.streams.0.source_defined_primary_key', ['id']],
    [full.catalog, 'catalog.streams.0.source_defined_cursor', undefined],
    [full.spec, 'spec.connectionSpecification', undefined],
    [full.spec, 'spec.protocol_version', '1.0.0'],
    [full.spec, 'spec.documentationUrl', 'docs'],
    [full.spec, 'spec.supportsIncremental', true],
    [full.status_of_check, 'connectionStatus.status', 'OK'],
    [full.status_of_check, 'connection_status', full.status_of_check.connectionStatus],
  ])('%o with %s = %o', (message, path, value) => {
    expect(() => parseMessage(changed(message, path, value))).toThrow(/"[a-zA-Z]+":/);
  });

  test.each(['null', '1', '"RECORD"', '[]', '{}'])('the line %s', (line) => {
    expect(() => parseMessage(line)).toThrow(/^message must/);
  });
});

test('every object of the schema says whether other fields are allowed', () => {
  const file = join(import.meta.dirname, 'airbyte-protocol.schema.json');
  const undecided: unknown[] = [];
  JSON.parse(readFileSync(file, 'utf8'), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if (
      'type' in value &&
      value.type === 'object' &&
      !('additionalProperties' in value) &&
      !('oneOf' in value)
    )
      undecided.push(value);
    return value;
  });
  expect(undecided).toStrictEqual([]);
});
