import { expect, test } from 'vitest';
import { firstOf } from '../../../src/property-runs.test-support.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { truthTexts } from '../../support/compare-rows.ts';
import { startRowApi, type Answer } from '../../support/fixed-api.ts';
import { discovered, estimates, logs, recordTexts, states, statuses } from '../../support/run-views.ts';
import { useTestBed, type WorldRun } from '../../support/test-bed.ts';

const bed = useTestBed();

const EMPTY = '{"items":[],"metadata":{"pagination":{}}}';
const page = (items: readonly string[]): string => EMPTY.replace('[]', () => `[${items.join()}]`);
const sends =
  (body: string): Answer =>
  (before, response) =>
    response.end(before === 0 ? body : EMPTY).writableEnded;

test.concurrent.each([
  [0, 0],
  [101, 126],
])('without a catalog both are emitted, each row once: %i assets, %i alarms', async (assets, alarms) => {
  const world = await bed.world({ assets, alarms, seed: assets + 7 });
  const config = world.configWith({ assets: { page_size: 10 }, concurrency: 2 });
  const run = await world.run('read', { config });
  expect(run.code).toBe(0);
  // assets newest first, alarms oldest first
  expect(recordTexts(run, 'assets').toReversed()).toStrictEqual(await truthTexts(world, 'assets', {}));
  expect(recordTexts(run, 'alarms')).toStrictEqual(await truthTexts(world, 'alarms', {}));
  expect(states(run, 'assets').at(-1)).toStrictEqual({ __ab_full_refresh_sync_complete: true });
  expect('created_since' in (states(run, 'alarms').at(-1) ?? {})).toBe(alarms > 0);
  expect(estimates(run)).toStrictEqual([{ name: 'assets', type: 'STREAM', row_estimate: assets }]);
  for (const stream of ['assets', 'alarms'] as const)
    expect(statuses(run, stream)).toStrictEqual(['STARTED', 'RUNNING', 'COMPLETE']);
  expect((await world.requests()).endpoints.assets.maxInFlight).toBeLessThanOrEqual(2);
});

test.concurrent('a record is the exact text that the API sent', async () => {
  const numbers =
    '{ "b":9007199254740993,"a":1.10,"z":-0.0 , "tiny":1E-7,"e":1e400,"long":12345678901234567890.10 }';
  const escapes = String.raw`{"createdDate":null,"x":"\u0041\/","A":"\ud83d\ude9b","nested":{"items":[{}],"pagination":null},"":[]}`;
  const breaks = '{"createdDate":"2026-01-01T00:00:00Z","t":"a\u2028b\u2029c\u0085d"}';
  const spread = '{\r\n  "createdDate": "2026-01-02T00:00:00Z",\n  "list": [\n    1.0\n  ]\n}';
  const deep = `{"deep":${'{"d":['.repeat(5000)}1.10${']}'.repeat(5000)}}`;
  const api = await startRowApi(0, 0, {
    assets: sends(`{"items":[${numbers}],"metadata":{"pagination":{"totalCount":1}}}`),
    alarms: sends(
      `{"metadata":{"pagination":{"nextCursor":""}},"items":[${escapes}, ${breaks} ,${spread},${deep}]}`,
    ),
  });
  const run = await bed.run(['read'], { config: api.config });
  await api.close();
  expect(run.code).toBe(0);
  expect(recordTexts(run, 'assets')).toStrictEqual([numbers]);
  expect(recordTexts(run, 'alarms')).toStrictEqual([
    escapes,
    String.raw`{"createdDate":"2026-01-01T00:00:00Z","t":"a\u2028b\u2029c\u0085d"}`,
    '{    "createdDate": "2026-01-02T00:00:00Z",   "list": [     1.0   ] }',
    deep,
  ]);
});

type InputOf = (world: Awaited<ReturnType<typeof bed.world>>) => WorldRun;
test.concurrent.each<[string, 'assets' | 'alarms', 'assets' | 'alarms', InputOf]>(
  firstOf(2, [
    ['config', 'alarms', 'assets', ({ config: { assets: _left, ...config } }) => ({ config })],
    ['catalog', 'assets', 'alarms', () => ({ catalog: catalogOf({ assets: 'full_refresh' }) })],
    ['--streams', 'alarms', 'assets', () => ({ options: ['--streams', 'alarms'] })],
    ['config', 'assets', 'alarms', ({ config: { alarms: _left, ...config } }) => ({ config })],
  ]),
)('a %s with only %s: no request for %s', async (_, stream, other, inputOf) => {
  const world = await bed.world({ assets: 30, alarms: 30 });
  const run = await world.run('read', inputOf(world));
  expect(run.code).toBe(0);
  await world.expectExact([run], stream, {});
  expect(statuses(run, other)).toStrictEqual([]);
  expect((await world.requests()).endpoints[other].count).toBe(0);
});

test.concurrent('rows that contradict the catalog are emitted unchanged, after a warning', async () => {
  const seen = ['{"alarmId":"a","createdDate":"2026-01-01T00:00:00Z","axles":3}'];
  const rows = [
    ...seen,
    '{"alarmId":"b","createdDate":"2026-01-02T00:00:00Z","axles":2.5,"note":"canary"}',
    '{"alarmId":"c","createdDate":"never","axles":3}',
    String.raw`{"alarmId":"d","createdDate":"2026-01-03T00:00:00Z","mark":"\ud83d"}`,
  ];
  const before = await startRowApi(0, 0, { alarms: sends(page(seen)) });
  const now = await startRowApi(0, 0, { alarms: sends(page(rows)) });
  const streams = discovered(await bed.run(['discover'], { config: before.config }));
  const catalog = { streams: streams.map((stream) => ({ stream, sync_mode: 'full_refresh' })) };
  const run = await bed.run(['read'], { config: now.config, catalog });
  await Promise.all([before.close(), now.close()]);
  expect(run.code).toBe(0);
  expect(recordTexts(run, 'alarms')).toStrictEqual(rows);
  const [first = '', last = ''] = logs(run, 'WARN').filter((line) => line.includes('warehouses'));
  for (const warning of [first, last]) {
    expect(warning).toContain('"axles" is declared as integer but holds a fraction or exponent');
    expect(warning).toContain('"createdDate" is declared as date-time but holds a string that is not a time');
    expect(warning).toContain('"note" is not declared');
    expect(warning).toContain('row 4 has an unpaired surrogate in "mark"');
    expect(warning).not.toContain('canary');
  }
  expect(last).toContain('set "sample_rows" to 1000 or more, discover the schema again');
  const texts = run.messages.map((message) => (message.type === 'LOG' ? message.log.message : message.type));
  expect(texts.indexOf(first)).toBeLessThan(texts.indexOf('RECORD'));
});
