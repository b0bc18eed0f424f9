import { isDeepStrictEqual } from 'node:util';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Schema } from '../conformance/schema.ts';

/** What a destination and a saved connection rely on in a field. */
interface FieldSchema extends Schema {
  readonly airbyte_type?: string;
}

/**
 * What in a new catalog breaks connections that were made with the old one: a stream, field or sync mode that is gone, another
 * type of a field, another primary key or cursor. New streams, fields and sync modes are no breaking changes.
 */
export function breakingCatalogChanges(
  before: readonly AirbyteStream[],
  after: readonly AirbyteStream[],
): string[] {
  return before.flatMap((stream) => {
    const now = after.find(({ name }) => name === stream.name);
    return now === undefined ? [`${stream.name}: the stream was removed`] : streamChanges(stream, now);
  });
}

function streamChanges(before: AirbyteStream, after: AirbyteStream): string[] {
  const modes = before.supported_sync_modes
    .filter((mode) => !after.supported_sync_modes.includes(mode))
    .map((mode) => `${before.name}: the sync mode ${mode} was removed`);
  const members = [
    'source_defined_primary_key',
    'default_cursor_field',
    'source_defined_cursor',
    'namespace',
  ] as const;
  const changed = members
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .map(
      (member) =>
        `${before.name}: ${member} was ${JSON.stringify(before[member])} and is ${JSON.stringify(after[member])}`,
    );
  return [
    ...modes,
    ...changed,
    ...fieldChanges(before.json_schema as Schema, after.json_schema as Schema, before.name),
  ];
}

function fieldChanges(before: Schema, after: Schema, path: string): string[] {
  return Object.entries(before.properties ?? {}).flatMap(([name, was]) => {
    const is = after.properties?.[name];
    const field = `${path}.${name}`;
    if (is === undefined) return [`${field}: the field was removed`];
    const [old, now] = [columnType(was), columnType(is)];
    if (old !== now) return [`${field}: the type was ${old} and is ${now}`];
    return fieldChanges(was, is, field);
  });
}

/** What decides on the type of a column. That it may be null does not: each may. */
function columnType(schema: FieldSchema): string {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything']);
  const kinds = types.filter((type) => type !== 'null').toSorted();
  return [kinds.join(' or '), schema.format, schema.airbyte_type].filter(Boolean).join(', ');
}
