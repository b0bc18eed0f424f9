import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { compareRows, exact } from '../../support/compare-rows.ts';
import { estimates, logs, recordTexts } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const members = ['offset', 'limit', 'previousOffset', 'nextOffset', 'currentPage', 'pageCount', 'totalCount'];

function everyMember(value: 'absent' | 'null' | 'minusOne'): OptionsPatch {
  return { assetsPagination: Object.fromEntries(members.map((name) => [name, value])) };
}

function configOf(world: TestWorld, pageSize: number, concurrency: number): object {
  const { alarms: _left, assets, ...config } = world.config;
  return { ...config, concurrency, assets: { ...assets, page_size: pageSize } };
}

describe.concurrent('every row exactly once, whatever the API leaves open', () => {
  test.concurrent.each<[string, OptionsPatch]>([
    ['no member of the pagination object', everyMember('absent')],
    ['every member null', everyMember('null')],
    ['every member -1', everyMember('minusOne')],
    ['a limit that is not the one asked for', { assetsPagination: { limit: 'wrong' } }],
    [
      'wrong neighbours and page numbers',
      {
        assetsPagination: {
          previousOffset: 'wrong',
          nextOffset: 'wrong',
          currentPage: 'wrong',
          pageCount: 'wrong',
        },
      },
    ],
    ['a totalCount that is half of it', { assetsPagination: { totalCount: 'wrong' } }],
    ['a totalCount that is one too small', { assetsPagination: { totalCount: { plus: -1 } } }],
    ['a totalCount that is one too great', { assetsPagination: { totalCount: { plus: 1 } } }],
    ['a totalCount that is far too great', { assetsPagination: { totalCount: { plus: 500 } } }],
    ['no totalCount', { assetsPagination: { totalCount: 'absent' } }],
    ['a silent cap of two', { assetsLimitCap: 2 }],
    ['a limit that is refused with 422', { assetsLimitRefusedAbove: 10, errorStatus: { badRequest: 422 } }],
    ['a refused limit and a cap below it', { assetsLimitRefusedAbove: 25, assetsLimitCap: 11 }],
    ['some short pages', { assetsShortPages: 0.4 }],
    [
      'short pages only, without totalCount',
      { assetsShortPages: 1, assetsPagination: { totalCount: 'absent' } },
    ],
    ['short pages and a cap', { assetsShortPages: 0.5, assetsLimitCap: 9 }],
    ['other members, some of the same name', { envelopeExtra: true, memberOrder: 'metadataFirst' }],
    ['pretty-printed', { prettyPrint: true, envelopeExtra: true }],
    ['no Date header, unknown parameters refused', { dateHeader: 'absent', unknownParameters: 'refused' }],
  ])('%s', async (_, options) => {
    const world = await bed.world({ assets: 83, alarms: 0, options });
    const run = await world.run('read', { config: configOf(world, 20, 4) });
    expect(run.code).toBe(0);
    expect(await compareRows(recordTexts(run, 'assets'), world.groundTruthRows('assets', {}))).toStrictEqual(
      exact,
    );
  });

  test.concurrent.each([1, 32])('%i pages in flight at most', async (concurrency) => {
    const world = await bed.world({ assets: 150, alarms: 0, options: { latencyMs: 5 } });
    const run = await world.run('read', { config: configOf(world, 10, concurrency) });
    expect(run.code).toBe(0);
    expect(await compareRows(recordTexts(run, 'assets'), world.groundTruthRows('assets', {}))).toStrictEqual(
      exact,
    );
    expect((await world.requests()).endpoints.assets.maxInFlight).toBeLessThanOrEqual(concurrency);
  });
});

describe.concurrent('what cannot be right is said', () => {
  test.concurrent('a totalCount that no read can reach: a WARN with both numbers', async () => {
    const world = await bed.world({
      assets: 40,
      alarms: 0,
      options: { assetsPagination: { totalCount: { plus: 3 } } },
    });
    const run = await world.run('read', { config: configOf(world, 20, 4) });
    expect(run.code).toBe(0);
    expect(logs(run, 'WARN').join()).toMatch(/43.*40/);
  });

  test.concurrent('without a totalCount nothing is estimated', async () => {
    const world = await bed.world({
      assets: 40,
      alarms: 0,
      options: { assetsPagination: { totalCount: 'absent' } },
    });
    const run = await world.run('read', { config: configOf(world, 20, 4) });
    expect(estimates(run)).toStrictEqual([]);
  });
});

describe.concurrent('the list moves while it is read', () => {
  test.concurrent.each([1, 4])(
    'what exists throughout is there exactly once, %i pages at once',
    async (pages) => {
      const world = await bed.world({ assets: 400, alarms: 0, options: { assetsLimitCap: 20 } });
      const mark = await world.mark();
      let changes = 0;
      const run = await world.run('read', {
        config: configOf(world, 20, pages),
        onLine: async ({ message }) => {
          if (message.type !== 'RECORD' || changes === 12) return;
          changes += 1;
          await world.insert('assets', { count: 1 + (changes % 5) });
          await world.delete('assets', { count: 4, at: 'random' });
          await world.delete('assets', { count: 2, at: 'head' });
        },
      });
      expect(run.code).toBe(0);
      const rows = recordTexts(run, 'assets');
      const throughout = await compareRows(rows, world.groundTruthRows('assets', { since: mark }));
      expect({ lost: throughout.lost, doubled: throughout.doubled }).toStrictEqual({ lost: 0, doubled: 0 });
      // nothing but rows that lived at some time during the read
      expect((await compareRows(rows, world.groundTruthRows('assets', { lived: mark }))).strange).toBe(0);
    },
  );

  test.concurrent('rows of equal created time that swap: all of them in the end', async () => {
    const world = await bed.world({ assets: 120, alarms: 0, options: { assetsOrder: 'shuffleTies' } });
    const run = await world.run('read', { config: configOf(world, 10, 4) });
    expect(run.code).toBe(0);
    expect(await compareRows(recordTexts(run, 'assets'), world.groundTruthRows('assets', {}))).toStrictEqual(
      exact,
    );
  });
});
