import { expect, test } from 'vitest';
import { readSpec, subschemas, type Schema } from './schema.ts';
import { FORBIDDEN, specFaults } from './spec-rules.ts';

const form = readSpec().connectionSpecification;

test('spec.json follows the rules for forms', () => {
  expect(specFaults(form)).toStrictEqual([]);
});

/** A field with variants of these properties. */
const variants = (...all: readonly (object | undefined)[]): object => ({
  a: { type: 'object', oneOf: all.map((properties) => ({ properties })) },
});

test.each<[rule: string, ...fields: object[]]>([
  ['enum_usage', { a: { enum: ['x', 'x'] } }],
  ['oneof_usage', { a: { oneOf: [{ properties: { kind: { const: 'x' } } }] } }],
  ['oneof_usage', variants(undefined), variants({ kind: { type: 'string' } })],
  ['oneof_usage', variants({ kind: { const: 'x', default: 'x' } }), variants({ k: { const: 1, enum: [1] } })],
  ['oneof_usage', variants({ b: { const: 1 }, c: { const: 2 } }), variants({ b: { const: 1 } }, {})],
  ['oneof_usage', variants({ b: { const: 1 } }, { c: { const: 2 } })],
  ['oneof_usage', variants({ b: { const: 1 } }, { b: { const: 1 } })],
  ['secret_is_properly_marked', { password: { type: 'string' } }],
  ['secret_is_properly_marked', { a: { properties: { jwt: { type: 'string', airbyte_secret: false } } } }],
  ['secret_is_properly_marked', { token: { type: 'object', airbyte_secret: true } }],
  ['secret_is_properly_marked', { key: { type: 'string', const: 'x', airbyte_secret: true } }],
  ['property_type_is_not_array', { a: { type: ['string', 'integer'] } }, { a: { type: ['null', 'string'] } }],
  ['object_not_empty', { a: { type: 'object' } }],
  ['array_type', { a: { type: 'array' } }, { a: { type: 'array', items: {} } }],
  ['array_type', { a: { type: 'array', items: [{ type: 'string' }] } }],
  ['array_type', { a: { type: 'array', items: { type: 'array', items: { type: 'string' } } } }],
  [
    'forbidden_complex_types',
    ...FORBIDDEN.split(' ').map((keyword) => ({ a: { items: { [keyword]: {} } } })),
  ],
  ['date_pattern', { a: { format: 'date-time' } }],
  ['date_format', { a: { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } }],
  ['duplicate_order', { a: { order: 1 }, b: { order: 1 } }, { a: {} }],
  ['nested_group', { a: { properties: { b: { group: 'x' } } } }, { a: { oneOf: [{ group: 'x' }] } }],
  ['display_type', { a: { display_type: 'radio' } }, { a: { oneOf: [], display_type: 'list' } }],
  [
    'defined_refs_exist_in_json_spec_file',
    { a: { $ref: '#/x' } },
    { a: { properties: { b: { $defs: {} } } } },
  ],
  ['additional_properties_is_true', { a: { additionalProperties: false } }],
  ['additional_properties_is_true', { a: { oneOf: [{ additionalProperties: {} }] } }],
  ['required names are properties', { a: { required: ['b'], properties: {} } }],
  ['a group is declared', { a: { group: 'nowhere' } }],
  ['a field has a title', { a: { description: 'A.' } }, { a: { title: ' ', description: 'A.' } }],
  ['a field that is not fixed has a description', { a: { title: 'A' } }],
  ['a variant has a title', { a: { oneOf: [{}] } }],
  ['a pattern has a description', { a: { pattern: '^a$' } }],
  ['a secret has no example and no default', { a: { airbyte_secret: true, examples: [] } }],
  ['a secret has no example and no default', { a: { airbyte_secret: true, default: '' } }],
])('a breach is found: %s', (rule, ...breaches) => {
  for (const properties of breaches)
    expect(specFaults({ type: 'object', properties } as Schema).join('\n')).toContain(`${rule}: $`);
});

test('the form requires only the credentials', () => {
  expect(form.required).toStrictEqual(['auth_url', 'client_id', 'client_secret']);
});

test.each([
  ['airbyte_secret', ['$.client_secret', '$.token_cache']],
  ['airbyte_hidden', ['$.token_cache']],
] as const)('%s marks %j', (keyword, paths) => {
  const marked = subschemas(form).filter(({ schema }) => schema[keyword] === true);
  expect(marked.map(({ path }) => path)).toStrictEqual(paths);
});
