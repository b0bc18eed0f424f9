import { expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Schema } from '../conformance/schema.ts';
import { breakingCatalogChanges, breakingSpecChanges } from './breaking-changes.ts';

const text = { type: 'string' };
const general = { properties: { kind: { const: 'general' } } };
const module = { required: ['kind'], properties: { kind: { const: 'module' }, audience: text } };
const url = { ...text, title: 'Address', pattern: '^https:' };
const size = { type: 'integer', minimum: 1, maximum: 100, default: 10 };
const scopes = { type: 'array', minItems: 1, items: text };
const level = { ...text, enum: ['low', 'high'] };
const keys = { url, size, level, scopes, token: { type: 'object', oneOf: [general, module] } };
const config: Schema = { type: 'object', required: ['url'], properties: keys };

/** The schema with some of its keys changed. */
const having = (changed: object): Schema => ({ ...config, properties: { ...keys, ...changed } });
const variants = (...oneOf: readonly object[]): Schema => having({ token: { type: 'object', oneOf } });
const { size: _, ...withoutSize } = keys;

test.each<[string, Schema]>([
  ['nothing changes', config],
  ['a new optional key', having({ name: text })],
  ['a key is required no more', { ...config, required: [] }],
  ['another title, another default', having({ size: { ...size, title: 'Rows', default: 20 } })],
  ['wider bounds', having({ size: { type: 'integer', minimum: 0 } })],
  ['a further type', having({ size: { ...size, type: ['integer', 'string'] } })],
  ['a further value', having({ level: { ...level, enum: ['low', 'high', 'middle'] } })],
  ['a further variant, another order', variants({ properties: { kind: { const: 'new' } } }, module, general)],
  ['no pattern any more', having({ url: text })],
])('harmless to a saved config: %s', (_name, after) => {
  expect(breakingSpecChanges(config, after)).toStrictEqual([]);
});

test.each<[string, Schema]>([
  ['config.size was removed', { ...config, properties: withoutSize }],
  ['config: required ["url"] → ["url","size"]', { ...config, required: ['url', 'size'] }],
  ['config: required ["url"] → ["name"]', { ...having({ name: text }), required: ['name'] }],
  ['config.size: type "integer" → "string"', having({ size: { ...size, type: 'string' } })],
  ['config.token(kind=general): type not set → "object"', variants({ ...general, type: 'object' }, module)],
  ['config.level: enum ["low","high"] → ["high"]', having({ level: { ...level, enum: ['high'] } })],
  ['config.url: enum not set → ["https://a"]', having({ url: { ...url, enum: ['https://a'] } })],
  ['config.size: minimum 1 → 2', having({ size: { ...size, minimum: 2 } })],
  ['config.size: maximum 100 → 50', having({ size: { ...size, maximum: 50 } })],
  ['config.scopes: maxItems not set → 3', having({ scopes: { ...scopes, maxItems: 3 } })],
  [
    'config.scopes[0]: minLength not set → 1',
    having({ scopes: { ...scopes, items: { ...text, minLength: 1 } } }),
  ],
  ['config.url: pattern "^https:" → "^https://"', having({ url: { ...url, pattern: '^https://' } })],
  ['config.token(kind=module) was removed', variants(general)],
  [
    'config.token(kind=module): required ["kind"] → ["kind","audience"]',
    variants(general, { ...module, required: ['kind', 'audience'] }),
  ],
  ['config: additionalProperties not set → false', { ...config, additionalProperties: false }],
])('breaks a saved config: %s', (change, after) => {
  expect(breakingSpecChanges(config, after)).toStrictEqual([change]);
});

const alarmId = { type: ['null', 'string'] };
const createdDate = { ...alarmId, format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
const place = { type: 'object', properties: { latitude: { type: 'number' } } };
const fields = { alarmId, createdDate, place };
const stream: AirbyteStream = {
  name: 'alarms',
  supported_sync_modes: ['full_refresh', 'incremental'],
  source_defined_cursor: true,
  default_cursor_field: ['createdDate'],
  source_defined_primary_key: [['alarmId']],
  json_schema: { type: 'object', properties: fields },
};
const withFields = (changed: object): AirbyteStream => ({
  ...stream,
  json_schema: { type: 'object', properties: { ...fields, ...changed } },
});
const { place: _place, ...withoutPlace } = fields;

test.each<[string, AirbyteStream[]]>([
  ['nothing changes', [stream]],
  ['a further stream', [{ ...stream, name: 'drivers' }, stream]],
  ['a further field', [withFields({ severity: text })]],
  ['a field may be null now', [withFields({ place: { ...place, type: ['null', 'object'] } })]],
  ['other words', [withFields({ alarmId: { type: ['string', 'null'], title: 'Alarm' } })]],
  ['it can be resumed now', [{ ...stream, is_resumable: true }]],
])('harmless to a connection: %s', (_name, after) => {
  expect(breakingCatalogChanges([stream], after)).toStrictEqual([]);
});

test.each<[string, AirbyteStream | undefined]>([
  ['alarms was removed', undefined],
  ['alarms was removed', { ...stream, name: 'alerts' }],
  [
    'alarms: supported_sync_modes ["full_refresh","incremental"] → ["full_refresh"]',
    { ...stream, supported_sync_modes: ['full_refresh'] },
  ],
  [
    'alarms: source_defined_primary_key [["alarmId"]] → [["id"]]',
    { ...stream, source_defined_primary_key: [['id']] },
  ],
  ['alarms: default_cursor_field ["createdDate"] → ["day"]', { ...stream, default_cursor_field: ['day'] }],
  ['alarms: source_defined_cursor true → false', { ...stream, source_defined_cursor: false }],
  ['alarms.place was removed', { ...stream, json_schema: { type: 'object', properties: withoutPlace } }],
  ['alarms.place.latitude was removed', withFields({ place: { ...place, properties: {} } })],
  [
    'alarms.alarmId: type ["null","string"] → ["null","integer"]',
    withFields({ alarmId: { type: ['null', 'integer'] } }),
  ],
  [
    'alarms.createdDate: format "date-time" → not set',
    withFields({ createdDate: { ...createdDate, format: undefined } }),
  ],
  [
    'alarms.createdDate: airbyte_type "timestamp_with_timezone" → not set',
    withFields({ createdDate: { ...createdDate, airbyte_type: undefined } }),
  ],
])('breaks a connection: %s', (change, after) => {
  expect(breakingCatalogChanges([stream], after === undefined ? [] : [after])).toStrictEqual([change]);
});
