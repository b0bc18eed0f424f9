import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { parseMessage } from './validate-output.ts';

const now = 1_767_225_600_000;
const textAt = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

/** One message of each kind, with every field that the schema knows. */
const full = textAt('messages.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as AirbyteMessage);

/** The message of a kind with `value` at `path`; `undefined` removes the field. */
function changed(kind: string, path: string, value: unknown): string {
  const copy: unknown = structuredClone(full.find((message) => kindOf(message) === kind));
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce((at, key) => (at as Record<string, unknown>)[key], copy);
  (parent as Record<string, unknown>)[last] = value;
  return JSON.stringify(copy);
}

function kindOf(message: AirbyteMessage): string {
  return message.type === 'TRACE' ? message.trace.type : message.type;
}

test.each(full)('$type with every field is accepted', (message) => {
  expect(parseMessage(JSON.stringify(message))).toStrictEqual(message);
});

const forbidden: readonly (readonly [kind: string, path: string, ...values: readonly unknown[]])[] = [
  ['RECORD', 'type', undefined, 'STATE', 'DESTINATION_CATALOG'],
  ['RECORD', 'record', undefined],
  ['RECORD', 'record.stream', ''],
  ['RECORD', 'record.data', {}, [], undefined],
  ['RECORD', 'record.emitted_at', undefined, now / 1000, now * 1000, now + 0.5, '2026-01-01T00:00:00Z'],
  ['STATE', 'state.type', undefined, 'LEGACY', 'GLOBAL'],
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
  ['CONNECTION_STATUS', 'connectionStatus.status', 'OK'],
];

test.each(
  forbidden.flatMap(([kind, path, ...values]) =>
    values.map((value) => ({ kind, path, value, shown: value === undefined ? 'nothing' : value })),
  ),
)('an invalid $kind is rejected: $path = $shown', ({ kind, path, value }) => {
  expect(() => parseMessage(changed(kind, path, value))).toThrow(/"[a-zA-Z]+":/);
});

test('each error in a message is reported', () => {
  const bad = '{"type":"LOG","log":{"level":"LOUD","mesage":"x"}}';
  expect(() => parseMessage(bad)).toThrow(
    /^(?=.*"missingProperty":"message")(?=.*"additionalProperty":"mesage")(?=.*\/log\/level)/,
  );
});

const log = '{"type":"LOG","log":{"level":"INFO","message":"hello"}}';

const noMessages = ['null', '1', '"RECORD"', '[]', '{}'];
const noJson = ['', 'Warning: something', log.slice(0, -1), log + log, `\uFEFF${log}`, `${log}\u001C`];

test.each<[line: string | Buffer, reason: string | RegExp]>([
  ...noMessages.map((line): [string, RegExp] => [line, /^message must/]),
  ...noJson.map((line): [string, RegExp] => [line, /JSON/]),
  [log.replace('hello', 'a\fb'), /control character/],
  [`${log}\r`, 'holds a raw U+000D'],
  [log.replace('hello', 'a\u0085b'), 'holds a raw U+0085'],
  [log.replace('hello', 'a\u2028b'), 'holds a raw U+2028'],
  [log.replace('hello', 'a\u2029b'), 'holds a raw U+2029'],
  [Buffer.from(log.replace('hello', '\u00FF'), 'latin1'), 'is not valid UTF-8'],
])('a line that is not a message is rejected: %j', (line, reason) => {
  expect(() => parseMessage(line)).toThrow(reason);
});

test('escaped line separators are accepted', () => {
  const message = '\r\n\u0085\u2028\u2029\f';
  const escaped = log.replace('hello', String.raw`\r\n\u0085\u2028\u2029\f`);
  expect(parseMessage(escaped)).toStrictEqual({ type: 'LOG', log: { level: 'INFO', message } });
});

test('objects allow no other fields, except those with content of others', () => {
  const open: string[] = [];
  JSON.parse(textAt('airbyte-protocol.schema.json'), (name, value: Record<string, unknown> | null) => {
    if (value?.['type'] === 'object' && !('oneOf' in value) && value['additionalProperties'] !== false)
      open.push(name);
    return value;
  });
  const known = ['config', 'connectionSpecification', 'data', 'json_schema', 'properties', 'stream_state'];
  expect(open.toSorted()).toStrictEqual(known);
});
