import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRows, exact, truthTexts } from '../../support/compare-rows.ts';
import type { Run } from '../../support/run-connector.ts';
import { recordTexts, rowSet, stateArray, states, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const incremental = catalogOf({ alarms: 'incremental' });

const alarmsWorld = (alarms: number): Promise<TestWorld> => bed.world({ assets: 0, alarms });
const read = (world: TestWorld, before: Run | undefined): Promise<Run> =>
  world.run(
    'read',
    before === undefined ? { catalog: incremental } : { catalog: incremental, state: before.stdout },
  );

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

describe.concurrent('a second read emits what came after the first, and nothing else', () => {
  test.concurrent.each([0, 1, 26])('%i new alarms', async (count) => {
    const world = await alarmsWorld(40);
    const first = await read(world, undefined);
    expect(rowSet(first, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
    const mark = await world.mark();
    if (count > 0) await world.arrive('alarms', { count });
    const second = await read(world, first);
    expect(second.code).toBe(0);
    expect(statuses(second, 'alarms')).toStrictEqual(['STARTED', 'RUNNING', 'COMPLETE']);
    const arrived = world.groundTruthRows('alarms', { after: mark });
    expect(await compareRows(recordTexts(second, 'alarms'), arrived)).toStrictEqual(exact);
    expect(recordTexts(second, 'alarms')).toHaveLength(count);
  });

  test.concurrent('the old rows are not even asked for again', async () => {
    const world = await alarmsWorld(500);
    const first = await read(world, undefined);
    await world.clearRequests();
    await world.arrive('alarms', { count: 3 });
    await read(world, first);
    const { endpoints, last } = await world.requests();
    expect(endpoints.alarms.rows).toBeLessThan(10);
    expect(
      last.filter(({ endpoint }) => endpoint === 'alarms').every(({ query }) => 'createdSince' in query),
    ).toBe(true);
  });
});

test.concurrent('six reads with arrivals in between: each alarm exactly once over all of them', async () => {
  const world = await alarmsWorld(30);
  const all: string[] = [];
  let last: Run | undefined;
  for (const count of [0, 3, 0, 30, 1, 26]) {
    if (count > 0) await world.arrive('alarms', { count, spacingMs: 0.25 });
    last = await read(world, last);
    expect(last.code).toBe(0);
    all.push(...recordTexts(last, 'alarms'));
  }
  expect(await compareRows(all, world.groundTruthRows('alarms', {}))).toStrictEqual(exact);
});

test.concurrent('alarms that become visible late, within the lookback, are picked up', async () => {
  const world = await alarmsWorld(10);
  await world.arrive('alarms', { count: 20 });
  const first = await read(world, undefined);
  const mark = await world.mark();
  await world.arrive('alarms', { count: 4, createdAt: ago(200) });
  await world.arrive('alarms', { count: 2, createdAt: ago(100) });
  const second = await read(world, first);
  const late = world.groundTruthRows('alarms', { after: mark });
  expect(await compareRows(recordTexts(second, 'alarms'), late)).toStrictEqual(exact);
  const third = await read(world, second);
  expect(recordTexts(third, 'alarms')).toStrictEqual([]);
});

test.concurrent(
  'with lookback_seconds of an hour, what comes half an hour late is picked up too',
  async () => {
    const world = await alarmsWorld(10);
    await world.arrive('alarms', { count: 5 });
    const config = { ...world.config, alarms: { ...world.config.alarms, lookback_seconds: 3600 } };
    const first = await world.run('read', { config, catalog: incremental });
    const mark = await world.mark();
    await world.arrive('alarms', { count: 3, createdAt: ago(1800) });
    const second = await world.run('read', { config, catalog: incremental, state: first.stdout });
    const late = world.groundTruthRows('alarms', { after: mark });
    expect(await compareRows(recordTexts(second, 'alarms'), late)).toStrictEqual(exact);
  },
);

test.concurrent('alarms that arrive while the list is read: once, in this read or the next', async () => {
  const world = await alarmsWorld(200);
  let arrivals = 0;
  const first = await world.run('read', {
    catalog: incremental,
    onLine: async ({ message }) => {
      if (message.type !== 'RECORD' || arrivals === 3) return;
      arrivals += 1;
      await world.arrive('alarms', { count: 5 });
    },
  });
  const second = await read(world, first);
  const both = [...recordTexts(first, 'alarms'), ...recordTexts(second, 'alarms')];
  expect(await compareRows(both, world.groundTruthRows('alarms', {}))).toStrictEqual(exact);
  expect(both).toHaveLength(215);
});

test.concurrent('a state from the future gives no rows and is handed back unchanged', async () => {
  const world = await alarmsWorld(60);
  const future = { created_since: '2200-01-01T00:00:00.000Z', seen: ['AAAAAAAAAAAAAAAA'] };
  const state = [{ type: 'STREAM', stream: { stream_descriptor: { name: 'alarms' }, stream_state: future } }];
  const run = await world.run('read', { catalog: incremental, state });
  expect(run.code).toBe(0);
  expect(recordTexts(run, 'alarms')).toStrictEqual([]);
  expect(stateArray(run)).toStrictEqual(state);
});

const between = (rows: readonly string[], from: string, to: string): string[] =>
  rows.filter((row) => {
    const { createdDate } = JSON.parse(row) as { createdDate: string };
    return createdDate >= from && createdDate <= to;
  });

describe.concurrent('start_date and end_date', () => {
  test.concurrent.each([
    ['only a start', '2025-04-01T00:00:00.000Z', undefined],
    ['only an end', undefined, '2025-04-01T00:00:00.000Z'],
    ['a start and an end', '2025-04-01T00:00:00.000Z', '2025-07-01T00:00:00.000Z'],
    ['a start behind the last alarm', '2026-01-02T00:00:00.000Z', undefined],
    ['an end before the first alarm', undefined, '2024-01-02T00:00:00.000Z'],
  ])('%s', async (_, start, end) => {
    const world = await alarmsWorld(120);
    const range = {
      ...(start === undefined ? {} : { start_date: start }),
      ...(end === undefined ? {} : { end_date: end }),
    };
    const config = { ...world.config, alarms: { ...world.config.alarms, ...range } };
    const run = await world.run('read', { config, catalog: incremental });
    expect(run.code).toBe(0);
    const wanted = between(await truthTexts(world, 'alarms', {}), start ?? '0', end ?? '9');
    expect(recordTexts(run, 'alarms')).toStrictEqual(wanted);
  });

  test.concurrent('rows created exactly at both dates belong to the range, in any zone', async () => {
    const world = await alarmsWorld(120);
    const rows = await truthTexts(world, 'alarms', {});
    const created = rows.map((row) => (JSON.parse(row) as { createdDate: string }).createdDate);
    const [start = '', end = ''] = [created[30], created[60]];
    const shifted = new Date(Date.parse(end) + 7_200_000).toISOString().replace('Z', '+02:00');
    const range = { start_date: start, end_date: shifted };
    const config = { ...world.config, alarms: { ...world.config.alarms, ...range } };
    const run = await world.run('read', { config });
    expect(recordTexts(run, 'alarms')).toStrictEqual(between(rows, start, end));
  });

  test.concurrent('a back-fill up to an end goes on without it where it stopped', async () => {
    const world = await alarmsWorld(120);
    const alarms = { ...world.config.alarms, end_date: '2025-06-01T00:00:00Z' };
    const first = await world.run('read', { config: { ...world.config, alarms }, catalog: incremental });
    const second = await read(world, first);
    const both = [...recordTexts(first, 'alarms'), ...recordTexts(second, 'alarms')];
    expect(recordTexts(first, 'alarms').length).toBeGreaterThan(0);
    expect(await compareRows(both, world.groundTruthRows('alarms', {}))).toStrictEqual(exact);
  });
});

describe.concurrent('in an order that the API does not promise, nothing is lost and nothing doubled', () => {
  test.concurrent.each(['descending', 'shuffled'] as const)('%s', async (alarmsOrder) => {
    const world = await bed.world({ assets: 0, alarms: 90, options: { alarmsOrder } });
    const full = await world.run('read', { catalog: catalogOf({ alarms: 'full_refresh' }) });
    expect(rowSet(full, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
    const first = await read(world, undefined);
    await world.arrive('alarms', { count: 30 });
    const second = await read(world, first);
    const both = [...recordTexts(first, 'alarms'), ...recordTexts(second, 'alarms')];
    expect(await compareRows(both, world.groundTruthRows('alarms', {}))).toStrictEqual(exact);
  });
});

test.concurrent('without any alarm there is a state all the same, and the next read uses it', async () => {
  const world = await alarmsWorld(0);
  const first = await read(world, undefined);
  expect(states(first, 'alarms').length).toBeGreaterThan(0);
  await world.arrive('alarms', { count: 5 });
  const second = await read(world, first);
  expect(rowSet(second, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
});
