import { createReadStream } from 'node:fs';
import { describe, expect, test } from 'vitest';
import spec from '../../spec.json' with { type: 'json' };
import { isConnectorError } from '../errors.ts';
import { loadConfig } from './config.ts';
import { describeUnknown } from './unknown-keys.ts';
import { temporaryFile } from './temporary-file.test-support.ts';

type Json = Record<string, unknown>;

const SECRET = 'canary-secret-0123456789';
const BASE = { auth_url: 'https://auth.fleet.example/token', client_id: 'me', client_secret: SECRET };
const ASSETS = { base_url: 'https://assets.fleet.example' };
const ALARMS = { base_url: 'https://alarms.fleet.example/trailers/' };
async function load(document: unknown): Promise<Awaited<ReturnType<typeof loadConfig>>> {
  return loadConfig(temporaryFile(JSON.stringify(document)), createReadStream, {});
}

/** The message without the file's name; it never shows the secret. */
async function refusal(document: unknown): Promise<string> {
  const path = temporaryFile(JSON.stringify(document));
  const error: unknown = await loadConfig(path, createReadStream, {}).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(isConnectorError(error, 'CONFIG_INVALID')).toBe(true);
  const { message } = error as Error;
  expect(message.startsWith(`config ${path}: `)).toBe(true);
  expect(message).not.toContain('canary');
  return message.slice(`config ${path}: `.length);
}

/** The keys of predefined lists, as messages list them. */
function predefinedNames(): string {
  const { properties } = spec.connectionSpecification;
  const lists = Object.entries(properties).filter(
    ([, { type, group }]) => type === 'object' && group === 'streams',
  );
  return lists.map(([name]) => JSON.stringify(name)).join(', ');
}

test('defaults are filled in', async () => {
  const { config, unknownKeys } = await load({ ...BASE, assets: ASSETS, alarms: ALARMS });
  expect(unknownKeys).toStrictEqual([]);
  expect(config).toMatchObject({
    ...BASE,
    token: { kind: 'general' },
    assets: { ...ASSETS, audience: 'AMAPI', page_size: 500, missing_rows: 'fail', min_rows: 0 },
    alarms: { ...ALARMS, created_field: 'createdDate', lookback_seconds: 300, parallel_chains: 1 },
    lists: [],
    concurrency: 4,
    sample_rows: 1000,
    allow_http: false,
  });
});

test.each([
  ['is no path of a file', SECRET, 'there is no such file'],
  ['is too long for a path', SECRET.repeat(300), 'cannot be read (ENAMETOOLONG: name too long)'],
])('a secret in the variable for its file, which %s, is not shown', async (_, value, problem) => {
  const name = 'SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE';
  const config = temporaryFile(JSON.stringify({ ...BASE, client_secret: '', assets: ASSETS }));
  await expect(loadConfig(config, createReadStream, { [name]: value })).rejects.toThrow(
    `${name}: ${problem}. Set it to the path of a file that contains the secret; its value is not shown, because it may be the secret itself.`,
  );
});

test('a stream that is not configured stays absent, and configured values are kept', async () => {
  const written = {
    ...BASE,
    token: { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] },
    assets: { ...ASSETS, audience: 'X', page_size: 2, missing_rows: 'warn', min_rows: 7 },
    lists: [],
    concurrency: 32,
    sample_rows: 0,
    allow_http: true,
    max_requests_per_minute: 60,
    token_cache: '',
  };
  const { config } = await load(written);
  expect(config).toMatchObject(written);
  expect(config).not.toHaveProperty('alarms');
});

