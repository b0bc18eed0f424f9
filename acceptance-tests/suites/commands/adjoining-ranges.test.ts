import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRuns, exact } from '../../support/compare-rows.ts';
import type { Run } from '../../support/run-connector.ts';
import { recordTexts, stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const alarmsOnly = catalogOf({ alarms: 'incremental' });

/** Where ranges meet. Rows stand before, on and behind each of them, many at the same time. */
const borders = ['2025-03-01T00:00:00Z', '2025-07-01T12:30:00Z', '2025-10-15T23:59:59Z'] as const;

/** A start is included and an end too, so a range ends one nanosecond before the next one starts. */
const ends = [
  '2025-02-28T23:59:59.999999999Z',
  '2025-07-01T12:29:59.999999999Z',
  '2025-10-15T23:59:58.999999999Z',
];

/** The `start_date` and `end_date` of each process: nothing between two ranges, and no end behind the last one. */
const ranges = [undefined, ...borders].map((start, index) => ({
  ...(start === undefined ? {} : { start_date: start }),
  ...(ends[index] === undefined ? {} : { end_date: ends[index] }),
}));

/** A year of alarms, and around each border some at the very same times. */
async function crowdedWorld(options: OptionsPatch): Promise<TestWorld> {
  const world = await bed.world({ assets: 0, alarms: 300, options });
  for (const border of borders)
    for (const nanoseconds of [-1_000_000_000, -1_000_000, 0, 1_000_000, 1_000_000_000]) {
      const createdAt = new Date(Date.parse(border) + nanoseconds / 1e6).toISOString();
      await world.arrive('alarms', { count: 7, createdAt, spacingMs: 0 });
    }
  return world;
}

/** Reads every range in a process of its own, all at the same time. */
async function readRanges(world: TestWorld, settings: object, before: readonly Run[]): Promise<Run[]> {
  const read = async (range: object, index: number): Promise<Run> => {
    const earlier = before[index];
    const run = await world.run('read', {
      config: { ...world.config, alarms: { ...world.config.alarms, ...settings, ...range } },
      catalog: alarmsOnly,
      state: earlier === undefined ? undefined : stateArray(earlier),
    });
    expect(run.code).toBe(0);
    return run;
  };
  return Promise.all(ranges.map(read));
}

describe('processes with adjoining ranges emit each alarm once between them', () => {
  test.concurrent.each<[string, OptionsPatch, { readonly parallel_chains?: number }]>([
    ['as the API is by default', {}, {}],
    ['a bound that leaves out what is equal', { alarmsBound: 'exclusive' }, {}],
    [
      'a bound that is cut down to the second',
      { alarmsBound: 'exclusive', alarmsBoundPrecision: 'second' },
      {},
    ],
    ['times in nanoseconds', { createdFormat: 'nanoseconds', alarmsBound: 'exclusive' }, {}],
    ['times as a number of milliseconds', { createdFormat: 'epochMilliseconds' }, {}],
    ['a list in no order', { alarmsOrder: 'shuffled', alarmsBoundPrecision: 'minute' }, {}],
    ['several chains in each process', { createdFormat: 'offset' }, { parallel_chains: 4 }],
  ])('%s; and from their states only the range without an end goes on', async (_, options, settings) => {
    const world = await crowdedWorld(options);
    const first = await readRanges(world, settings, []);
    expect(first.every((run) => recordTexts(run, 'alarms').length > 0)).toBe(true);
    expect(await compareRuns(first, world, 'alarms', {})).toStrictEqual(exact);
    const mark = await world.mark();
    await world.arrive('alarms', { count: 30 });
    const second = await readRanges(world, settings, first);
    expect(second.slice(0, -1).flatMap((run) => recordTexts(run, 'alarms'))).toStrictEqual([]);
    expect(await compareRuns(second, world, 'alarms', { after: mark })).toStrictEqual(exact);
  });

  test('a range that ends at the very time where the next one starts shares the alarms of that time', async () => {
    const world = await crowdedWorld({});
    const [border] = borders;
    const read = (range: object): Promise<Run> =>
      world.run('read', {
        config: { ...world.config, alarms: { ...world.config.alarms, ...range } },
        catalog: alarmsOnly,
      });
    const runs = [await read({ end_date: border }), await read({ start_date: border })];
    expect(await compareRuns(runs, world, 'alarms', {})).toMatchObject({
      ...exact,
      doubled: 7,
      examples: expect.any(Array),
    });
  });

  test('alarms without a readable time belong to no range: none is lost, and some come more than once', async () => {
    const world = await crowdedWorld({ alarmsCreatedMissingEvery: 20 });
    const runs = await readRanges(world, {}, []);
    const found = await compareRuns(runs, world, 'alarms', {});
    expect(found).toMatchObject({ lost: 0, strange: 0 });
    expect(found.doubled).toBeGreaterThan(0);
  });

  test('a process reads hardly more than its own range', async () => {
    const world = await bed.world({ assets: 0, alarms: 4000 });
    const runs = await readRanges(world, {}, []);
    expect(await compareRuns(runs, world, 'alarms', {})).toStrictEqual(exact);
    const { endpoints } = await world.requests();
    // for each border: what is left of the page that it lies on, one whole page, and one asked for ahead
    expect(endpoints.alarms.rows).toBeLessThan(4000 + borders.length * 3 * 25);
  });
});
