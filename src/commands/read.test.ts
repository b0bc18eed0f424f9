import { expect, test } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../config/temporary-file.test-support.ts';
import { collect, configFile, startService } from './fake-service.test-support.ts';
import { runRead, type ReadOptions } from './read.ts';

const ONE_ALARM =
  '{"items":[{"createdDate":"2026-01-01T00:00:00Z"}],"metadata":{"pagination":{"nextCursor":""}}}';

/** The options of a read of all streams that writes a state after each page. */
function optionsFor(files: Pick<ReadOptions, 'config'> & Partial<ReadOptions>): ReadOptions {
  return {
    catalog: null,
    state: null,
    stateEveryMs: 0,
    streams: null,
    limitRows: null,
    progress: 'auto',
    tokenCache: temporaryDirectory(),
    verbose: false,
    ...files,
  };
}

function logsOf(messages: readonly Record<string, unknown>[]): unknown[] {
  return messages.filter(({ type }) => type === 'LOG').map(({ log }) => log);
}

test('without a catalog every configured stream is read, incrementally if possible', async () => {
  const service = await startService({ alarms: (response) => response.end(ONE_ALARM) });
  const config = configFile(service, { alarms: { base_url: service.address } });
  const state = temporaryFile('{"alarms":{"created_since":"2025-12-31T00:00:00Z","seen":[]},"assets":{}}');
  const { environment, messages } = collect();
  expect(await runRead(optionsFor({ config, state }), environment)).toBe(0);
  // the state counts in an incremental read only
  expect(service.requests[1]).toMatch(/^GET \/v1\/alarms\?.*createdSince=2025-12-30T23%3A59%3A00Z/);
  expect(messages().filter(({ type }) => type === 'RECORD')).toHaveLength(1);
  expect(logsOf(messages())[0]).toStrictEqual({
    level: 'INFO',
    message: `state ${state}: skipped states of other streams: "assets"`,
  });
  expect(logsOf(messages()).at(-1)).toMatchObject({
    message: expect.stringMatching(
      /^alarms 1 row \(newest 2026-01-01T00:00:00Z\); 1 request, 0 retries, 1 token requested, \d+\.\d s$/,
    ) as string,
  });
});

test('--limit-rows: no WARN, and no time of a row that was not emitted', async () => {
  const rows = ['01', '02', '03'].map((day) => `{"createdDate":"2026-01-${day}T00:00:00Z"}`).join(',');
  const page = `{"items":[${rows}],"metadata":{"pagination":{"nextCursor":""}}}`;
  const service = await startService({ alarms: (response) => response.end(page) });
  const { environment, messages } = collect();
  const config = configFile(service, { alarms: { base_url: service.address } });
  expect(await runRead(optionsFor({ config, limitRows: 1, progress: 'never' }), environment)).toBe(0);
  expect(logsOf(messages())).toStrictEqual([
    { level: 'INFO', message: 'alarms: stopped after 1 row, because of --limit-rows' },
    { level: 'INFO', message: expect.stringMatching(/^alarms 1 row \(incomplete\); 1 request, /) as string },
  ]);
});

test('--limit-rows says how many rows a read from the last state repeats', async () => {
  const page = '{"items":[{"id":1},{"id":2},{"id":3}],"metadata":{"pagination":{}}}';
  const service = await startService({ assets: (response) => response.end(page) });
  const { environment, messages } = collect();
  const config = configFile(service, { assets: { base_url: service.address } });
  expect(await runRead(optionsFor({ config, limitRows: 2, progress: 'never' }), environment)).toBe(0);
  const stopped = 'stopped after 2 rows, because of --limit-rows. A read from the last state repeats 2 rows';
  expect(logsOf(messages())).toContainEqual({ level: 'INFO', message: `assets: ${stopped}` });
});

test('a catalog without streams and a truncated line of the state are logged, and files are read before any request', async () => {
  const service = await startService({});
  const config = configFile(service, { assets: { base_url: service.address } });
  const catalog = temporaryFile('{"streams":[]}');
  const state = temporaryFile('{"type":"LOG","log":{"level":"INFO","message":"x"}}\n{"type":"REC');
  const { environment, messages } = collect();
  expect(await runRead(optionsFor({ config, catalog, state }), environment)).toBe(0);
  expect(logsOf(messages()).slice(0, 2)).toStrictEqual([
    { level: 'WARN', message: `catalog ${catalog}: contains no streams, so nothing is read` },
    {
      level: 'WARN',
      message: `state ${state}: skipped 1 truncated line; only complete states are used`,
    },
  ]);
  for (const files of [{ catalog: temporaryFile('{}') }, { state: temporaryFile('garbage') }])
    await expect(runRead(optionsFor({ config, ...files }), environment)).rejects.toMatchObject({
      failureType: 'config_error',
    });
  expect(service.requests).toStrictEqual([]);
});