describe.each([
  ['null', null],
  ['an empty text', ''],
])('a form sends %s for empty fields', (_, empty) => {
  const top = spec.connectionSpecification.properties;
  const emptied = (schema: object, filled: Json): Json => ({
    ...Object.fromEntries(
      Object.keys((schema as { properties: object }).properties).map((key) => [key, empty]),
    ),
    ...filled,
  });

  test('optional keys of every type and at every depth are absent', async () => {
    const filled = { ...BASE, assets: emptied(top.assets, ASSETS), alarms: emptied(top.alarms, ALARMS) };
    const written = emptied(spec.connectionSpecification, filled);
    const { config, document, unknownKeys } = await load(written);
    const { token_cache, ...others } = config;
    expect(others).toStrictEqual((await load({ ...BASE, assets: ASSETS, alarms: ALARMS })).config);
    expect(token_cache).toBe(empty ?? undefined);
    expect([document, unknownKeys]).toStrictEqual([written, []]);
    const stream = { ...BASE, assets: ASSETS, alarms: empty };
    expect((await load(stream)).config).toStrictEqual((await load({ ...BASE, assets: ASSETS })).config);
  });

  test('even in an entry of `lists`', async () => {
    const trips = { name: 'trips', paging: 'cursor', base_url: 'https://h', path: '/v1/trips' };
    const entry = { ...trips, created_field: 'at', id_field: empty, page_size: empty, end_date: empty };
    const { lists } = (await load({ ...BASE, lists: [entry] })).config;
    expect(lists).toStrictEqual(
      (await load({ ...BASE, lists: [{ ...trips, created_field: 'at' }] })).config.lists,
    );
    expect(await refusal({ ...BASE, lists: [{ ...entry, base_url: empty }] })).toBe(
      '"lists[0].base_url" is missing.',
    );
  });

  test('required keys are missing', async () => {
    expect(await refusal({ auth_url: empty, client_id: empty, client_secret: empty, assets: ASSETS })).toBe(
      '"auth_url" is missing; "client_id" is missing; "client_secret" is missing (set it, or the environment variable SOURCE_TRAILER_DATA_CLIENT_SECRET, or SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE to a file that contains it).',
    );
    expect(await refusal({ ...BASE, alarms: { base_url: empty } })).toBe('"alarms.base_url" is missing.');
    expect(await refusal({ ...BASE, assets: ASSETS, token: { kind: 'scoped', scopes: empty } })).toBe(
      '"token.scopes" is missing.',
    );
  });

  test('an unknown key is still reported', async () => {
    const { unknownKeys } = await load({ ...BASE, assets: { ...ASSETS, pagesize: empty } });
    expect(unknownKeys.map(describeUnknown)).toStrictEqual([
      '"assets.pagesize" (did you mean "assets.page_size"?)',
    ]);
  });
});

test('two loads share no state', async () => {
  const [one, two] = await Promise.all([
    load({ ...BASE, assets: ASSETS }),
    load({ ...BASE, assets: ASSETS }),
  ]);
  expect(one.config.token).not.toBe(two.config.token);
});

