import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { loadCatalog, type Selection } from './catalog-input.ts';
import { temporaryDirectory, temporaryFile } from './temporary-file.test-support.ts';

const KNOWN = ['assets', 'alarms'];

async function load(document: unknown): Promise<readonly Selection[]> {
  const path = temporaryFile(JSON.stringify(document));
  const { selections, isDiscovered } = await loadCatalog(path, KNOWN, createReadStream);
  expect(isDiscovered).toBe(false);
  return selections;
}

async function refusalOf(path: string): Promise<string> {
  const error: unknown = await loadCatalog(path, KNOWN, createReadStream).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(isConnectorError(error, 'CATALOG_INVALID')).toBe(true);
  expect(error).toHaveProperty('failureType', 'config_error');
  return (error as Error).message.replace(path, 'F');
}

function stream(name: string, sync_mode: unknown, more: object): object {
  return { stream: { name, ...more }, sync_mode, destination_sync_mode: 'append' };
}

test('a catalog from a platform, with members that are not used', async () => {
  const document = {
    streams: [
      {
        stream: {
          name: 'alarms',
          json_schema: { type: 'object', properties: { alarmId: {}, createdDate: { type: 'string' } } },
          supported_sync_modes: ['full_refresh', 'incremental'],
          namespace: null,
          is_resumable: true,
          somethingNew: 1,
        },
        sync_mode: 'incremental',
        destination_sync_mode: 'append_dedup',
        cursor_field: ['createdDate'],
        primary_key: [['alarmId'], ['position', 'time']],
        generation_id: 4,
        minimum_generation_id: 0,
        sync_id: 9,
      },
      stream('assets', 'incremental', { namespace: '' }),
    ],
    somethingNew: {},
  };
  expect(await load(document)).toStrictEqual([
    {
      stream: 'alarms',
      syncMode: 'incremental',
      declared: { alarmId: {}, createdDate: { type: 'string' } },
      primaryKey: ['alarmId', 'position'],
    },
    { stream: 'assets', syncMode: 'incremental', declared: null },
  ]);
});

test('a catalog of the API of Airbyte', async () => {
  const jsonSchema = { type: 'object', properties: { alarmId: {} } };
  const config = {
    syncMode: 'incremental',
    destinationSyncMode: 'append',
    primaryKey: [['alarmId']],
    selected: true,
  };
  const streams = [
    { stream: { name: 'alarms', jsonSchema }, config },
    { stream: { name: 'assets' }, config: { ...config, selected: false } },
  ];
  const plain = streams.map(({ stream: own, config: settings }) => ({ ...own, config: settings }));
  expect(await load({ streams: plain })).toStrictEqual(await load({ streams }));
  expect(
    await load({ streams: streams.map(({ stream: each, config: own }) => ({ stream: each, ...own })) }),
  ).toStrictEqual(await load({ syncCatalog: { streams } }));
  expect(await load({ name: 'a connection', syncCatalog: { streams } })).toStrictEqual([
    { stream: 'alarms', syncMode: 'incremental', declared: { alarmId: {} }, primaryKey: ['alarmId'] },
  ]);
});

test.each([
  ['full_refresh', 'full_refresh'],
  ['full_refresh_append', 'full_refresh'],
  ['incremental_deduped_history', 'incremental'],
  ['INCREMENTAL', 'incremental'],
])('the mode %s reads by %s, in each form of a catalog', async (written, syncMode) => {
  const alarms = { name: 'alarms', syncMode: written };
  const selection = { stream: 'alarms', syncMode, declared: null };
  expect(await load({ streams: [{ stream: alarms, sync_mode: written }] })).toStrictEqual([selection]);
  const file = temporaryFile(JSON.stringify({ configurations: { streams: [alarms] } }));
  const selections = [selection];
  expect(await loadCatalog(file, KNOWN, createReadStream)).toStrictEqual({ selections, isDiscovered: false });
});

