import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRows, exact } from '../../support/compare-rows.ts';
import {
  emissionTimes,
  errors,
  estimates,
  recordTexts,
  records,
  rowSet,
  states,
  statuses,
} from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();
const complete = { __ab_full_refresh_sync_complete: true };

describe.concurrent('without a catalog every row of both streams leaves exactly once', () => {
  // the alarms' page is 25 rows, the assets' one is set to 10
  test.concurrent.each([
    [0, 0],
    [1, 1],
    [9, 24],
    [10, 25],
    [11, 26],
    [20, 50],
    [21, 51],
    [100, 0],
    [0, 100],
    [101, 126],
  ])('%i assets in pages of 10, %i alarms in pages of 25', async (assets, alarms) => {
    const world = await bed.world({ assets, alarms, seed: assets + 7 });
    const config = { ...world.config, assets: { ...world.config.assets, page_size: 10 } };
    const run = await world.run('read', { config });
    expect(run.code).toBe(0);
    expect(await compareRows(recordTexts(run, 'assets'), world.groundTruthRows('assets', {}))).toStrictEqual(
      exact,
    );
    expect(await compareRows(recordTexts(run, 'alarms'), world.groundTruthRows('alarms', {}))).toStrictEqual(
      exact,
    );
    const truth = await world.groundTruth();
    expect(rowSet(run, 'assets')).toStrictEqual(truth.assets);
    expect(rowSet(run, 'alarms')).toStrictEqual(truth.alarms);
    expect(states(run, 'assets').at(-1)).toStrictEqual(complete);
    expect(states(run, 'alarms').length).toBeGreaterThan(0);
    for (const stream of ['assets', 'alarms'] as const)
      expect(statuses(run, stream)).toStrictEqual(['STARTED', 'RUNNING', 'COMPLETE']);
  });
});

test.concurrent('page sizes: any size that the config allows gives the same rows', async () => {
  const world = await bed.world({ assets: 53, alarms: 53, options: { alarmsMaxPageSize: 1000 } });
  const truth = await world.groundTruth();
  for (const size of [2, 53, 10_000]) {
    const { assets, alarms } = world.config;
    const sized = {
      ...world.config,
      assets: { ...assets, page_size: size },
      alarms: { ...alarms, page_size: size },
    };
    const run = await world.run('read', { config: sized });
    expect(rowSet(run, 'assets')).toStrictEqual(truth.assets);
    expect(rowSet(run, 'alarms')).toStrictEqual(truth.alarms);
  }
});

describe.concurrent('the address of a list', () => {
  test.concurrent.each(['/', '///'])('may have a path of its own and %s at its end', async (end) => {
    const world = await bed.world({ assets: 5, alarms: 5 });
    const { assets, alarms } = world.config;
    const config = {
      ...world.config,
      assets: { ...assets, base_url: assets.base_url + end },
      alarms: { ...alarms, base_url: alarms.base_url + end },
    };
    const run = await world.run('read', { config });
    expect(run.code).toBe(0);
    expect(rowSet(run, 'assets').count).toBe(5);
    const paths = (await world.requests()).last.map(({ path }) => path);
    expect(new Set(paths)).toStrictEqual(
      new Set([
        `/w/${world.id}/auth/token`,
        `/w/${world.id}/asset-api/v1/assets`,
        `/w/${world.id}/alarm-api/v1/alarms`,
      ]),
    );
  });
});

describe.concurrent('only what is asked for is read', () => {
  test.concurrent.each([
    ['assets', 'alarms'],
    ['alarms', 'assets'],
  ] as const)('a config with %s alone knows no %s', async (stream, other) => {
    const world = await bed.world({ assets: 30, alarms: 30 });
    const { [other]: _left, ...config } = world.config;
    const run = await world.run('read', { config });
    expect(run.code).toBe(0);
    expect(rowSet(run, stream)).toStrictEqual((await world.groundTruth())[stream]);
    expect(statuses(run, other)).toStrictEqual([]);
    expect((await world.requests()).endpoints[other].count).toBe(0);
  });

  test.concurrent.each([
    ['assets', 'alarms'],
    ['alarms', 'assets'],
  ] as const)('a catalog with %s alone asks for no %s', async (stream, other) => {
    const world = await bed.world({ assets: 30, alarms: 30 });
    const run = await world.run('read', { catalog: catalogOf({ [stream]: 'full_refresh' }) });
    expect(run.code).toBe(0);
    expect(rowSet(run, stream)).toStrictEqual((await world.groundTruth())[stream]);
    expect(statuses(run, other)).toStrictEqual([]);
    expect((await world.requests()).endpoints[other].count).toBe(0);
  });

  test.concurrent('a catalog without streams reads nothing and is no failure', async () => {
    const world = await bed.world({});
    const run = await world.run('read', { catalog: { streams: [] } });
    expect(run.code).toBe(0);
    const { endpoints } = await world.requests();
    expect([endpoints.token.count, endpoints.assets.count, endpoints.alarms.count]).toStrictEqual([0, 0, 0]);
  });

  test.concurrent('full_refresh on alarms reads everything again, whatever the state says', async () => {
    const world = await bed.world({ assets: 0, alarms: 60 });
    const first = await world.run('read', {});
    const again = await world.run('read', {
      catalog: catalogOf({ alarms: 'full_refresh' }),
      state: first.stdout,
    });
    expect(again.code).toBe(0);
    expect(rowSet(again, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
  });

  test.concurrent('incremental on assets is accepted, and read in full', async () => {
    const world = await bed.world({ assets: 40, alarms: 0 });
    const catalog = catalogOf({ assets: 'incremental' });
    const first = await world.run('read', { catalog });
    const second = await world.run('read', { catalog, state: first.stdout });
    for (const run of [first, second]) {
      expect(errors(run)).toStrictEqual([]);
      expect(rowSet(run, 'assets')).toStrictEqual((await world.groundTruth()).assets);
    }
  });
});

test.concurrent('both streams together keep to one process: the records say so', async () => {
  const world = await bed.world({ assets: 75, alarms: 75 });
  const first = await world.run('read', {});
  const second = await world.run('read', {});
  expect(estimates(first)).toStrictEqual([{ name: 'assets', type: 'STREAM', row_estimate: 75 }]);
  // emitted_at is the clock's time at emission, so two reads do not overlap
  expect(Math.max(...emissionTimes(first))).toBeLessThan(Math.min(...emissionTimes(second)));
  expect(records(first, 'assets').every(({ assetId }) => typeof assetId === 'string')).toBe(true);
});
