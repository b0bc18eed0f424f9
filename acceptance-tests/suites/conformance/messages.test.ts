import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { parseMessage } from './validate-output.ts';

const now = 1_767_225_600_000;
const textAt = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

/** One message of each kind, with every field that the schema knows. */
const full = textAt('messages.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as AirbyteMessage);

const nameOf = (message: AirbyteMessage): string =>
  message.type === 'TRACE' ? message.trace.type : message.type;

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

test.each(full)('$type with every field is accepted', (message) => {
  expect(parseMessage(JSON.stringify(message))).toStrictEqual(message);
});

test.each(full.flatMap((message) => objectPaths(message, '').map((path) => ({ message, path }))))(
  'an unknown field is caught: $message.type $path',
  ({ message, path }) => {
    expect(() => parseMessage(changed(message, `${path}misspelt`, 1))).toThrow(
      '"additionalProperty":"misspelt"',
    );
  },
);

describe('what a source must not write is caught', () => {
  const cases: readonly (readonly [name: string, path: string, ...values: readonly unknown[]])[] = [
    ['RECORD', 'type', undefined, 'STATE', 'DESTINATION_CATALOG'],
    ['RECORD', 'record', undefined],
    ['RECORD', 'state', (full[1] as { state?: unknown }).state],
    ['RECORD', 'record.stream', ''],
    ['RECORD', 'record.data', {}, [], undefined],
    ['RECORD', 'record.emitted_at', undefined, now / 1000, now * 1000, now + 0.5, '2026-01-01T00:00:00Z'],
    ['RECORD', 'record.meta', { changes: [] }],
    ['RECORD', 'record.namespace', 'fleet'],
    ['STATE', 'state.type', undefined, 'LEGACY', 'GLOBAL'],
    ['STATE', 'state.id', 1],
    ['STATE', 'state.data', {}],
    ['STATE', 'state.destinationStats', { recordCount: 1 }],
    ['STATE', 'state.stream.stream_descriptor', undefined],
    ['STATE', 'state.stream.stream_descriptor.name', undefined],
    ['STATE', 'state.stream.stream_state', undefined, null],
    ['STATE', 'state.sourceStats', undefined],
    ['STATE', 'state.sourceStats.recordCount', undefined, -1, 1.5, '1'],
    ['LOG', 'log.level', 'info'],
    ['LOG', 'log.message', undefined],
    ['ERROR', 'trace.type', undefined, 'ESTIMATE'],
    ['ERROR', 'trace.emitted_at', now / 1000],
    ['ERROR', 'trace.error.message', ''],
    ['ERROR', 'trace.error.failure_type', undefined, 'user_error'],
    ['ESTIMATE', 'trace.estimate.type', undefined],
    ['ESTIMATE', 'trace.estimate.row_estimate', -1],
    ['STREAM_STATUS', 'trace.stream_status.status', 'STOPPED', 'COMPLETE'],
    ['STREAM_STATUS', 'trace.stream_status.reasons', []],
    ['STREAM_STATUS', 'trace.stream_status.reasons.0.type', 'TIRED'],
    ['STREAM_STATUS', 'trace.stream_status.reasons.0.rate_limited.quota_reset', now / 1000],
    ['CONTROL', 'control.type', undefined],
    ['CONTROL', 'control.emitted_at', undefined],
    ['CONTROL', 'control.connectorConfig.config', {}, undefined],
    ['CATALOG', 'catalog.streams', undefined],
    ['CATALOG', 'catalog.streams.0.json_schema', {}],
    ['CATALOG', 'catalog.streams.0.supported_sync_modes', [], ['resumable']],
    ['CATALOG', 'catalog.streams.0.default_cursor_field', 'createdDate'],
    ['CATALOG', 'catalog.streams.0.source_defined_primary_key', ['id']],
    ['CATALOG', 'catalog.streams.0.source_defined_cursor', undefined],
    ['SPEC', 'spec.connectionSpecification', undefined],
    ['SPEC', 'spec.protocol_version', '1.0.0'],
    ['SPEC', 'spec.documentationUrl', 'docs'],
    ['SPEC', 'spec.supportsIncremental', true],
    ['CONNECTION_STATUS', 'connectionStatus.status', 'OK'],
    ['CONNECTION_STATUS', 'connection_status', { status: 'SUCCEEDED', message: 'assets: ok' }],
  ];

  test.each(cases.flatMap(([name, path, ...values]) => values.map((value) => [name, path, value] as const)))(
    '%s with %s = %o',
    (name, path, value) => {
      const message = full.find((one) => nameOf(one) === name);
      expect(message).toBeDefined();
      expect(() => parseMessage(changed(message as AirbyteMessage, path, value))).toThrow(/"[a-zA-Z]+":/);
    },
  );

  test.each(['null', '1', '"RECORD"', '[]', '{}'])('the line %s', (line) => {
    expect(() => parseMessage(line)).toThrow(/^message must/);
  });
});

test('every object of the schema says whether other fields are allowed', () => {
  const undecided: unknown[] = [];
  JSON.parse(textAt('airbyte-protocol.schema.json'), (_key, value: { type?: unknown } | null) => {
    const isObject = typeof value === 'object' && value?.type === 'object';
    if (isObject && !('additionalProperties' in value) && !('oneOf' in value)) undecided.push(value);
    return value;
  });
  expect(undecided).toStrictEqual([]);
});