describe('every fault is reported with its path and what is expected there', () => {
  const variants: [what: string, document: unknown][] = [
    ['no object', []],
    ['nothing', {}],
    ['no stream', BASE],
    ['wrong types', { ...BASE, client_secret: 1, assets: ASSETS, concurrency: '4', allow_http: 'yes' }],
    ['empty texts', { auth_url: '', client_id: '', client_secret: '', assets: { base_url: '' } }],
    ['a stream without its address', { ...BASE, assets: {}, alarms: null }],
    ['an address with a query', { ...BASE, assets: { base_url: 'https://host/?key=canary' } }],
    ['an address with a password', { ...BASE, auth_url: 'https://me:canary@host/token', assets: ASSETS }],
    ['no address', { ...BASE, assets: { base_url: 'assets.fleet.example' } }],
    ['an invalid port', { ...BASE, assets: { base_url: 'https://host:99999' } }],
    [
      'numbers out of range',
      { ...BASE, assets: { ...ASSETS, page_size: 1 }, concurrency: 33, sample_rows: 0.5 },
    ],
    ['token as a text', { ...BASE, assets: ASSETS, token: 'general' }],
    ['token without a kind', { ...BASE, assets: ASSETS, token: {} }],
    ['an unknown kind of token', { ...BASE, assets: ASSETS, token: { kind: 'canary' } }],
    ['scoped without scopes', { ...BASE, assets: ASSETS, token: { kind: 'scoped' } }],
    ['scoped with none', { ...BASE, assets: ASSETS, token: { kind: 'scoped', scopes: [] } }],
    ['scoped twice', { ...BASE, assets: ASSETS, token: { kind: 'scoped', scopes: ['A', 'A', ''] } }],
    ['module without the audience of alarms', { ...BASE, alarms: ALARMS, token: { kind: 'module' } }],
    ['a date without a zone', { ...BASE, alarms: { ...ALARMS, start_date: '2026-01-01' } }],
    ['an invalid date', { ...BASE, alarms: { ...ALARMS, start_date: '2026-02-30T00:00:00Z' } }],
    [
      'an end before the start',
      {
        ...BASE,
        alarms: { ...ALARMS, start_date: '2026-01-02T00:00:00Z', end_date: '2026-01-01T00:00:00Z' },
      },
    ],
    [
      'plain http',
      { ...BASE, auth_url: 'http://10.0.0.1/t', assets: { base_url: 'http://localhost.fleet.example' } },
    ],
  ];
  test('invalid configs', async () => {
    const lines: string[] = [];
    for (const [what, document] of variants) lines.push(`${what}: ${await refusal(document)}`);
    const names = predefinedNames();
    const text = lines.join('\n').replaceAll(names, 'NAMES');
    expect(text).toMatchInlineSnapshot(`
      "no object: the document must be an object, not an array.
      nothing: "auth_url" is missing; "client_id" is missing; "client_secret" is missing (set it, or the environment variable SOURCE_TRAILER_DATA_CLIENT_SECRET, or SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE to a file that contains it).
      no stream: no stream is configured; add NAMES or an entry of "lists", with its "base_url".
      wrong types: "client_secret" must be a string, not a number; "concurrency" must be an integer, not a string; it is in quotes: remove them; "allow_http" must be a boolean, not a string.
      empty texts: "auth_url" is missing; "client_id" is missing; "client_secret" is missing (set it, or the environment variable SOURCE_TRAILER_DATA_CLIENT_SECRET, or SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE to a file that contains it); "assets.base_url" is missing.
      a stream without its address: "assets.base_url" is missing.
      an address with a query: "assets.base_url" must be written as https://host or https://host/path.
      an address with a password: "auth_url" must be written as https://host/path.
      no address: "assets.base_url" must be written as https://host or https://host/path.
      an invalid port: "assets.base_url" is not a valid URL, such as https://host/path.
      numbers out of range: "assets.page_size" must be at least 2; "concurrency" must be at most 32; "sample_rows" must be an integer, not a fraction.
      token as a text: "token" must contain {"kind":"general"}, {"kind":"scoped"} or {"kind":"module"}.
      token without a kind: "token" must contain {"kind":"general"}, {"kind":"scoped"} or {"kind":"module"}.
      an unknown kind of token: "token" must contain {"kind":"general"}, {"kind":"scoped"} or {"kind":"module"}.
      scoped without scopes: "token.scopes" is missing.
      scoped with none: "token.scopes" must not be empty.
      scoped twice: "token.scopes[2]" must not be empty; "token.scopes" must not contain duplicates.
      module without the audience of alarms: "alarms.audience" is missing: "token.kind" is "module", so each stream needs the audience code of its module.
      a date without a zone: "alarms.start_date" must be written as YYYY-MM-DDTHH:mm:ssZ.
      an invalid date: "alarms.start_date" must be a date and time that exist.
      an end before the start: "alarms.end_date" must not be before "alarms.start_date".
      plain http: "auth_url" must start with https:// (over plain http the secret and the data are sent unencrypted; set "allow_http" to true if this is intended); "assets.base_url" must start with https:// (over plain http the secret and the data are sent unencrypted; set "allow_http" to true if this is intended)."
    `);
  });
});

