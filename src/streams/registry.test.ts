import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import type { Config } from '../config/config.ts';
import { validConfig } from '../config/valid-config.test-support.ts';
import { PAGE } from '../limits.ts';
import { rowOf } from '../rows/row.test-support.ts';
import { configuredStreams } from './registry.ts';

const ROOT = new URL('../../', import.meta.url);
const spec = JSON.parse(readFileSync(new URL('spec.json', ROOT), 'utf8')) as {
  connectionSpecification: {
    properties: Record<
      string,
      { properties: object; items: { oneOf: { properties: Record<string, { const?: string }> }[] } }
    >;
  };
};
const form = spec.connectionSpecification.properties;
const base_url = 'https://fleet.example';
const CONFIG = validConfig({
  auth_url: base_url,
  client_id: 'me',
  client_secret: 'secret',
  assets: { base_url, audience: 'X' },
  alarms: { base_url, created_field: 'raisedAt' },
  lists: [
    {
      paging: 'cursor',
      name: 'trips',
      base_url,
      path: '/v1/trips',
      created_field: 'startedAt',
      id_field: 'id',
    },
    {
      paging: 'offset',
      name: 'constructor',
      base_url,
      path: '/v2/x',
      id_field: 'driverId',
      page_size: 2,
    },
  ],
});
const silent = async (): Promise<void> => undefined;
const client: ListClient = { get: () => Promise.reject(new Error('nothing is asked here')) };

test('predefined lists come first, then the others in their order, each with its own settings', () => {
  const asked: string[] = [];
  const streams = configuredStreams(CONFIG, ({ name, place, path }) => {
    asked.push(`${name} ${place} ${path}`);
    return client;
  });
  expect(streams.map(({ name }) => name)).toStrictEqual(['assets', 'alarms', 'trips', 'constructor']);
  expect(asked).toStrictEqual([
    'assets assets /v1/assets',
    'alarms alarms /v1/alarms',
    'trips lists[0] /v1/trips',
    'constructor lists[1] /v2/x',
  ]);
});

test('without a sample the schema declares the key and the created field', () => {
  const entries = configuredStreams(CONFIG, () => client).map(({ catalogEntry }) => catalogEntry);
  const fields = entries.map(({ json_schema }) =>
    Object.keys((json_schema as { properties: object }).properties),
  );
  expect(fields).toStrictEqual([['assetId', 'vin'], ['raisedAt'], ['id', 'startedAt'], ['driverId']]);
  expect(
    entries.map((entry) => [entry.source_defined_primary_key, entry.default_cursor_field]),
  ).toStrictEqual([
    [[['assetId']], undefined],
    [undefined, ['raisedAt']],
    [[['id']], ['startedAt']],
    [[['driverId']], undefined],
  ]);
});

test('unknown keys do not affect a predefined list', () => {
  const slips = {
    ...CONFIG.assets,
    name: 'x',
    path: '/v2/y',
    paging: 'cursor',
    id_field: 'vin',
    schema: {},
    place: 'z',
  };
  const config = { ...CONFIG, lists: [], assets: slips } as Config;
  const asked: unknown[] = [];
  const [stream] = configuredStreams(config, ({ name, place, path }) => {
    asked.push([name, place, path]);
    return client;
  });
  expect(stream?.catalogEntry).toStrictEqual(configuredStreams(CONFIG, () => client)[0]?.catalogEntry);
  expect(asked[0]).toStrictEqual(['assets', 'assets', '/v1/assets']);
});

test.each([
  ['assets', 'offset', ['id_field']],
  ['alarms', 'cursor', []],
])('the config schema has the same keys for %s as for any list by %s', (name, paging, fixed) => {
  const variant = form['lists']?.items.oneOf.find(({ properties }) => properties['paging']?.const === paging);
  const own = Object.keys(variant?.properties ?? {}).filter(
    (key) => !['paging', 'name', 'path', ...fixed].includes(key),
  );
  expect(Object.keys(form[name]?.properties ?? {}).toSorted()).toStrictEqual(own.toSorted());
});

test('lists read by offset share the limit of prefetched bytes', async () => {
  const pad = 'x'.repeat(PAGE.maxAheadBytes / 12);
  const list = Array.from({ length: 40 }, (_, index) => rowOf({ driverId: index, pad })); // with a separate buffer for each
  let asked = 0;
  const slow: ListClient = {
    get: async (query) => {
      asked++;
      const offset = Number(query.get('offset'));
      return {
        rows: list.slice(offset, offset + 4),
        pagination: {},
        serverTimeMs: 0,
        sentAtMs: 0,
        receivedAtMs: 0,
      };
    },
  };
  const names = ['a', 'b', 'c'];
  const lists = names.map((name) => {
    return {
      paging: 'offset' as const,
      name,
      base_url,
      path: '/x',
      id_field: 'driverId',
      page_size: 4,
      missing_rows: 'fail' as const,
      min_rows: 0,
    };
  });
  const { assets: _assets, alarms: _alarms, ...withoutPredefined } = CONFIG;
  const [stream] = configuredStreams({ ...withoutPredefined, concurrency: 32, lists }, () => slow);
  const context = {
    signal: new AbortController().signal,
    now: () => 0,
    sleep: async () => undefined,
    info: silent,
    warn: silent,
    onWait: silent,
  };
  let taken = 0;
  let maxAhead = 0;
  for await (const { rows } of stream?.read({
    ...context,
    syncMode: 'full_refresh',
    limitRows: null,
    state: null,
  }) ?? []) {
    taken += rows.length > 0 ? 1 : 0;
    await new Promise(setImmediate);
    maxAhead = Math.max(maxAhead, asked - taken);
  }
  expect(taken).toBeGreaterThan(8);
  expect(maxAhead).toBeGreaterThan(1);
  // in addition to the page that is being written, and the one before it
  expect(maxAhead).toBeLessThanOrEqual(12 / names.length + 2);
});