test('a catalog without streams is accepted', async () => {
  expect(await load({ streams: [] })).toStrictEqual([]);
});

test('every fault is reported with its path and what is expected there', async () => {
  const documents: unknown[] = [
    [],
    {},
    { streams: {} },
    { streams: [{}] },
    { streams: [{ stream: {}, sync_mode: 'full_refresh' }] },
    { streams: [stream('assets', 1, {}), { stream: 'alarms', sync_mode: 'full_refresh' }] },
    { streams: [stream('assets', 'INVALID', {})] },
    { streams: [stream('assets', 'full_refresh', {}), stream('assets', 'incremental', {})] },
    { streams: [stream('assets', 'full_refresh', { namespace: 'public' })] },
    { streams: [{ ...stream('assets', 'full_refresh', {}), selected: 'false' }] },
    { streams: [{ name: 'assets', config: { selected: 'false' } }] },
    { streams: [stream('assets', 'full_refresh', { json_schema: '{}' })] },
    { streams: [{ ...stream('assets', 'full_refresh', {}), primary_key: 'assetId' }] },
    { streams: [stream('assets', 'full_refresh', {})], syncCatalog: { streams: [] } },
    { type: 'object', streams: [{}] },
  ];
  const lines: string[] = [];
  for (const document of documents) lines.push(await refusalOf(temporaryFile(JSON.stringify(document))));
  lines.push(await refusalOf(temporaryFile('')));
  lines.push(await refusalOf(temporaryFile('{"streams": [')));
  lines.push(await refusalOf(temporaryDirectory()));
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "catalog F: the document must be an object, not an array.
    catalog F: "streams" is missing.
    catalog F: "streams" must be an array, not an object.
    catalog F: "streams[0].stream" is missing; "streams[0].sync_mode" is missing.
    catalog F: "streams[0].stream.name" is missing.
    catalog F: "streams[0].sync_mode" must be a string, not a number; "streams[1].stream" must be an object, not a string.
    catalog F: "streams[0].sync_mode" must be "full_refresh" or "incremental", not "INVALID".
    catalog F: "streams[1].stream.name" names "assets" a second time.
    catalog F: "streams[0].stream.namespace" must be absent: the streams have no namespaces.
    catalog F: "streams[0].selected" must be a boolean or null, not a string; it is in quotes: remove them.
    catalog F: "streams[0].selected" must be a boolean or null, not a string; it is in quotes: remove them.
    catalog F: "streams[0].stream.json_schema" must be an object or null, not a string; it is in quotes: remove them.
    catalog F: "streams[0].primary_key" must be an array or null, not a string.
    catalog F: has both streams and sync_catalog; only one could count.
    catalog F: "streams[0].stream" is missing; "streams[0].sync_mode" is missing.
    catalog F: is empty.
    catalog F: is not valid JSON at line 1, column 14: expected a value or ].
    catalog F: is a directory, not a file."
  `);
});

test('a name that is nearly that of a stream in the config is followed by it', async () => {
  const path = temporaryFile(JSON.stringify({ streams: [stream('Alarms', 'full_refresh', {})] }));
  const { selections } = await loadCatalog(path, ['assets', 'alarms'], createReadStream);
  expect(selections[0]?.missing?.message).toContain(
    ', not "Alarms" (did you mean "alarms"?); discover the schema',
  );
});

test('a stream that is not in the config has an error, and the others are selected', async () => {
  const names = ['alarms', 'constructor', 'assets'];
  const document = {
    streams: names.map((name) => stream(name, name === 'alarms' ? 'INVALID' : 'full_refresh', {})),
  };
  const path = temporaryFile(JSON.stringify(document));
  const { selections } = await loadCatalog(path, ['assets'], createReadStream);
  expect(selections.map(({ stream: name, missing }) => [name, missing?.message])).toStrictEqual([
    [
      'alarms',
      `catalog ${path}: "streams[0].stream.name" must be one of the streams in the config ("assets"), not "alarms"; discover the schema again, deselect this stream, or add it to the config.`,
    ],
    [
      'constructor',
      `catalog ${path}: "streams[1].stream.name" must be one of the streams in the config ("assets"), not "constructor"; discover the schema again, deselect this stream, or add it to the config.`,
    ],
    ['assets', undefined],
  ]);
  expect(selections.map(({ missing }) => missing?.failureType)).toStrictEqual([
    'config_error',
    'config_error',
    undefined,
  ]);
});

const DISCOVERED = {
  streams: [
    {
      name: 'assets',
      json_schema: { type: 'object', properties: { assetId: {} } },
      supported_sync_modes: ['full_refresh'],
      is_resumable: true,
    },
    { name: 'alarms', supported_sync_modes: ['full_refresh', 'incremental'] },
  ],
};
const message = JSON.stringify({ type: 'CATALOG', catalog: DISCOVERED });
const log = '{"type":"LOG","log":{"level":"INFO","message":"x"}}';

test.each<[what: string, catalog: object, isDiscovered: boolean]>([
  ['streams by name', { streams: [{ name: 'assets', sync_mode: 'full_refresh' }, { name: 'alarms' }] }, true],
  [
    'a configured catalog in a message',
    {
      type: 'CATALOG',
      catalog: {
        streams: [
          { stream: { name: 'assets' }, sync_mode: 'full_refresh' },
          { stream: { name: 'alarms' }, sync_mode: 'incremental' },
        ],
      },
    },
    false,
  ],
])('%s are read as they say, and incrementally where they say nothing', async (_, catalog, isDiscovered) => {
  const file = temporaryFile(JSON.stringify(catalog));
  expect(await loadCatalog(file, KNOWN, createReadStream)).toStrictEqual({
    selections: [
      { stream: 'assets', syncMode: 'full_refresh', declared: null },
      { stream: 'alarms', syncMode: 'incremental', declared: null },
    ],
    isDiscovered,
  });
});

test.each([
  ['output of discover', `${log}\n${message}\n`],
  ['output of discover, with Windows line ends', `${log}\r\n\r\n${message}\r\n`],
  ['two outputs', `{"type":"CATALOG","catalog":{"streams":[]}}\n${message}\n`],
  [
    'messages on many lines each',
    `${JSON.stringify(JSON.parse(log), null, 2)}\n${JSON.stringify(JSON.parse(message), null, 2)}`,
  ],
  ['an array of messages', `[${log}, ${message}]`],
  ['a message on many lines', JSON.stringify(JSON.parse(message), null, 2)],
  ['a catalog', JSON.stringify(DISCOVERED, null, 2)],
  ['a member of a message', JSON.stringify({ catalog: DISCOVERED })],
])('%s selects every stream, incrementally where it can be', async (_, content) => {
  expect(await loadCatalog(temporaryFile(content), KNOWN, createReadStream)).toStrictEqual({
    selections: [
      { stream: 'assets', syncMode: 'full_refresh', declared: { assetId: {} } },
      { stream: 'alarms', syncMode: 'incremental', declared: null },
    ],
    isDiscovered: true,
  });
});

test.each([
  [`${log}\n${log}\n`, 'is output of the connector without a CATALOG; discover prints one.'],
  ['{"type":"CATALOG","catalog":5}', '"streams" is missing.'],
  ['{"type":"CATALOG","catalog":{"streams":[{}]}}', '"streams[0].stream.name" is missing.'],
  [
    `${log}\n${message.slice(0, -1)}\n`,
    'is not valid JSON at line 2, column 1: expected the end of the file.',
  ],
  [
    JSON.stringify({ streams: [...DISCOVERED.streams, 5] }),
    '"streams[2].stream" must be an object, not a number.',
  ],
])('%j is no catalog', async (content, words) => {
  expect(await refusalOf(temporaryFile(content))).toBe(`catalog F: ${words}`);
});
