import { expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import { catalogFaults } from './catalog-rules.ts';
import { filledPaths, schemaPaths, strictValidator } from './record-rules.ts';
import { readSpec, readStreamSchema, bundledStreams, subschemas } from './schema.ts';

const good: AirbyteStream = {
  name: 'a',
  json_schema: { type: 'object', properties: { id: { type: ['null', 'string'] } } },
  supported_sync_modes: ['full_refresh', 'incremental'],
  source_defined_cursor: true,
  default_cursor_field: ['id'],
  source_defined_primary_key: [['id']],
};

const having = (id: object): object => ({ json_schema: { type: 'object', properties: { id } } });

test.each([
  ['streams_have_valid_json_schemas', { json_schema: { type: 'text' } }],
  ['streams_has_sync_modes', { supported_sync_modes: ['incremental'] }],
  ['source_defined_cursor', { source_defined_cursor: undefined }],
  ['defined_cursors_exist_in_schema', { default_cursor_field: ['at'] }],
  ['defined_refs_exist_in_schema', having({ $ref: '#/x' })],
  ['defined_keyword_exist_in_schema', having({ items: { not: {} } })],
  ['defined_keyword_exist_in_schema', having({ allOf: [{}] })],
  ['primary_keys_exist_in_schema', { source_defined_primary_key: [['key']] }],
  ['primary_keys_data_type', having({ type: ['null', 'object'] })],
  ['additional_properties_is_true', having({ additionalProperties: false })],
  ['catalog_has_supported_data_types', having({ type: 'text' })],
  ['catalog_has_supported_data_types', having({ format: 'email' })],
])('a breach is found: %s, %j', (rule, changes) => {
  expect(catalogFaults([{ ...good, ...changes }])).toContain(`a: ${rule}`);
});

test('a catalog has streams with different names', () => {
  expect([[good], [], [good, good]].map(catalogFaults)).toStrictEqual([[], ['discover'], ['discover']]);
});

test('each list with its own key in the config has a bundled schema', () => {
  const keys = Object.entries(readSpec().connectionSpecification.properties ?? {});
  const own = keys.flatMap(([name, { group, type }]) =>
    group === 'streams' && type === 'object' ? [name] : [],
  );
  expect(bundledStreams()).toStrictEqual(expect.arrayContaining(own));
});

test.each(bundledStreams())('%s: open draft-07, nullable fields with title and description', (kind) => {
  const schema = readStreamSchema(kind);
  const stream = { name: kind, json_schema: schema, supported_sync_modes: ['full_refresh'] };
  expect(catalogFaults([stream as unknown as AirbyteStream])).toStrictEqual([]);
  const words = expect.stringMatching(/./) as unknown;
  expect(schema).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    title: words,
    description: words,
    additionalProperties: true,
  });
  const fields = subschemas(schema).filter(({ name }) => name !== undefined);
  for (const { schema: field } of fields)
    expect(field).toMatchObject({ type: expect.arrayContaining(['null']), title: words, description: words });
  expect(JSON.stringify(schema)).not.toMatch(/"(required|enum|const|format|pattern|m(in|ax)\w+)":/);
});

test.each([
  ['{"count":9007199254740993}', 0],
  ['{"count":1.0}', 1],
  ['{"count":1E3}', 1],
  ['{"count":"1"}', 1],
  ['{"at":"2026-01-01T00:00:00.123Z","other":"1.5 \\" 2.5"}', 0],
  ['{"at":"2026-01-01"}', 1],
])('records are validated strictly: %s', (text, count) => {
  const at = { type: 'string', format: 'date-time' };
  expect(strictValidator({ properties: { count: { type: 'integer' }, at } })(text)).toHaveLength(count);
});

test('paths of rows and schemas have the same format', () => {
  const row = { a: [{ b: 1 }, { c: null }], d: null };
  expect(filledPaths(row, '$')).toStrictEqual(['$', '$.a', '$.a[]', '$.a[].b', '$.a[]']);
  const inner = { type: 'object', properties: { b: {}, c: {} } };
  const paths = schemaPaths({ properties: { a: { items: inner }, d: {} } });
  expect(paths.join(' ')).toBe('$ $.a $.a[] $.a[].b $.a[].c $.d');
});
