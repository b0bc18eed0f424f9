import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { blocksOf } from '../packaging/markdown.ts';
import { textOf } from '../packaging/versions.ts';
import { readSpec, subschemas } from './schema.ts';

// spec.json as platforms use it, without the connector; see config.test.ts for other values and for messages
const form = readSpec().connectionSpecification;
const ajv = new Ajv({ strict: false });
formats.default(ajv);
const accepts = ajv.compile(form);

/** The configs in the docs; the last one has every key. */
const documented = ['README.md', 'docs/configuration.md'].flatMap((page) =>
  blocksOf(textOf(page), 'json').map((block) => JSON.parse(block) as Record<string, object>),
);
const full = documented.at(-1) ?? {};
const places = subschemas(form);
const named = places.flatMap(({ name, path }) => (name === undefined ? [] : [path.slice(2)]));
const keys = named.filter((path) => !path.includes('['));

test('the configs in the docs are valid, and the full example has every key that is not hidden', () => {
  expect(documented.map((config) => accepts(config))).toStrictEqual(documented.map(() => true));
  const shown = named.filter((key) => key !== 'token_cache' && !key.startsWith('token['));
  const { token: _variants, lists = [], ...others } = full;
  const inner = Object.entries(others).flatMap(([name, value]) =>
    typeof value === 'object' ? Object.keys(value).map((key) => `${name}.${key}`) : [],
  );
  // one entry per kind of paging
  const entries = (lists as object[]).flatMap((entry, kind) =>
    Object.keys(entry).map((key) => `lists[][${kind}].${key}`),
  );
  expect(new Set([...Object.keys(full), ...inner, ...entries])).toStrictEqual(new Set(shown));
});

/** The full example with other values at a path; `undefined` removes the key. */
function at(path: string, ...values: readonly unknown[]) {
  const [key = '', inner] = path.split('.');
  return values.map((value) => {
    const changed = inner === undefined ? value : { ...full[key], [inner]: value };
    const config: unknown = JSON.parse(JSON.stringify({ ...full, [key]: changed }));
    const title = value === undefined ? `no ${path}` : `${path} = ${JSON.stringify(value)}`;
    return { title, pointer: value === undefined ? '' : `/${path.replace('.', '/')}`, config };
  });
}

test.each([
  ...keys.flatMap((path) => at(path, path === 'lists' ? {} : [])),
  ...at('lists', [{}], [{ paging: 'x' }]),
  ...at('auth_url', 'ftp://auth.fleet.example', ' https://auth.fleet.example'),
  ...at('token', { kind: 'scoped', scopes: 'AMAPI' }),
  ...at('assets.base_url', 'https://', 'https://assets.fleet.example/a#b'),
  ...at('assets.page_size', '500'),
  ...at('alarms.base_url', undefined, '/v1', 'https://alarms.fleet.example?x=1'),
  ...at('alarms.start_date', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z', '2026-01-01T00:00:00.Z'),
  ...at('alarms.start_date', '2026-01-01T25:00:00Z', ''),
  ...at('alarms.end_date', '2026-01-01T00:00:00+0530', '2026-02-30T00:00:00Z', 'tomorrow'),
  ...['assets.audience', 'alarms.audience', 'alarms.created_field', 'alarms.id_field'].flatMap((path) =>
    at(path, ''),
  ),
  ...at('concurrency', 1.5),
])('rejected: $title', ({ pointer, config }) => {
  accepts(config);
  expect(accepts.errors).not.toBeNull();
  expect(accepts.errors?.[0]?.instancePath).toContain(pointer);
});

test('every bound, example and default is valid', () => {
  const values = places.flatMap(({ schema }) => {
    const { examples = [], minimum, maximum } = schema;
    const bounds = [minimum, maximum, 'default' in schema ? schema.default : undefined];
    const good = [...examples, ...bounds].filter((value) => value !== undefined);
    return good.map((value) => ({ value, schema }));
  });
  expect(values.length).toBeGreaterThan(10);
  expect(values.filter(({ value, schema }) => !ajv.validate(schema, value))).toStrictEqual([]);
});
