import { expect, test } from 'vitest';
import { readSpec, subschemas } from './schema.ts';
import type { Schema } from './schema.ts';
import { specRules } from './spec-rules.ts';

const form = readSpec().connectionSpecification;

test.each(specRules)('%s: spec.json keeps it, and what breaks it is caught', (_, rule, ...breaches) => {
  const faults = breaches.map((properties) => rule({ type: 'object', properties } as Schema));
  expect(rule(form)).toStrictEqual([]);
  expect(faults).not.toStrictEqual([]);
  expect(faults).not.toContainEqual([]);
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

function marked(keyword: 'airbyte_secret' | 'airbyte_hidden'): string[] {
  return subschemas(form).flatMap(({ path, schema }) => (schema[keyword] === true ? [path] : []));
}

test('the client secret and the token cache are secrets, and the cache is not shown', () => {
  expect(marked('airbyte_secret')).toStrictEqual(['$.client_secret', '$.token_cache']);
  expect(marked('airbyte_hidden')).toStrictEqual(['$.token_cache']);
});
