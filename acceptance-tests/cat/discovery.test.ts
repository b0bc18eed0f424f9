import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AirbyteStream } from '../../src/generated/protocol.generated.ts';
import { subschemas } from '../spec/subschemas.ts';
import type { Schema } from '../spec/subschemas.ts';
import type { Run } from '../support/run-connector.ts';
import { discovered } from '../support/run-views.ts';
import { useTestBed } from '../support/test-bed.ts';
import { declaredTest } from './acceptance-test-config.ts';
import { catWorld, configAt } from './cat-world.ts';

const bed = useTestBed();
let run: Run;
let streams: readonly AirbyteStream[];

beforeAll(async () => {
  const world = await catWorld(bed);
  run = await world.run('discover', { config: configAt(world, declaredTest('discovery').config_path) });
  streams = discovered(run);
});

const schemaOf = (stream: AirbyteStream): Schema => stream.json_schema as Schema;
const fieldAt = (stream: AirbyteStream, path: readonly string[]): Schema | undefined =>
  path.reduce<Schema | undefined>((schema, name) => schema?.properties?.[name], schemaOf(stream));
const typesOf = (schema: Schema | undefined): string[] => [schema?.type ?? []].flat();

describe('TestDiscovery', () => {
  test('test_discover', () => {
    expect(run.messages.filter(({ type }) => type === 'CATALOG')).toHaveLength(1);
    expect(streams.length).toBeGreaterThan(0);
    expect(new Set(streams.map(({ name }) => name)).size).toBe(streams.length);
  });

  test('test_streams_have_valid_json_schemas', () => {
    const ajv = new Ajv({ strict: false });
    for (const stream of streams) expect(ajv.validateSchema(schemaOf(stream))).toBe(true);
  });

  test('test_defined_cursors_exist_in_schema', () => {
    const cursors = streams.filter(({ default_cursor_field: path }) => path !== undefined);
    expect(cursors.map(({ name }) => name)).toContain('alarms');
    for (const stream of cursors)
      expect(fieldAt(stream, stream.default_cursor_field ?? [])).not.toBeUndefined();
  });

  test.each([
    ['test_defined_refs_exist_in_schema', ['$ref']],
    ['test_defined_keyword_exist_in_schema', ['allOf', 'not']],
  ])('%s', (_, keywords) => {
    for (const stream of streams)
      for (const { schema } of subschemas(schemaOf(stream)))
        for (const keyword of keywords) expect(schema).not.toHaveProperty([keyword]);
  });

  test('test_primary_keys_exist_in_schema', () => {
    for (const stream of streams) {
      expect(stream.source_defined_primary_key).not.toBeUndefined();
      for (const path of stream.source_defined_primary_key ?? [])
        expect(fieldAt(stream, path)).not.toBeUndefined();
    }
  });

  test('test_streams_has_sync_modes', () => {
    for (const stream of streams) expect(stream.supported_sync_modes).toContain('full_refresh');
  });

  test('test_additional_properties_is_true', () => {
    for (const stream of streams)
      for (const { schema } of subschemas(schemaOf(stream)))
        expect(schema.additionalProperties ?? true).toBe(true);
  });

  test('test_catalog_has_supported_data_types', () => {
    const known = ['null', 'string', 'number', 'integer', 'boolean', 'object', 'array'];
    for (const stream of streams)
      for (const { schema } of subschemas(schemaOf(stream))) {
        expect(typesOf(schema).filter((type) => !known.includes(type))).toStrictEqual([]);
        expect([undefined, 'date', 'date-time']).toContain(schema.format);
      }
  });

  test('test_primary_keys_data_type', () => {
    for (const stream of streams)
      for (const path of stream.source_defined_primary_key ?? [])
        expect(typesOf(fieldAt(stream, path)).filter((type) => type !== 'null')).toStrictEqual(['string']);
  });
});