test.each([
  [['alarms'], 'createdSince=2025-12-30T23%3A59%3A00Z'],
  [['alarms', 'trips'], null],
])('a state without a stream name, if %j are read by created time', async (names, asked) => {
  const service = await startService({ alarms: (response) => response.end(ONE_ALARM) });
  const place = { base_url: service.address };
  const list = { ...place, paging: 'cursor', path: '/v1/alarms', created_field: 'createdDate' };
  const lists = names.slice(1).map((name) => ({ ...list, name }));
  const config = configFile(service, { assets: place, alarms: place, lists });
  const state = temporaryFile('{"created_since":"2025-12-31T00:00:00Z"}');
  const reading = runRead(optionsFor({ config, state, streams: ['alarms'] }), collect().environment);
  if (asked !== null) {
    expect(await reading).toBe(0);
    expect(service.requests.join(' ')).toContain(asked);
    return;
  }
  const message = `state ${state}: names no stream, and could be for "alarms" or "trips"; write {"alarms": {"created_since": …}}.`;
  await expect(reading).rejects.toMatchObject({ code: 'STATE_INVALID', message });
  expect(service.requests).toStrictEqual([]);
});

test.each([
  [
    { Assets: {}, alarms: {} },
    'has a state of "Assets", and none of "assets", which the config has. Write "assets" if',
  ],
  [{ asset: {}, trips: {}, alarms: {} }, 'has a state of "asset", and none of "assets"'],
  [
    { alarm: {} },
    'contains only states of "alarm" (did you mean "alarms"?), and the config has "assets", "alarms".',
  ],
])('the state of a misspelled stream is refused: %j', async (states, words) => {
  const service = await startService({});
  const place = { base_url: service.address };
  const config = configFile(service, { assets: place, alarms: place });
  const state = temporaryFile(JSON.stringify(states));
  await expect(runRead(optionsFor({ config, state }), collect().environment)).rejects.toMatchObject({
    code: 'STATE_INVALID',
    message: expect.stringContaining(`state ${state}: ${words}`) as string,
  });
  expect(service.requests).toStrictEqual([]);
});

test.each([
  [
    ['alarms', 'assets'],
    'the config has "assets", but the catalog F does not select it. Select it there, or',
  ],
  [['asset'], 'there is no stream "asset"; there are "alarms". Did you mean assets?'],
])('--streams %j, of a catalog without assets', async (streams, words) => {
  const service = await startService({});
  const place = { base_url: service.address };
  const config = configFile(service, { assets: place, alarms: place });
  const entries = ['alarms', 'assets'].map((name) => ({ name, selected: name !== 'assets' }));
  const catalog = temporaryFile(JSON.stringify({ streams: entries }));
  const reading = runRead(optionsFor({ config, catalog, streams }), collect().environment);
  const message = expect.stringContaining(`--streams: ${words.replace('F', catalog)}`) as string;
  await expect(reading).rejects.toMatchObject({ code: 'USAGE', message });
});

test('each request for a token says where later runs find it', async () => {
  const service = await startService({ alarms: (response) => response.end(ONE_ALARM) });
  const directory = temporaryDirectory();
  const read = async (more: object, tokenCache: string) => {
    const config = configFile(service, { alarms: { base_url: service.address }, ...more });
    const { environment, output } = collect();
    expect(await runRead({ ...optionsFor({ config }), tokenCache }, environment)).toBe(0);
    return /requested a token [^{}]*?(?="\})/.exec(output())?.[0].replace(/tokens-\w+/, 'tokens-…');
  };
  expect(await read({}, directory)).toBe(
    `requested a token for audience \\"API\\"; later runs find it in ${directory}/tokens-….json, if that is kept (in a container: on a volume)`,
  );
  expect(await read({}, directory)).toBeUndefined();
  expect(await read({ token_cache: '' }, temporaryDirectory())).toBe(
    'requested a token for audience \\"API\\"; it is passed on in the config',
  );
  // a WARN says it already
  expect(await read({}, '/dev/null')).toBeUndefined();
});
