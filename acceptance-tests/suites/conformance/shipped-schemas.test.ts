import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import { catalogFaults } from './catalog-rules.ts';
import { readSpec, readStreamSchema, subschemas } from './schema.ts';

/** The streams that a config can have. */
const streams = Object.entries(readSpec().connectionSpecification.properties ?? {}).flatMap(
  ([name, { group }]) => (group === 'streams' ? [name] : []),
);

test('there is one for each stream', () => {
  const files = readdirSync(join(import.meta.dirname, '../../../schemas')).toSorted();
  expect(files).toStrictEqual(streams.map((stream) => `${stream}.json`).toSorted());
  expect(files).toStrictEqual(expect.arrayContaining(['alarms.json', 'assets.json']));
});

test.each(streams)('%s: open draft-07, fields that may be null and say what they are', (kind) => {
  const schema = readStreamSchema(kind);
  const stream = { name: kind, json_schema: schema, supported_sync_modes: ['full_refresh'] };
  expect(catalogFaults([stream as unknown as AirbyteStream])).toStrictEqual([]);
  expect(new Ajv().validateSchema(schema)).toBe(true);
  expect(schema).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    title: expect.any(String),
    description: expect.any(String),
    additionalProperties: true,
  });
  const fields = subschemas(schema).filter(({ name }) => name !== undefined);
  expect(fields).not.toStrictEqual([]);
  for (const { schema: field } of fields)
    expect(field).toMatchObject({
      type: expect.arrayContaining(['null']),
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
    });
  expect(JSON.stringify(schema)).not.toMatch(/"(\$ref|allOf|not|format)":/);
});

test('the key of assets is a text, and alarms have their usual cursor', () => {
  expect(readStreamSchema('assets').properties?.['assetId']?.type).toStrictEqual(['null', 'string']);
  expect(readStreamSchema('alarms').properties).toHaveProperty('createdDate');
});

test.each([
  ['assets', { assetId: '7f2c1a52-0000-4000-8000-000000000001', vin: 'WDB00000000000001', axles: [1] }],
  ['assets', { assetId: null, vin: null }],
  ['assets', { other: {} }],
  ['alarms', { createdDate: '2026-01-01T00:00:00.000Z' }],
  ['alarms', { createdDate: '01.01.2026 00:00' }],
  ['alarms', { createdDate: 1_767_225_600_000 }],
  ['alarms', { createdDate: 1_767_225_600.123 }],
  ['alarms', { createdDate: null }],
  ['alarms', { other: true }],
])('a row of %s is accepted: %j', (kind, row) => {
  expect(new Ajv({ allowUnionTypes: true }).validate(readStreamSchema(kind), row)).toBe(true);
});
