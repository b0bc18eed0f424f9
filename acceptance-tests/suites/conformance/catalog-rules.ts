import { Ajv } from 'ajv';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import { subschemas, type Schema } from './schema.ts';

const TYPES = ['null', 'string', 'number', 'integer', 'boolean', 'object', 'array']; // the types that destinations support

/** The rules of Airbyte's acceptance tests (class TestDiscovery) that a catalog breaks, by the name of the test. */
export function catalogFaults(streams: readonly AirbyteStream[]): string[] {
  const names = new Set(streams.map(({ name }) => name));
  const faults = streams.flatMap((stream) =>
    Object.entries(rulesOf(stream)).flatMap(([rule, isKept]) => (isKept ? [] : [`${stream.name}: ${rule}`])),
  );
  return names.size > 0 && names.size === streams.length ? faults : ['discover', ...faults];
}

function rulesOf(stream: AirbyteStream): Record<string, boolean> {
  const { supported_sync_modes: modes, default_cursor_field: cursor } = stream;
  const schema = stream.json_schema as Schema;
  const places = subschemas(schema).map((place) => place.schema);
  const fieldAt = (path: readonly string[]): Schema | undefined =>
    path.reduce<Schema | undefined>((outer, name) => outer?.properties?.[name], schema);
  const keys = (stream.source_defined_primary_key ?? []).map(fieldAt);
  return {
    streams_have_valid_json_schemas: new Ajv({ strict: false }).validateSchema(schema) === true,
    streams_has_sync_modes: modes.includes('full_refresh'),
    source_defined_cursor: !modes.includes('incremental') || stream.source_defined_cursor === true,
    defined_cursors_exist_in_schema: cursor === undefined || fieldAt(cursor) !== undefined,
    defined_refs_exist_in_schema: places.every((place) => !('$ref' in place)),
    defined_keyword_exist_in_schema: places.every((place) => !('allOf' in place || 'not' in place)),
    primary_keys_exist_in_schema: !keys.includes(undefined),
    primary_keys_data_type: keys.every((key) => !/"(object|array)"/.test(JSON.stringify(key))),
    additional_properties_is_true: places.every((place) => (place.additionalProperties ?? true) === true),
    catalog_has_supported_data_types: places.every(
      ({ type, format }) =>
        [type ?? []].flat().every((one) => TYPES.includes(one)) &&
        [undefined, 'date', 'date-time'].includes(format),
    ),
  };
}
