import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { loadConfig } from './config.ts';
import { describeUnknown } from './unknown-keys.ts';
import { temporaryFile } from './temporary-file.test-support.ts';

const BASE = {
  auth_url: 'https://auth.fleet.example/token',
  client_id: 'me',
  client_secret: 'canary-secret',
};
const DRIVERS = {
  paging: 'offset',
  name: 'drivers',
  base_url: 'https://drivers.fleet.example',
  path: '/v1/drivers',
  id_field: 'driverId',
};
const TRIPS = {
  paging: 'cursor',
  name: 'trips',
  base_url: 'https://trips.fleet.example',
  path: '/v1/trips',
  created_field: 'startedAt',
};

async function load(document: unknown): ReturnType<typeof loadConfig> {
  return loadConfig(temporaryFile(JSON.stringify(document)), createReadStream, {});
}

/** The message without the file's name. */
async function refusal(document: unknown): Promise<string> {
  const error: unknown = await load(document).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isConnectorError(error, 'CONFIG_INVALID')) throw new Error('not refused', { cause: error });
  expect(error.message).not.toContain('canary');
  return error.message.replace(/^config \S+: /, '');
}

test('entries of lists get the defaults of their kind', async () => {
  const { config, unknownKeys } = await load({ ...BASE, lists: [TRIPS, DRIVERS] });
  expect(unknownKeys).toStrictEqual([]);
  expect(config.lists).toStrictEqual([
    { ...TRIPS, lookback_seconds: 300, parallel_chains: 1 },
    { ...DRIVERS, page_size: 500, missing_rows: 'fail', min_rows: 0 },
  ]);
});

test('keys that the kind of an entry does not have are reported with their paths', async () => {
  const lists = [DRIVERS, { ...DRIVERS, name: 'd2', created_field: 'x' }, { ...TRIPS, _note: '', more: {} }];
  expect((await load({ ...BASE, lists })).unknownKeys.map(describeUnknown)).toStrictEqual([
    '"lists[1].created_field"',
    '"lists[2].more"',
  ]);
});

test('empty fields of an entry are absent', async () => {
  const empty = { start_date: '', end_date: null, audience: '', page_size: null, id_field: '' };
  const { config } = await load({ ...BASE, assets: null, lists: [{ ...TRIPS, ...empty }] });
  expect(config.lists).toStrictEqual([{ ...TRIPS, lookback_seconds: 300, parallel_chains: 1 }]);
});

test('every mistake in an entry is reported with its path and what is expected there', async () => {
  const { id_field: _id, ...keyless } = DRIVERS;
  const { created_field: _created, path: _path, ...bare } = TRIPS;
  const mistakes = {
    'lists as an object': {},
    'invalid entries': [null, 'drivers'],
    'an entry without paging': [{ ...DRIVERS, paging: undefined }],
    'an unknown paging': [DRIVERS, { ...TRIPS, paging: 'canary' }],
    'an offset list without a key': [keyless],
    'a cursor list without a created field and a path': [DRIVERS, bare],
    'invalid paths': ['v1/x', '/v1/x?a=1', '/v1/x#a', '', '/v1/x y'].map((path, index) => {
      return { ...TRIPS, name: `t${index}`, path };
    }),
    'invalid names': ['Drivers', '1a', 'a-b', '_a', ''].map((name) => ({ ...DRIVERS, name })),
    'wrong numbers': [
      { ...DRIVERS, page_size: 1 },
      { ...TRIPS, parallel_chains: 33, lookback_seconds: -1 },
    ],
    'an invalid date, and no address': [{ ...TRIPS, start_date: '2026-13-01T00:00:00Z', base_url: 'x' }],
    'the names of predefined lists': [
      { ...DRIVERS, name: 'assets' },
      { ...TRIPS, name: 'alarms' },
    ],
    'a name used three times': [DRIVERS, TRIPS, { ...TRIPS, name: 'drivers' }, DRIVERS],
    'an end before its start, over plain http': [
      {
        ...TRIPS,
        start_date: '2026-01-02T00:00:00Z',
        end_date: '2026-01-01T00:00:00Z',
        base_url: 'http://10.0.0.1',
      },
    ],
  };
  const lines = [];
  for (const [what, lists] of Object.entries(mistakes))
    lines.push(`${what}: ${await refusal({ ...BASE, lists })}`);
  const token = { kind: 'module' };
  lines.push(
    `no audience: ${await refusal({ ...BASE, lists: [{ ...DRIVERS, audience: 'X' }, TRIPS], token })}`,
  );
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "lists as an object: "lists" must be an array, not an object.
    invalid entries: "lists[0]" must contain {"paging":"offset"} or {"paging":"cursor"}; "lists[1]" must contain {"paging":"offset"} or {"paging":"cursor"}.
    an entry without paging: "lists[0]" must contain {"paging":"offset"} or {"paging":"cursor"}.
    an unknown paging: "lists[1]" must contain {"paging":"offset"} or {"paging":"cursor"}.
    an offset list without a key: "lists[0].id_field" is missing.
    a cursor list without a created field and a path: "lists[1].path" is missing; "lists[1].created_field" is missing.
    invalid paths: "lists[0].path" must be written as /v1/name, without a query; "lists[1].path" must be written as /v1/name, without a query; "lists[2].path" must be written as /v1/name, without a query; "lists[3].path" is missing; "lists[4].path" must be written as /v1/name, without a query.
    invalid names: "lists[0].name" must be written as lowercase letters, digits and underscores, beginning with a letter; "lists[1].name" must be written as lowercase letters, digits and underscores, beginning with a letter; "lists[2].name" must be written as lowercase letters, digits and underscores, beginning with a letter; "lists[3].name" must be written as lowercase letters, digits and underscores, beginning with a letter; "lists[4].name" is missing.
    wrong numbers: "lists[0].page_size" must be at least 2; "lists[1].lookback_seconds" must be at least 0; "lists[1].parallel_chains" must be at most 32.
    an invalid date, and no address: "lists[0].base_url" must be written as https://host or https://host/path; "lists[0].start_date" must be a date and time that exist.
    the names of predefined lists: "lists[0].name" must not be "assets", which is configured by the key "assets"; "lists[1].name" must not be "alarms", which is configured by the key "alarms".
    a name used three times: "lists[2].name" is the same as "lists[0].name"; list names must be unique; "lists[3].name" is the same as "lists[0].name"; list names must be unique.
    an end before its start, over plain http: "lists[0].end_date" must not be before "lists[0].start_date"; "lists[0].base_url" must start with https:// (over plain http the secret and the data are sent unencrypted; set "allow_http" to true if this is intended).
    no audience: "lists[1].audience" is missing: "token.kind" is "module", so each stream needs the audience code of its module."
  `);
});
