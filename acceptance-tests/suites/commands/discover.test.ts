import { expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { catalogFaults } from '../conformance/catalog-rules.ts';
import { strictValidator } from '../conformance/record-rules.ts';
import { readStreamSchema } from '../conformance/schema.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, logs, recordTexts } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

/** The discovered streams, which must follow the rules of platforms. */
function catalogIn(run: Run): readonly AirbyteStream[] {
  expect(run.code).toBe(0);
  const streams = discovered(run);
  expect(catalogFaults(streams)).toStrictEqual([]);
  return streams;
}

test.concurrent('sample_rows 0: the bundled schemas, without a request', async () => {
  const world = await bed.world({});
  const { id_field: _left, ...alarms } = world.config.alarms;
  const run = await world.run('discover', { config: { ...world.config, alarms, sample_rows: 0 } });
  expect(catalogIn(run)).toStrictEqual([
    {
      name: 'assets',
      json_schema: readStreamSchema('assets'),
      supported_sync_modes: ['full_refresh'],
      source_defined_cursor: true,
      source_defined_primary_key: [['assetId']],
      is_resumable: true,
    },
    {
      name: 'alarms',
      json_schema: {
        ...readStreamSchema('alarms'),
        properties: { createdDate: expect.any(Object) as object },
      },
      supported_sync_modes: ['full_refresh', 'incremental'],
      source_defined_cursor: true,
      default_cursor_field: ['createdDate'],
      is_resumable: true,
    },
  ]);
  expect((await world.requests()).last).toStrictEqual([]);
});

test.concurrent('without rows: the bundled fields, and those named in the config', async () => {
  const world = await bed.world({ alarms: 0 });
  const { assets: _left, ...config } = world.config;
  const alarms = { ...config.alarms, created_field: 'raisedAt', id_field: 'number' };
  const streams = catalogIn(await world.run('discover', { config: { ...config, alarms } }));
  expect(streams).toMatchObject([
    { name: 'alarms', default_cursor_field: ['raisedAt'], source_defined_primary_key: [['number']] },
  ]);
  const names = [...Object.keys(readStreamSchema('alarms').properties ?? {}), 'number', 'raisedAt'];
  expect(new Set(Object.keys(streams[0]?.json_schema.properties ?? {}))).toStrictEqual(new Set(names));
});

test.concurrent('by default 1,000 rows of each stream are sampled, in few requests', async () => {
  const world = await bed.world({
    assets: 3000,
    alarms: 20_000,
    options: { alarmsMaxPageSize: 100, assetsPagination: { totalCount: 'absent' } },
  });
  const run = await world.run('discover', {});
  const { endpoints } = await world.requests();
  expect(endpoints.assets.rows).toBeGreaterThanOrEqual(1000);
  expect(endpoints.assets.count).toBeLessThan(30);
  expect(endpoints.alarms.rows).toBeGreaterThanOrEqual(1000);
  // it takes some to find the newest row, which is a year old
  expect(endpoints.alarms.count).toBeLessThan(60);
  expect(logs(run, 'INFO')).toStrictEqual([expect.stringMatching(/^requested a token /)]);
  const { properties } = catalogIn(run)[0]?.json_schema ?? {};
  expect(Object.keys(properties ?? {})).toHaveLength(23);
  expect(properties).toMatchObject({
    assetId: { type: ['null', 'string'] },
    odometerKm: { type: ['null', 'number'] },
    deviceSerial: { type: ['null', 'integer'] },
    lastPosition: { type: ['null', 'object'], properties: { latitude: { type: ['null', 'number'] } } },
    createdDate: { format: 'date-time', airbyte_type: 'timestamp_with_timezone' },
  });
});

test.concurrent('inserted and deleted rows do not change a byte of the schema', async () => {
  const options: OptionsPatch = { alarmsMaxPageSize: 200, assetsLimitRefusedAbove: 100 };
  const world = await bed.world({ assets: 2500, alarms: 2500, options });
  const before = catalogIn(await world.run('discover', {}));
  expect((await world.requests()).endpoints.assets.rows).toBeGreaterThanOrEqual(1000);
  await Promise.all([world.insert('assets', { count: 150 }), world.arrive('alarms', { count: 150 })]);
  await world.delete('assets', { count: 150, at: 'random' });
  const after = catalogIn(await world.run('discover', {}));
  expect(JSON.stringify(after)).toBe(JSON.stringify(before));
});

test.concurrent.each<OptionsPatch>([
  { createdFormat: 'nanoseconds' },
  { createdFormat: 'epochSeconds' },
  { createdFormat: 'noZone' },
])('rows match the schema discovered from them, without a warning: %j', async (options) => {
  const world = await bed.world({ assets: 300, alarms: 300, options });
  const streams = catalogIn(await world.run('discover', {}));
  const catalog = { streams: streams.map((stream) => ({ stream, sync_mode: 'full_refresh' })) };
  const run = await world.run('read', { catalog });
  expect(logs(run, 'WARN')).toStrictEqual([]);
  for (const { name, json_schema } of streams) {
    const texts = recordTexts(run, name);
    expect(texts).toHaveLength(300);
    expect(texts.flatMap(strictValidator(json_schema))).toStrictEqual([]);
  }
});