function at(base_url: string, more: Json): Json {
  return { ...BASE, ...more, assets: { base_url } };
}

test.each([
  [
    '${API_BASE}',
    'must be written as https://host or https://host/path; it looks like a placeholder: was its value not filled in?',
  ],
  ['https://${HOST}/x', 'looks like a placeholder: was its value not filled in?'],
  ['https://<your-host>', 'looks like a placeholder: was its value not filled in?'],
  ['https://api.example/{tenant}', 'looks like a placeholder: was its value not filled in?'],
  [
    '"https://api.example"',
    'must be written as https://host or https://host/path; it begins or ends with white space or a quote: is that intended?',
  ],
  ['https://https://api.example', 'begins with https:// twice'],
])('the address %j: the message says what may be wrong with it', async (base_url, problem) => {
  expect(await refusal({ ...BASE, assets: { base_url } })).toBe(
    `"assets.base_url" ${problem}${problem.endsWith('?') ? '' : '.'}`,
  );
});

test('plain http is accepted for loopback only, unless allowed', async () => {
  for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '127.1', '127.255.0.9', '[::1]:80'])
    expect((await load(at(`http://${host}/a`, {}))).config.allow_http, host).toBe(false);
  for (const host of ['localhost.example', '127.0.0.1.example', '0.0.0.0', '10.0.0.1', '[::2]', 'xlocalhost'])
    expect(await refusal(at(`http://${host}`, {})), host).toMatch(
      /^"assets\.base_url" must start with https:/,
    );
  expect((await load(at('http://10.0.0.1', { allow_http: true }))).config.allow_http).toBe(true);
});

test('URLs may have a path, a port and a trailing slash', async () => {
  for (const base_url of ['https://h', 'https://h/', 'https://h:8443/a/b', 'https://h/a/b/'])
    expect((await load({ ...BASE, assets: { base_url } })).config.assets?.base_url).toBe(base_url);
});

test('unknown keys are reported with their paths, except those of platforms', async () => {
  const { unknownKeys } = await load({
    ...BASE,
    client_secrets: 'x',
    _platform: 1,
    constructor: 1,
    assets: { ...ASSETS, pagesize: 5, nested: { deeper: 1 }, _note: '' },
    token: { kind: 'general', scopes: ['AMAPI'], audience: 'API' },
  });
  expect(unknownKeys.map(describeUnknown)).toStrictEqual([
    '"client_secrets" (did you mean "client_secret"?)',
    '"constructor"',
    '"assets.pagesize" (did you mean "assets.page_size"?)',
    '"assets.nested"',
    '"token.scopes"',
    '"token.audience"',
  ]);
});

test('a misspelled key is named as the possible cause of what is missing', async () => {
  expect(await refusal({ ...BASE, asset: ASSETS })).toBe(
    `no stream is configured; add ${predefinedNames()} or an entry of "lists", with its "base_url". ` +
      'Unknown keys: "asset" (did you mean "assets"?).',
  );
});

test('the keys of the chosen kind of token are known', async () => {
  const { unknownKeys } = await load({
    ...BASE,
    assets: ASSETS,
    token: { kind: 'scoped', scopes: ['AMAPI'] },
  });
  expect(unknownKeys).toStrictEqual([]);
});

test('a config with a byte order mark is read', async () => {
  const text = `\ufeff${JSON.stringify({ ...BASE, assets: ASSETS })}`;
  expect((await loadConfig(temporaryFile(text), createReadStream, {})).config.client_id).toBe('me');
});

test('dates are compared as times, whatever their zones', async () => {
  const dates = { start_date: '2026-01-01T12:00:00+02:00', end_date: '2026-01-01T11:00:00Z' };
  await expect(load({ ...BASE, alarms: { ...ALARMS, ...dates } })).resolves.toMatchObject({
    config: { alarms: dates },
  });
});
