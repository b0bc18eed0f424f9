import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { catalogFaults } from '../conformance/catalog-rules.ts';
import { readStreamSchema } from '../conformance/schema.ts';
import { discovered, logs, records } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

function named(streams: readonly AirbyteStream[], name: string): AirbyteStream {
  const stream = streams.find((one) => one.name === name);
  if (stream === undefined) throw new Error(`no stream ${name}`);
  return stream;
}

describe.concurrent('the catalog', () => {
  test.concurrent('names the streams, their modes, keys and cursor', async () => {
    const world = await bed.world({});
    const run = await world.run('discover', {});
    expect(run.code).toBe(0);
    const streams = discovered(run);
    expect(catalogFaults(streams)).toStrictEqual([]);
    expect(streams).toMatchObject([
      {
        name: 'assets',
        supported_sync_modes: ['full_refresh'],
        source_defined_primary_key: [['assetId']],
        is_resumable: true,
      },
      {
        name: 'alarms',
        supported_sync_modes: ['full_refresh', 'incremental'],
        source_defined_cursor: true,
        default_cursor_field: ['createdDate'],
        source_defined_primary_key: [['alarmId']],
      },
    ]);
  });

  test.concurrent('has only what is configured', async () => {
    const world = await bed.world({});
    const { assets: _left, ...config } = world.config;
    const { id_field: _id, ...alarms } = config.alarms;
    const run = await world.run('discover', { config: { ...config, alarms } });
    expect(catalogFaults(discovered(run))).toStrictEqual([]);
    expect(discovered(run).map(({ name }) => name)).toStrictEqual(['alarms']);
    expect(discovered(run)[0]).not.toHaveProperty('source_defined_primary_key');
  });

  test.concurrent('declares created_field and id_field whatever they are called', async () => {
    const world = await bed.world({ alarms: 0 });
    const alarms = { ...world.config.alarms, created_field: 'raisedAt', id_field: 'number' };
    const run = await world.run('discover', { config: { ...world.config, alarms } });
    expect(catalogFaults(discovered(run))).toStrictEqual([]);
    expect(named(discovered(run), 'alarms')).toMatchObject({
      default_cursor_field: ['raisedAt'],
      source_defined_primary_key: [['number']],
    });
  });
});

