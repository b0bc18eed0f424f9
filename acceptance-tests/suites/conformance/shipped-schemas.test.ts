import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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
  expect(JSON.stringify(schema)).not.toMatch(/"(required|enum|const|format|pattern|m(in|ax)\w+)":/);
});

test('texts are the VIN and the key of assets; alarms have their usual cursor, as a text or an epoch', () => {
  const text = { type: ['null', 'string'] };
  expect(readStreamSchema('assets').properties).toMatchObject({ assetId: text, vin: text });
  const epoch = { createdDate: { type: ['null', 'string', 'number'] } };
  expect(readStreamSchema('alarms').properties).toMatchObject(epoch);
});
