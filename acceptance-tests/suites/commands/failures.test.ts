import { expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { fastTime } from '../../support/fast-time.ts';
import { errors, logs, states, statuses } from '../../support/run-views.ts';
import { useTestBed, type TestWorld, type WorldRun } from '../../support/test-bed.ts';

// effects of failures; unit tests cover all errors in files
const bed = useTestBed();
const other = { assets: 'alarms', alarms: 'assets' } as const;
type Changes = (config: TestWorld['config']) => Parameters<TestWorld['configWith']>[0];
const asItIs: Changes = () => ({});
const wrongAddress: Changes = ({ assets }) => ({ assets: { base_url: `${assets.base_url}/v2` } });
const unknownModule: Changes = () => ({ token: { kind: 'module' }, alarms: { audience: 'ZAPI' } });
const scoped = { token: { kind: 'scoped', scopes: ['AMAPI'] } };
test.concurrent.each<[keyof typeof other, words: RegExp, requests: number | null, OptionsPatch, Changes]>([
  ['assets', /^assets: the permission is missing.*privileged/, 1, { permissions: { assets: false } }, asItIs],
  [
    'assets',
    /\(404\).*assets\.base_url \(currently "\S+\/asset-api\/v2"\) is probably wrong/,
    0,
    {},
    wrongAddress,
  ],
  ['alarms', /rejected \(400\).*ZAPI/, 0, {}, unknownModule],
  ['alarms', /valid token.*"AMAPI" \(401\)/, null, { errorStatus: { moduleMissing: 401 } }, () => scoped],
  [
    'assets',
    /page cannot be read: .* 1, but 0 was requested.*within 20 s/,
    null,
    { assetsPagination: { offset: 'wrong' } },
    asItIs,
  ],
  ['assets', /"limit=500&offset=0".*limit: must be at most 1/, 9, { assetsLimitRefusedAbove: 1 }, asItIs],
])('only %s fails: %s', async (stream, message, requests, options, changes) => {
  const world = await bed.world({ assets: 30, alarms: 30, options });
  const config = world.configWith(changes(world.config));
  const run = await world.run('read', { config, env: fastTime(50) });
  const failure_type = message.source.includes('attempts') ? 'transient_error' : 'config_error';
  expect(run.code).toBe(failure_type === 'config_error' ? 1 : 75);
  expect(errors(run)).toMatchObject([{ failure_type, stream_descriptor: { name: stream } }]);
  expect(errors(run)[0]?.message).toMatch(message);
  expect(statuses(run, stream)).toStrictEqual(['STARTED', 'INCOMPLETE']);
  expect(states(run, stream)).toStrictEqual([]);
  // a temporary failure is retried for a minute, and a 401 for ten seconds
  if (requests !== null) expect((await world.requests()).endpoints[stream].count).toBe(requests);
  expect(logs(run, 'INFO').at(-1)).toContain(`${stream} 0 rows (incomplete)`);
  expect(statuses(run, other[stream])).toStrictEqual(['STARTED', 'RUNNING', 'COMPLETE']);
  await world.expectExact([run], other[stream], {});
});

const stateOf = (stream_state: unknown): object[] => [
  { type: 'STREAM', stream: { stream_descriptor: { name: 'alarms' }, stream_state } },
];

test.concurrent.each<[string, WorldRun, code: number, words: RegExp]>([
  ['config', { config: '{"client_secret": "kept-to-itself",' }, 1, /config\.json: is not valid/],
  ['state', { state: stateOf('2026-01-01') }, 1, /state\.json: \[0\]/],
  [
    '--streams',
    { options: ['--streams', 'assets,trucks'] },
    2,
    /^--streams: there is no stream "trucks"; there are "assets", "alarms"/,
  ],
  ['catalog', { catalog: '{"streams": [' }, 1, /catalog\.json: is not valid JSON at line 1/],
])('an invalid %s: one config_error, and no request', async (_, input, code, words) => {
  const world = await bed.world({});
  const run = await world.run('read', input);
  expect(run.code).toBe(code);
  const message = expect.stringMatching(words) as unknown;
  expect(errors(run)).toMatchObject([{ failure_type: 'config_error', message }]);
  expect(run.messages).toHaveLength(1);
  expect(run.stdout.includes('kept-to-itself')).toBe(false);
  expect((await world.requests()).last).toStrictEqual([]);
});

test.concurrent('an invalid state fails its stream instead of silently starting over', async () => {
  const world = await bed.world({ assets: 5, alarms: 5 });
  const run = await world.run('read', { state: stateOf({ created_since: 'yesterday' }) });
  expect(run.code).toBe(1);
  const message = expect.stringMatching(/^state \S+: alarms: "created_since"/) as unknown;
  expect(errors(run)).toMatchObject([
    { failure_type: 'config_error', stream_descriptor: { name: 'alarms' }, message },
  ]);
  expect((await world.requests()).endpoints.alarms.count).toBe(0);
  await world.expectExact([run], 'assets', {});
});

test.concurrent('a stream that the config lacks fails alone; destination modes are ignored', async () => {
  const world = await bed.world({ assets: 5, alarms: 5 });
  const gone = '__AIRBYTE__stream_that_does_not_exist';
  const unknown = { stream: { name: gone, json_schema: {} }, sync_mode: 'INVALID' };
  const alarms = { stream: { name: 'alarms', json_schema: {} }, sync_mode: 'full_refresh' };
  const judged = { destination_sync_mode: 'INVALID', generation_id: 3, sync_id: 4 };
  const run = await world.run('read', { catalog: { streams: [unknown, { ...alarms, ...judged }] } });
  expect(run.code).toBe(1);
  expect(errors(run)).toMatchObject([{ failure_type: 'config_error', stream_descriptor: { name: gone } }]);
  expect(errors(run)[0]?.message).toMatch(
    /catalog\.json: "streams\[0\]\.stream\.name" must be one of the streams in the config .*__AIRBYTE__/,
  );
  expect(statuses(run, gone)).toStrictEqual(['STARTED', 'INCOMPLETE']);
  expect(statuses(run, 'alarms').at(-1)).toBe('COMPLETE');
  await world.expectExact([run], 'alarms', {});
});

test.concurrent.each<[string, object, OptionsPatch, RegExp]>([
  ['in the created_field', { created_field: 'raised' }, {}, /"raised".*: "createdDate"/],
  ['in any field', {}, { alarmsCreatedMissingEvery: 1 }, /Read alarms with full_refresh\.$/],
])('without created times %s alarms can only be read in full', async (_, change, options, words) => {
  const world = await bed.world({ alarms: 50, options });
  const config = world.configWith({ alarms: change });
  const refused = await world.run('read', { config, catalog: catalogOf({ alarms: 'incremental' }) });
  expect(refused.code).toBe(1);
  const message = expect.stringMatching(words) as unknown;
  expect(errors(refused)).toMatchObject([{ failure_type: 'config_error', message }]);
  expect(statuses(refused, 'alarms')).toStrictEqual(['STARTED', 'INCOMPLETE']);
  const full = await world.run('read', { config, catalog: catalogOf({ alarms: 'full_refresh' }) });
  expect(full.code).toBe(0);
  await world.expectExact([full], 'alarms', {});
});

test('a start date that is refused in its form is sent in that of the rows', async () => {
  const options: OptionsPatch = { createdFormat: 'epochSeconds', createdSinceStrict: true };
  const world = await bed.world({ assets: 0, alarms: 30, options });
  const config = world.configWith({ alarms: { start_date: '2025-06-01T00:00:00Z' } });
  const run = await world.run('read', { config, env: fastTime(50) });
  expect(run.code).toBe(0);
  expect(logs(run, 'INFO').join('\n')).toMatch(
    /refuses createdSince=2025-05-31T23:59:00Z, but accepts the same time as 1748735940,/,
  );
});