describe.concurrent('sample_rows', () => {
  test.concurrent('0: the schemas as shipped, and no request at all', async () => {
    const world = await bed.world({});
    const { id_field: _left, ...alarms } = world.config.alarms;
    const run = await world.run('discover', { config: { ...world.config, alarms, sample_rows: 0 } });
    expect(catalogFaults(discovered(run))).toStrictEqual([]);
    for (const name of ['assets', 'alarms'] as const)
      expect(named(discovered(run), name).json_schema).toEqual(readStreamSchema(name));
    const { endpoints } = await world.requests();
    expect([endpoints.token.count, endpoints.assets.count, endpoints.alarms.count]).toStrictEqual([0, 0, 0]);
  });

  test.concurrent('by default about 1,000 rows of each stream are looked at, in few requests', async () => {
    const world = await bed.world({
      assets: 3000,
      alarms: 100_000,
      options: { alarmsMaxPageSize: 100, assetsPagination: { totalCount: 'absent' } },
    });
    const run = await world.run('discover', {});
    const { endpoints } = await world.requests();
    expect(endpoints.assets.rows).toBeGreaterThanOrEqual(1000);
    expect(endpoints.assets.count).toBeLessThan(30);
    expect(endpoints.alarms.rows).toBeGreaterThanOrEqual(1000);
    // the newest is a year old, which takes some to find
    expect(endpoints.alarms.count).toBeLessThan(60);
    expect(logs(run, 'INFO')).toStrictEqual([]);
    const { properties } = named(discovered(run), 'assets').json_schema;
    expect(Object.keys(properties)).toHaveLength(23);
    expect(properties).toMatchObject({
      assetId: { type: ['null', 'string'] },
      odometerKm: { type: ['null', 'number'] },
      deviceSerial: { type: ['null', 'integer'] },
      lastPosition: { type: ['null', 'object'], properties: { latitude: { type: ['null', 'number'] } } },
      createdDate: { format: 'date-time', airbyte_type: 'timestamp_with_timezone' },
    });
  });

  test.concurrent('no alarm before the start date is asked for or looked at', async () => {
    const world = await bed.world({ assets: 0, alarms: 2000, options: { alarmsMaxPageSize: 100 } });
    const start_date = '2025-12-30T00:00:00Z';
    const alarms = { ...world.config.alarms, start_date };
    const run = await world.run('discover', { config: { ...world.config, alarms } });
    expect(run.code).toBe(0);
    const asked = (await world.requests()).last.filter(({ endpoint }) => endpoint === 'alarms');
    expect(asked.length).toBeGreaterThan(0);
    for (const { query } of asked)
      expect(Date.parse(query['createdSince'] ?? '')).toBeGreaterThanOrEqual(Date.parse(start_date));
  });

  test.concurrent('while rows come and go, the schema stays byte for byte as it was', async () => {
    const world = await bed.world({ assets: 2500, alarms: 2500, options: { alarmsMaxPageSize: 200 } });
    const before = discovered(await world.run('discover', {}));
    await Promise.all([world.insert('assets', { count: 150 }), world.arrive('alarms', { count: 150 })]);
    await world.delete('assets', { count: 150, at: 'random' });
    expect(JSON.stringify(discovered(await world.run('discover', {})))).toBe(JSON.stringify(before));
  });

  test.concurrent('where the newest alarms cannot be had, the oldest serve, and a line says so', async () => {
    const world = await bed.world({
      assets: 0,
      alarms: 2000,
      options: { alarmsMaxPageSize: 100, alarmsCreatedMissingEvery: 1 },
    });
    const run = await world.run('discover', {});
    expect(logs(run, 'INFO')).toStrictEqual([
      'alarms: only the first rows of the list are looked at, not the newest: no created time can be read',
    ]);
    expect((await world.requests()).endpoints.alarms.rows).toBe(1000);
  });

  test.concurrent.each<[string, OptionsPatch]>([
    ['caps the page silently', { assetsLimitCap: 30 }],
    ['refuses great pages', { assetsLimitRefusedAbove: 30 }],
  ])('a server that %s is asked for more pages, until the sample is there', async (_, options) => {
    const world = await bed.world({ assets: 1000, alarms: 0, options });
    const run = await world.run('discover', {});
    expect(run.code).toBe(0);
    expect((await world.requests()).endpoints.assets.rows).toBeGreaterThanOrEqual(200);
  });

  test.concurrent('a list without rows has its schema as shipped', async () => {
    const world = await bed.world({ assets: 0, alarms: 0 });
    const run = await world.run('discover', {});
    expect(catalogFaults(discovered(run))).toStrictEqual([]);
    expect(Object.keys(named(discovered(run), 'assets').json_schema.properties)).toStrictEqual([
      'assetId',
      'vin',
    ]);
  });
});

describe.concurrent('every row of a read validates against the discovered schema, formats on', () => {
  test.concurrent.each<[string, OptionsPatch]>([
    ['by default', {}],
    ['times in nanoseconds', { createdFormat: 'nanoseconds' }],
    ['times as epoch seconds', { createdFormat: 'epochSeconds' }],
    ['times without a zone', { createdFormat: 'noZone' }],
    ['alarms without a created date', { alarmsCreatedMissingEvery: 3 }],
  ])('%s', async (_, options) => {
    const world = await bed.world({ assets: 300, alarms: 300, options });
    const streams = discovered(await world.run('discover', {}));
    expect(catalogFaults(streams)).toStrictEqual([]);
    const run = await world.run('read', {});
    for (const name of ['assets', 'alarms'] as const) {
      const ajv = new Ajv({ strict: false, allErrors: true });
      formats.default(ajv);
      const validate = ajv.compile(named(streams, name).json_schema);
      for (const row of records(run, name)) expect(validate(row) ? [] : validate.errors).toStrictEqual([]);
      expect(records(run, name)).toHaveLength(300);
    }
  });
});
