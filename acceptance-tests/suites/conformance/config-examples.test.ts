import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { ConnectorConfig } from '../../../src/generated/config.generated.ts';
import { blocksOf } from '../packaging/markdown.ts';
import { textOf } from '../packaging/versions.ts';
import { readSpec, subschemas } from './schema.ts';

const form = readSpec().connectionSpecification;

function createAjv(): Ajv {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  return ajv;
}

const accepts = createAjv().compile(form);

const minimal: ConnectorConfig = {
  auth_url: 'https://auth.fleet.example/token',
  client_id: 'me',
  client_secret: 'not-a-secret',
  assets: { base_url: 'https://assets.fleet.example' },
};

const full: ConnectorConfig = {
  ...minimal,
  auth_url: 'https://auth.fleet.example:8443/token?tenant=1',
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

/** The full example with another value at `path`; `undefined` takes the key out. */
function changed(path: string, value: unknown): unknown {
  const [key = '', inner] = path.split('.');
  const config = structuredClone(full) as unknown as Record<string, Record<string, unknown>>;
  if (inner === undefined) return JSON.parse(JSON.stringify({ ...config, [key]: value }));
  return JSON.parse(JSON.stringify({ ...config, [key]: { ...config[key], [inner]: value } }));
}

describe('good configs', () => {
  test.each([
    ['the least', minimal],
    ['with every key', full],
    ['keys that the form does not know', { ...minimal, _note: 1, assets: { ...minimal.assets, extra: {} } }],
    ['general token', changed('token', { kind: 'general' })],
    ['one token per module', changed('token', { kind: 'module' })],
    ['the least look at samples', changed('sample_rows', 0)],
    ['the longest look-back', changed('alarms.lookback_seconds', 2_592_000)],
    ['the smallest page of alarms', changed('alarms.page_size', 1)],
    ['a negative zone', changed('alarms.start_date', '2026-01-01T00:00:00.5-08:00')],
    ['an IPv6 address', changed('assets.base_url', 'http://[::1]:8080')],
  ])('%s', (_, config) => {
    accepts(config);
    expect(accepts.errors).toBeNull();
  });
});

/** Cases of values at one path. */
function at(path: string, ...values: readonly unknown[]): [path: string, value: unknown][] {
  return values.map((value) => [path, value]);
}

describe('bad configs', () => {
  test.each([
    ...at('auth_url', undefined, 'auth.fleet.example', 'ftp://auth.fleet.example'),
    ...at('auth_url', ' https://auth.fleet.example', 'https://user:word@auth.fleet.example'),
    ...at('client_id', undefined, ''),
    ...at('client_secret', undefined, '', 1),
    ...at('token', 'general', {}, { kind: 'other' }, { kind: 'scoped' }, { kind: 'scoped', scopes: [] }),
    ...at('token', { kind: 'scoped', scopes: [''] }, { kind: 'scoped', scopes: ['A', 'A'] }),
    ...at('token', { kind: 'scoped', scopes: 'AMAPI' }),
    ...at('assets', 'https://assets.fleet.example'),
    ...at('assets.base_url', undefined, 'https://'),
    ...at('assets.base_url', 'https://assets.fleet.example?x=1', 'https://assets.fleet.example/a#b'),
    ...at('assets.audience', ''),
    ...at('assets.page_size', 1, 10_001, '500'),
    ...at('alarms.base_url', undefined, '/v1'),
    ...at('alarms.audience', ''),
    ...at('alarms.page_size', 0, 10_001),
    ...at('alarms.start_date', '2026-01-01', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z'),
    ...at('alarms.start_date', '2026-01-01T00:00:00.Z', '2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z', ''),
    ...at('alarms.end_date', '2026-01-01T00:00:00+0530', 'tomorrow'),
    ...at('alarms.created_field', ''),
    ...at('alarms.id_field', ''),
    ...at('alarms.lookback_seconds', -1, 2_592_001),
    ...at('alarms.parallel_chains', 0, 33),
    ...at('concurrency', 0, 33, 1.5),
    ...at('max_requests_per_minute', 0),
    ...at('sample_rows', -1, 1_000_001),
    ...at('allow_http', 'yes'),
    ...at('token_cache', {}),
  ])('%s: %j', (path, value) => {
    accepts(changed(path, value));
    expect(accepts.errors).not.toBeNull();
    const pointer = value === undefined ? '' : `/${path.replace('.', '/')}`;
    expect(accepts.errors?.[0]?.instancePath).toContain(pointer);
  });
});

test('every example and every default is itself a good value', () => {
  const judged = subschemas(form).flatMap(({ path, schema }) =>
    [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : [])].map((value) => ({
      path,
      value,
      good: createAjv().validate(schema, value),
    })),
  );
  expect(judged.length).toBeGreaterThan(10);
  expect(judged.filter(({ good }) => !good)).toStrictEqual([]);
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
