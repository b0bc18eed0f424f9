import { expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import { catalogFaults } from './catalog-rules.ts';

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
])('a stream that breaks %s is caught: %j', (rule, changes) => {
  expect(catalogFaults([{ ...good, ...changes }])).toContain(`a: ${rule}`);
});

test('a catalog has streams, each once', () => {
  expect(catalogFaults([good])).toStrictEqual([]);
  expect(catalogFaults([])).toStrictEqual(['discover']);
  expect(catalogFaults([good, good])).toStrictEqual(['discover']);
});
