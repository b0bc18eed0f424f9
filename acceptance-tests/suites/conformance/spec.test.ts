import { describe, expect, test } from 'vitest';
import { readSpec, subschemas } from './schema.ts';
import type { Schema } from './schema.ts';
import { specRules } from './spec-rules.ts';
import { parseMessage } from './validate-output.ts';

const spec = readSpec();
const form = spec.connectionSpecification;

/** A field with variants of these properties. */
function variants(...all: readonly object[]): Record<string, unknown> {
  return { a: { type: 'object', oneOf: all.map((properties) => ({ properties })) } };
}

/** For each rule, fields of a form that break it. */
const breaches: Record<string, Record<string, unknown>[]> = {
  enum_usage: [{ a: { enum: ['x', 'x'] } }],
  oneof_usage: [
    { a: { oneOf: [{ properties: { kind: { const: 'x' } } }] } },
    { a: { type: 'object', oneOf: [{}] } },
    variants({ kind: { type: 'string' } }),
    variants({ kind: { const: 'x', default: 'x' } }),
    variants({ kind: { const: 'x', enum: ['x'] } }),
    variants({ b: { const: 1 }, c: { const: 2 } }),
    variants({ b: { const: 1 } }, { c: { const: 2 } }),
    variants({ b: { const: 1 } }, { b: { const: 1 } }),
  ],
  secret_is_properly_marked: [
    { password: { type: 'string' } },
    { a: { type: 'object', properties: { jwt: { type: 'string', airbyte_secret: false } } } },
    { token: { type: 'object', airbyte_secret: true } },
    { key: { type: 'string', const: 'x', airbyte_secret: true } },
  ],
  property_type_is_not_array: [{ a: { type: ['string', 'integer'] } }, { a: { type: ['null', 'string'] } }],
  object_not_empty: [{ a: { type: 'object' } }],
  array_type: [
    { a: { type: 'array' } },
    { a: { type: 'array', items: {} } },
    { a: { type: 'array', items: [{ type: 'string' }] } },
    { a: { type: 'array', items: { type: 'array', items: { type: 'string' } } } },
  ],
  forbidden_complex_types: [{ a: { anyOf: [] } }, { a: { items: { not: {} } } }, { a: { if: {} } }],
  date_pattern: [{ a: { format: 'date-time' } }],
  date_format: [{ a: { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } }],
  duplicate_order: [{ a: { order: 1 }, b: { order: 1 } }, { a: {} }],
  nested_group: [{ a: { properties: { b: { group: 'x' } } } }, { a: { oneOf: [{ group: 'x' }] } }],
  display_type: [{ a: { display_type: 'radio' } }, { a: { oneOf: [], display_type: 'list' } }],
  defined_refs_exist_in_json_spec_file: [{ a: { $ref: '#/x' } }],
  additional_properties_is_true: [
    { a: { additionalProperties: false } },
    { a: { oneOf: [{ additionalProperties: {} }] } },
  ],
  'required names are properties': [{ a: { required: ['b'], properties: {} } }],
  'every group is declared': [{ a: { group: 'nowhere' } }],
  'every field has a title, and a description unless it is fixed': [
    { a: { title: 'A' } },
    { a: { description: 'A.' } },
    { a: { title: ' ', description: 'A.' } },
  ],
  'every variant has a title': [{ a: { oneOf: [{}] } }],
  'a pattern is put into words': [{ a: { pattern: '^a$' } }],
  'a secret has no example and no default': [
    { a: { airbyte_secret: true, examples: [] } },
    { a: { airbyte_secret: true, default: '' } },
  ],
};

describe.each(Object.entries(specRules))('%s', (name, rule) => {
  test('is kept by spec.json', () => {
    expect(rule(form)).toStrictEqual([]);
  });

  test('catches what breaks it', () => {
    const missed = (breaches[name] ?? []).filter(
      (properties) => rule({ type: 'object', properties } as Schema).length === 0,
    );
    expect(breaches[name]).toBeDefined();
    expect(missed).toStrictEqual([]);
  });
});

test('the rules look at every level', () => {
  const paths = subschemas(form).map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['$', '$.token[1].scopes', '$.token[1].scopes[]', '$.alarms.base_url']),
  );
});

test('spec.json is the payload of a SPEC message, without an OAuth flow', () => {
  expect(() => parseMessage(JSON.stringify({ type: 'SPEC', spec }))).not.toThrow();
  expect(spec).not.toHaveProperty('advanced_auth');
});

test('the form has the keys of the design, and asks for the credentials', () => {
  expect(form.required).toStrictEqual(['auth_url', 'client_id', 'client_secret']);
  const paths = subschemas(form).flatMap(({ name, path }) => (name === undefined ? [] : [path.slice(2)]));
  expect(paths.join(' ')).toBe(
    'auth_url client_id client_secret token token[0].kind token[1].kind token[1].scopes token[2].kind ' +
      'assets assets.base_url assets.audience assets.page_size ' +
      'alarms alarms.base_url alarms.start_date alarms.end_date alarms.audience alarms.created_field ' +
      'alarms.id_field alarms.page_size alarms.lookback_seconds alarms.parallel_chains ' +
      'concurrency max_requests_per_minute sample_rows allow_http token_cache',
  );
});

test('the defaults are those of the design', () => {
  const defaults = subschemas(form).flatMap(({ path, schema }) =>
    'default' in schema ? [[path.slice(2), schema.default]] : [],
  );
  expect(Object.fromEntries(defaults)).toStrictEqual({
    token: { kind: 'general' },
    'assets.audience': 'AMAPI',
    'assets.page_size': 500,
    'alarms.created_field': 'createdDate',
    'alarms.lookback_seconds': 300,
    'alarms.parallel_chains': 1,
    concurrency: 4,
    sample_rows: 1000,
    allow_http: false,
  });
});

function marked(keyword: 'airbyte_secret' | 'airbyte_hidden'): string[] {
  return subschemas(form).flatMap(({ path, schema }) => (schema[keyword] === true ? [path] : []));
}

test('the client secret and the token cache are secrets, and the cache is not shown', () => {
  expect(marked('airbyte_secret')).toStrictEqual(['$.client_secret', '$.token_cache']);
  expect(marked('airbyte_hidden')).toStrictEqual(['$.token_cache']);
});
