import { beforeAll, describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRows, exact, truthTexts } from '../../support/compare-rows.ts';
import type { Content } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, logs, recordTexts, rowSet, stateArray, states } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const incremental = catalogOf({ alarms: 'incremental' });
const last = (run: Run): Record<string, unknown> => states(run, 'alarms').at(-1) ?? {};
const streamState = (run: Run): object => ({
  stream_descriptor: { name: 'alarms' },
  stream_state: last(run),
});
const global = (run: Run): object => ({ type: 'GLOBAL', global: { stream_states: [streamState(run)] } });
const stateMessages = (run: Run): object[] => run.messages.filter(({ type }) => type === 'STATE');
const jsonLines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The output up to some bytes behind the start of its last message of a type: as a process that was killed leaves it. */
function cutIn(run: Run, type: string, bytes: number): Buffer {
  return run.stdout.subarray(0, run.stdout.lastIndexOf(`{"type":"${type}"`) + bytes);
}

describe.concurrent('every form of a state goes on where the first read ended', () => {
  let parts: { world: TestWorld; first: Run; mark: number } | undefined;
  beforeAll(async () => {
    const world = await bed.world({ assets: 3, alarms: 30, options: { tokenLimits: false } });
    const first = await world.run('read', {});
    const mark = await world.mark();
    await world.arrive('alarms', { count: 3 });
    parts = { world, first, mark };
  });

  test.concurrent.each<[string, (first: Run) => Content]>([
    ['the array that a platform hands over', (run) => stateArray(run)],
    ['one STREAM state', (run) => ({ type: 'STREAM', stream: streamState(run) })],
    ['an array of whole STATE messages', (run) => stateMessages(run)],
    ['the saved output', (run) => run.stdout],
    ['the STATE lines of the saved output', (run) => jsonLines(stateMessages(run))],
    ['the saved output with CRLF', (run) => run.stdout.toString().replaceAll('\n', '\r\n')],
    ['GLOBAL', (run) => global(run)],
    ['GLOBAL in an array', (run) => [global(run)]],
    ['LEGACY', (run) => ({ type: 'LEGACY', data: { alarms: last(run) } })],
    ['legacy without a type', (run) => ({ alarms: last(run) })],
    ['the state of the one stream alone', (run) => last(run)],
  ])('%s', async (_, form) => {
    if (parts === undefined) throw new Error('the first read failed');
    const { world, first, mark } = parts;
    const second = await world.run('read', { state: form(first) });
    expect(second.code).toBe(0);
    expect(logs(second, 'WARN')).toStrictEqual([]);
    const arrived = world.groundTruthRows('alarms', { after: mark });
    expect(await compareRows(recordTexts(second, 'alarms'), arrived)).toStrictEqual(exact);
    expect(rowSet(second, 'assets')).toStrictEqual((await world.groundTruth()).assets);
  });

  test.concurrent.each<[string, Content]>([
    ['an empty file', ''],
    ['blank lines', '\n \n'],
    ['[]', []],
    ['{}', {}],
    ['null', 'null'],
  ])('%s is no state: everything is read', async (_, state) => {
    if (parts === undefined) throw new Error('the first read failed');
    const run = await parts.world.run('read', { catalog: incremental, state });
    expect(run.code).toBe(0);
    expect(rowSet(run, 'alarms')).toStrictEqual((await parts.world.groundTruth()).alarms);
  });
});

describe.concurrent('saved outputs', () => {
  test.concurrent('several joined: the last STATE of each stream counts', async () => {
    const world = await bed.world({ assets: 3, alarms: 30 });
    const first = await world.run('read', {});
    await world.arrive('alarms', { count: 3 });
    const second = await world.run('read', { state: first.stdout });
    const mark = await world.mark();
    await world.arrive('alarms', { count: 2 });
    const third = await world.run('read', { state: Buffer.concat([first.stdout, second.stdout]) });
    const arrived = world.groundTruthRows('alarms', { after: mark });
    expect(await compareRows(recordTexts(third, 'alarms'), arrived)).toStrictEqual(exact);
  });

  test.concurrent.each([
    ['its last record', 'RECORD', 200],
    ['its only state', 'STATE', 40],
  ])('cut off in %s: said, and nothing is lost', async (_, type, bytes) => {
    const world = await bed.world({ assets: 0, alarms: 60 });
    const first = await world.run('read', { catalog: incremental });
    const state = cutIn(first, type, bytes);
    const second = await world.run('read', { catalog: incremental, state });
    expect(second.code).toBe(0);
    expect(logs(second, 'WARN').join()).toMatch(/cut off/);
    expect(rowSet(second, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
  });

  test.concurrent('nothing but a state that was cut off: an error, never a silent restart', async () => {
    const world = await bed.world({ assets: 0, alarms: 60 });
    const state = '{"type":"STATE","state":{"type":"STREAM","stream":{"str';
    const run = await world.run('read', { catalog: incremental, state });
    expect(run.code).toBe(1);
    expect(errors(run)).toMatchObject([{ failure_type: 'config_error' }]);
    expect(recordTexts(run, 'alarms')).toStrictEqual([]);
  });

  test.concurrent('cut off where two outputs join: the later states count', async () => {
    const world = await bed.world({ assets: 0, alarms: 30 });
    const first = await world.run('read', {});
    await world.arrive('alarms', { count: 3 });
    const second = await world.run('read', { state: first.stdout });
    const state = Buffer.concat([cutIn(first, 'RECORD', 200), second.stdout]);
    const third = await world.run('read', { state });
    expect(third.code).toBe(0);
    expect(logs(third, 'WARN').join()).toMatch(/cut off/);
    expect(recordTexts(third, 'alarms')).toStrictEqual([]);
  });
});

describe.concurrent('a state written by hand', () => {
  test.concurrent.each(['2025-07-01T00:00:00Z', '2025-07-01T00:00:00.000Z', '2025-07-01T02:00:00+02:00'])(
    'created_since %s: what was created then or later',
    async (created) => {
      const world = await bed.world({ assets: 0, alarms: 120 });
      const run = await world.run('read', { catalog: incremental, state: { created_since: created } });
      expect(run.code).toBe(0);
      const wanted = (await truthTexts(world, 'alarms', {})).filter(
        (row) => (JSON.parse(row) as { createdDate: string }).createdDate >= '2025-07-01',
      );
      expect(recordTexts(run, 'alarms')).toStrictEqual(wanted);
    },
  );

  test.concurrent('the states of other streams are passed over, with a log line', async () => {
    const world = await bed.world({ assets: 3, alarms: 3 });
    const run = await world.run('read', { state: { trips: { cursor: 1 } } });
    expect(run.code).toBe(0);
    expect(logs(run, 'INFO').join('\n')).toMatch(/trips/);
    expect(rowSet(run, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
  });
});
