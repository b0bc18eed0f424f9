import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { ConnectorConfig } from '../../../src/generated/config.generated.ts';
import { blocksOf } from '../packaging/markdown.ts';
import { textOf } from '../packaging/versions.ts';
import { readSpec, subschemas } from './schema.ts';

// spec.json as platforms use it, without the connector. What else is refused, and in which words, is in config.test.ts.
const form = readSpec().connectionSpecification;
const ajv = new Ajv({ strict: false });
formats.default(ajv);
const accepts = ajv.compile(form);

const full: ConnectorConfig = {
  auth_url: 'https://auth.fleet.example:8443/token?tenant=1',
  client_id: 'me',
  client_secret: 'not-a-secret',
  token: { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] },
  assets: { base_url: 'https://assets.fleet.example/', audience: 'AMAPI', page_size: 2 },
  alarms: {
    base_url: 'http://127.0.0.1:8080/a/b/',
    audience: 'UMAPI',
    page_size: 10_000,
    start_date: '2026-01-01T00:00:00Z',
    end_date: '2026-02-28T23:59:59.123456789+05:30',
    created_field: 'createdDate',
    id_field: 'alarmId',
    lookback_seconds: 0,
    parallel_chains: 32,
  },
  concurrency: 32,
  max_requests_per_minute: 1,
  sample_rows: 0,
  allow_http: true,
  token_cache: '',
};

/** The full config with other values at a path, one each; `undefined` takes the key out. */
function at(path: string, ...values: readonly unknown[]): [path: string, value: unknown, config: unknown][] {
  const [key = '', inner] = path.split('.');
  return values.map((value) => {
    const changed = inner === undefined ? value : { ...full[key as 'assets'], [inner]: value };
    return [path, value, JSON.parse(JSON.stringify({ ...full, [key]: changed }))];
  });
}

test.each([
  ...at('_note', undefined, 1),
  ...at('token', undefined, { kind: 'general' }, { kind: 'module' }),
  ...at('assets.extra', {}),
  ...at('assets.page_size', 10_000),
  ...at('assets.base_url', 'http://[::1]:8080'),
  ...at('alarms', undefined),
  ...at('alarms.start_date', '2026-01-01T00:00:00.5-08:00'),
  ...at('alarms.lookback_seconds', 2_592_000),
  ...at('alarms.page_size', 1),
  ...at('alarms.parallel_chains', 1),
  ...at('concurrency', 1),
  ...at('sample_rows', 1_000_000),
])('good: %s = %j', (_path, _value, config) => {
  accepts(config);
  expect(accepts.errors).toBeNull();
});

test.each([
  ...at('auth_url', 'ftp://auth.fleet.example', ' https://auth.fleet.example'),
  ...at('token', { kind: 'scoped', scopes: 'AMAPI' }),
  ...at('assets', 'https://assets.fleet.example'),
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
  ...at('token_cache', {}),
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

test('the configs in the docs are good ones, and the one with everything has every key but what is hidden', () => {
  const configs = ['README.md', 'docs/configuration.md'].flatMap((page) =>
    blocksOf(textOf(page), 'json').map((block) => JSON.parse(block) as Record<string, object>),
  );
  expect(configs.map((config) => accepts(config))).toStrictEqual([true, true]);
  const { token_cache: _hidden, ...shown } = form.properties ?? {};
  expect(new Set(Object.keys(configs[1] ?? {}))).toStrictEqual(new Set(Object.keys(shown)));
  for (const stream of ['assets', 'alarms'])
    expect(new Set(Object.keys(configs[1]?.[stream] ?? {}))).toStrictEqual(
      new Set(Object.keys(form.properties?.[stream]?.properties ?? {})),
    );
});
