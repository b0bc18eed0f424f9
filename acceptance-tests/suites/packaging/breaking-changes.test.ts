import { describe, expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import { breakingCatalogChanges } from './breaking-catalog.ts';
import { breakingSpecChanges } from './breaking-spec.ts';
import type { ConfigSchema } from './breaking-spec.ts';

const text = { type: 'string' };
const general = { properties: { kind: { type: 'string', const: 'general' } } };
const module = {
  required: ['kind'],
  properties: { kind: { type: 'string', const: 'module' }, audience: text },
};
const properties = {
  url: { type: 'string', title: 'Address', pattern: '^https:' },
  size: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  level: { type: 'string', enum: ['low', 'high'] },
  scopes: { type: 'array', minItems: 1, items: text },
  token: { type: 'object', oneOf: [general, module] },
};
const config: ConfigSchema = { type: 'object', required: ['url'], properties };

/** The schema with some of its keys changed. */
const withKeys = (keys: object): ConfigSchema => ({ ...config, properties: { ...properties, ...keys } });
const without = (name: keyof typeof properties): ConfigSchema => ({
  ...config,
  properties: Object.fromEntries(Object.entries(properties).filter(([key]) => key !== name)),
});
const token = (...oneOf: readonly object[]): object => ({ token: { ...properties.token, oneOf } });

describe('what breaks a saved config', () => {
  test.each<[string, ConfigSchema, string[]]>([
    ['a key is removed', without('size'), ['config.size: the key was removed']],
    ['a key is newly required', { ...config, required: ['url', 'size'] }, ['config.size: newly required']],
    [
      'a new key that is required',
      { ...withKeys({ name: text }), required: ['url', 'name'] },
      ['config.name: newly required'],
    ],
    [
      'another type',
      withKeys({ size: { ...properties.size, type: 'string' } }),
      ['config.size: the type was integer and is string'],
    ],
    [
      'a type where there was none',
      withKeys(token({ ...general, type: 'object' }, module)),
      ['config.token(kind=general): the type was anything and is object'],
    ],
    [
      'a value is taken no more',
      withKeys({ level: { type: 'string', enum: ['high'] } }),
      ['config.level: the value "low" is not taken any more'],
    ],
    [
      'only some values are taken',
      withKeys({ url: { ...properties.url, enum: ['https://a'] } }),
      ['config.url: only some values are taken now'],
    ],
    [
      'a higher minimum, a lower maximum',
      withKeys({ size: { ...properties.size, minimum: 2, maximum: 50 } }),
      ['config.size: minimum was 1 and is 2', 'config.size: maximum was 100 and is 50'],
    ],
    [
      'a bound where there was none',
      withKeys({ scopes: { ...properties.scopes, maxItems: 3, items: { type: 'string', minLength: 1 } } }),
      ['config.scopes: maxItems was not set and is 3', 'config.scopes[]: minLength was not set and is 1'],
    ],
    [
      'another pattern',
      withKeys({ url: { type: 'string', pattern: '^https://' } }),
      ['config.url: another pattern'],
    ],
    ['a variant is removed', withKeys(token(general)), ['config.token: the variant kind=module was removed']],
    [
      'a key of a variant is newly required',
      withKeys(token(general, { ...module, required: ['kind', 'audience'] })),
      ['config.token(kind=module).audience: newly required'],
    ],
    [
      'other keys are refused',
      { ...config, additionalProperties: false },
      ['config: other keys are not taken any more'],
    ],
  ])('%s', (_, after, changes) => {
    expect(breakingSpecChanges(config, after)).toStrictEqual(changes);
  });

  test.each<[string, ConfigSchema]>([
    ['nothing changes', config],
    ['a new optional key', withKeys({ name: text })],
    ['a key is required no more', { ...config, required: [] }],
    [
      'another title, description or default',
      withKeys({ size: { ...properties.size, title: 'Rows', default: 20 } }),
    ],
    ['wider bounds', withKeys({ size: { type: 'integer', minimum: 0 } })],
    ['a further type', withKeys({ size: { ...properties.size, type: ['integer', 'string'] } })],
    ['a further value', withKeys({ level: { type: 'string', enum: ['low', 'high', 'middle'] } })],
    [
      'a further variant, and another order',
      withKeys(token({ properties: { kind: { const: 'new' } } }, module, general)),
    ],
    ['no pattern any more', withKeys({ url: text })],
  ])('harmless: %s', (_, after) => {
    expect(breakingSpecChanges(config, after)).toStrictEqual([]);
  });
});

const stream: AirbyteStream = {
  name: 'alarms',
  supported_sync_modes: ['full_refresh', 'incremental'],
  source_defined_cursor: true,
  default_cursor_field: ['createdDate'],
  source_defined_primary_key: [['alarmId']],
  json_schema: {
    type: 'object',
    properties: {
      alarmId: { type: ['null', 'string'] },
      createdDate: { type: ['null', 'string'], format: 'date-time', airbyte_type: 'timestamp_with_timezone' },
      place: { type: 'object', properties: { latitude: { type: 'number' } } },
    },
  },
};
const fields = stream.json_schema.properties;
const withFields = (changed: Record<string, unknown>): AirbyteStream => ({
  ...stream,
  json_schema: { type: 'object', properties: changed },
});

describe('what breaks a connection', () => {
  test.each<[string, AirbyteStream[], string[]]>([
    ['a stream is removed', [], ['alarms: the stream was removed']],
    ['a stream is renamed', [{ ...stream, name: 'alerts' }], ['alarms: the stream was removed']],
    [
      'a sync mode is removed',
      [{ ...stream, supported_sync_modes: ['full_refresh'] }],
      ['alarms: the sync mode incremental was removed'],
    ],
    [
      'another primary key',
      [{ ...stream, source_defined_primary_key: [['id']] }],
      ['alarms: source_defined_primary_key was [["alarmId"]] and is [["id"]]'],
    ],
    [
      'another cursor',
      [{ ...stream, default_cursor_field: ['updatedDate'] }],
      ['alarms: default_cursor_field was ["createdDate"] and is ["updatedDate"]'],
    ],
    [
      'the cursor is left to the user',
      [{ ...stream, source_defined_cursor: false }],
      ['alarms: source_defined_cursor was true and is false'],
    ],
    [
      'a field is removed',
      [withFields({ alarmId: fields['alarmId'], createdDate: fields['createdDate'] })],
      ['alarms.place: the field was removed'],
    ],
    [
      'a field within a field is removed',
      [withFields({ ...fields, place: { type: 'object', properties: {} } })],
      ['alarms.place.latitude: the field was removed'],
    ],
    [
      'another type',
      [withFields({ ...fields, alarmId: { type: ['null', 'integer'] } })],
      ['alarms.alarmId: the type was string and is integer'],
    ],
    [
      'a time becomes a text',
      [withFields({ ...fields, createdDate: { type: ['null', 'string'] } })],
      ['alarms.createdDate: the type was string, date-time, timestamp_with_timezone and is string'],
    ],
  ])('%s', (_, after, changes) => {
    expect(breakingCatalogChanges([stream], after)).toStrictEqual(changes);
  });

  test.each<[string, AirbyteStream[]]>([
    ['nothing changes', [stream]],
    ['a further stream', [{ ...stream, name: 'drivers' }, stream]],
    ['a further field', [withFields({ ...fields, severity: { type: 'string' } })]],
    [
      'a field may be null now',
      [withFields({ ...fields, place: { ...(fields['place'] as object), type: ['null', 'object'] } })],
    ],
    ['other words', [withFields({ ...fields, alarmId: { type: ['string', 'null'], title: 'Alarm' } })]],
    ['it can be resumed now', [{ ...stream, is_resumable: true }]],
  ])('harmless: %s', (_, after) => {
    expect(breakingCatalogChanges([stream], after)).toStrictEqual([]);
  });
});
