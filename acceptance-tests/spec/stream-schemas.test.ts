import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { readSpec, readStreamSchema } from './read-repository-json.ts';
import { subschemas } from './subschemas.ts';

/** The streams that a config can have. */
const streams = Object.entries(readSpec().connectionSpecification.properties ?? {}).flatMap(
  ([name, { group }]) => (group === 'streams' ? [name] : []),
);

test('there is one schema for each stream', () => {
  const files = readdirSync(join(import.meta.dirname, '../../schemas')).toSorted();
  expect(files).toStrictEqual(streams.map((stream) => `${stream}.json`).toSorted());
  expect(files).toStrictEqual(expect.arrayContaining(['alarms.json', 'assets.json']));
});

// The names in brackets are those of Airbyte's acceptance tests, class TestDiscovery.
describe.each(streams)('%s', (stream) => {
  const schema = readStreamSchema(stream);
  const places = subschemas(schema);

  test('is a valid draft-07 schema of an object (streams_have_valid_json_schemas)', () => {
    expect(schema).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' });
    expect(new Ajv().validateSchema(schema)).toBe(true);
    expect(Object.keys(schema.properties ?? {})).not.toStrictEqual([]);
  });

  test.each(['$ref', 'allOf', 'not'])('has no %s (defined_refs_exist, defined_keyword_exist)', (keyword) => {
    expect(JSON.stringify(schema)).not.toContain(`"${keyword}"`);
  });

  test('is open (additional_properties_is_true)', () => {
    expect(schema.additionalProperties).toBe(true);
    expect(places.filter((place) => (place.schema.additionalProperties ?? true) !== true)).toStrictEqual([]);
  });

  test('has only fields that may be null, and says what they are', () => {
    const fields = places.filter(({ name }) => name !== undefined);
    expect(fields.filter(({ schema: { type } }) => ![type].flat().includes('null'))).toStrictEqual([]);
    expect(
      fields.filter(({ schema: { title, description } }) => !title || !description).map(({ path }) => path),
    ).toStrictEqual([]);
    expect(schema).toMatchObject({ title: expect.any(String), description: expect.any(String) });
  });

  test('names no type that a destination does not know (catalog_has_supported_data_types)', () => {
    const known = ['null', 'string', 'number', 'integer', 'boolean', 'object', 'array'];
    expect(
      places.flatMap(({ schema: { type } }) => type).filter((type) => !known.includes(String(type))),
    ).toStrictEqual([]);
    expect(places.filter((place) => 'format' in place.schema)).toStrictEqual([]);
  });
});

test('the primary key of assets is a text (primary_keys_exist_in_schema, primary_keys_data_type)', () => {
  expect(readStreamSchema('assets').properties?.['assetId']?.type).toStrictEqual(['null', 'string']);
});

test('the usual cursor of alarms is in the schema (defined_cursors_exist_in_schema)', () => {
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
] as const)('a row of %s is accepted: %j', (stream, row) => {
  const ajv = new Ajv({ allowUnionTypes: true });
  expect(ajv.validate(readStreamSchema(stream), row)).toBe(true);
});
