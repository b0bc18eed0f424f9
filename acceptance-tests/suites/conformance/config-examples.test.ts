import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { blocksOf } from '../packaging/markdown.ts';
import { textOf } from '../packaging/versions.ts';
import { readSpec, subschemas } from './schema.ts';

// spec.json as platforms use it, without the connector. What else is refused, and in which words, is in config.test.ts.
const form = readSpec().connectionSpecification;
const ajv = new Ajv({ strict: false });
formats.default(ajv);
const accepts = ajv.compile(form);

/** The configs in the docs: a small one, and one with everything. */
const documented = ['README.md', 'docs/configuration.md'].flatMap((page) =>
  blocksOf(textOf(page), 'json').map((block) => JSON.parse(block) as Record<string, object>),
);
const full = documented[1] ?? {};

test('the configs in the docs are good ones, and the one with everything has every key but what is hidden', () => {
  expect(documented.map((config) => accepts(config))).toStrictEqual([true, true]);
  const { token_cache: _hidden, ...shown } = form.properties ?? {};
  expect(new Set(Object.keys(full))).toStrictEqual(new Set(Object.keys(shown)));
  for (const stream of ['assets', 'alarms'])
    expect(new Set(Object.keys(full[stream] ?? {}))).toStrictEqual(
      new Set(Object.keys(form.properties?.[stream]?.properties ?? {})),
    );
});

/** The one with everything with other values at a path, one each; `undefined` takes the key out. */
function at(path: string, ...values: readonly unknown[]): [path: string, value: unknown, config: unknown][] {
  const [key = '', inner] = path.split('.');
  return values.map((value) => {
    const changed = inner === undefined ? value : { ...full[key], [inner]: value };
    return [path, value, JSON.parse(JSON.stringify({ ...full, [key]: changed }))];
  });
}

const keys = subschemas(form).flatMap(({ name, path }) =>
  name === undefined || path.includes('[') ? [] : [path.slice(2)],
);

test.each([
  ...at('_note', 1),
  ...at('auth_url', 'https://auth.fleet.example:8443/token?tenant=1'),
  ...at('token', undefined, { kind: 'general' }, { kind: 'module' }),
  ...at('assets.extra', {}),
  ...at('assets.page_size', 2, 10_000),
  ...at('assets.base_url', 'http://[::1]:8080', 'http://127.0.0.1:8080/a/b/'),
  ...at('alarms', undefined),
  ...at('alarms.start_date', '2026-01-01T00:00:00.5-08:00', '2026-02-28T23:59:59.123456789+05:30'),
  ...at('alarms.lookback_seconds', 0, 2_592_000),
  ...at('alarms.page_size', 1, 10_000),
  ...at('alarms.parallel_chains', 1, 32),
  ...at('concurrency', 1, 32),
  ...at('max_requests_per_minute', 1),
  ...at('sample_rows', 0, 1_000_000),
  ...at('allow_http', true),
  ...at('token_cache', ''),
])('good: %s = %j', (_path, _value, config) => {
  accepts(config);
  expect(accepts.errors).toBeNull();
});

test.each([
  ...keys.flatMap((path) => at(path, [])),
  ...at('auth_url', 'ftp://auth.fleet.example', ' https://auth.fleet.example'),
  ...at('token', { kind: 'scoped', scopes: 'AMAPI' }),
  ...at('assets.base_url', 'https://', 'https://assets.fleet.example/a#b'),
  ...at('assets.audience', ''),
  ...at('assets.page_size', 10_001, '500'),
  ...at('alarms.base_url', undefined, '/v1', 'https://alarms.fleet.example?x=1'),
  ...at('alarms.audience', ''),
  ...at('alarms.page_size', 0, 10_001),
  ...at('alarms.start_date', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z', '2026-01-01T00:00:00.Z'),
  ...at('alarms.start_date', '2026-01-01T25:00:00Z', ''),
  ...at('alarms.end_date', '2026-01-01T00:00:00+0530', '2026-02-30T00:00:00Z', 'tomorrow'),
  ...at('alarms.created_field', ''),
  ...at('alarms.id_field', ''),
  ...at('alarms.lookback_seconds', -1, 2_592_001),
  ...at('alarms.parallel_chains', 0, 33),
  ...at('concurrency', 0, 1.5),
  ...at('max_requests_per_minute', 0),
  ...at('sample_rows', -1, 1_000_001),
])('bad: %s = %j', (path, value, config) => {
  accepts(config);
  expect(accepts.errors).not.toBeNull();
  const pointer = value === undefined ? '' : `/${path.replace('.', '/')}`;
  expect(accepts.errors?.[0]?.instancePath).toContain(pointer);
});

test('every example and every default is itself a good value', () => {
  const values = subschemas(form).flatMap(({ schema }) =>
    [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : [])].map((value) => ({
      value,
      schema,
    })),
  );
  expect(values.length).toBeGreaterThan(10);
  expect(values.filter(({ value, schema }) => !ajv.validate(schema, value))).toStrictEqual([]);
});
