import { describe, expect, test } from 'vitest';
import { firstOf } from '../../../src/property-runs.test-support.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { truthTexts } from '../../support/compare-rows.ts';
import { fastTime } from '../../support/fast-time.ts';
import type { Content } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, logs, recordTexts, stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

// states between processes; the simulation checks which rows follow from any state
const bed = useTestBed();
const incremental = catalogOf({ assets: 'incremental', alarms: 'incremental' });

test.concurrent('successive reads: all assets each time, each alarm once', async () => {
  const world = await bed.world({ assets: 3, alarms: 0 });
  const runs: Run[] = [];
  for (const count of firstOf(3, [0, 30, 3, 0, 26, 1])) {
    if (count > 0) await world.arrive('alarms', { count, spacingMs: 0.25 });
    await world.clearRequests();
    const run = await world.run('read', { catalog: incremental, state: runs.at(-1)?.stdout });
    runs.push(run);
    expect([run.code, errors(run)]).toStrictEqual([0, []]);
    expect(recordTexts(run, 'alarms')).toHaveLength(count);
    await world.expectExact([run], 'assets', {});
    await world.expectExact(runs, 'alarms', {});
  }
  // these alarms were created just now, and older ones are not requested again
  const { last } = await world.requests();
  const queries = last.flatMap(({ endpoint, query }) => (endpoint === 'alarms' ? [query] : []));
  expect(queries.filter((query) => !('createdSince' in query))).toStrictEqual([]);
});

test.concurrent.each<[what: string, alarms: object, words: RegExp]>(
  firstOf(1, [
    ['a wrong address', { base_url: 'http://127.0.0.1:1/none' }, /ECONNREFUSED/],
    ['an unusable field', { created_field: 'alarmType' }, /alarmType/],
  ]),
)('the output of a read that fails because of %s is the state of the next read', async (_, alarms, words) => {
  const world = await bed.world({ assets: 3, alarms: 30, options: { tokenLimits: false } });
  const first = await world.run('read', {});
  await world.arrive('alarms', { count: 3 });
  const config = world.configWith({ alarms });
  const failed = await world.run('read', { config, state: first.stdout, env: fastTime(50) });
  expect(errors(failed).map(({ message }) => message)).toStrictEqual([expect.stringMatching(words)]);
  const isTemporary = errors(failed)[0]?.failure_type === 'transient_error';
  expect(failed.code).toBe(isTemporary ? 75 : 1);
  const next = await world.run('read', { state: failed.stdout });
  expect([next.code, recordTexts(next, 'alarms').length]).toStrictEqual([0, 3]);
  await world.expectExact([first, next], 'alarms', {});
});

/** A read, some new alarms, and a read that resumed from the first output. */
async function readTwice() {
  const world = await bed.world({ assets: 3, alarms: 30, options: { tokenLimits: false } });
  const first = await world.run('read', {});
  const mark = await world.mark();
  await world.arrive('alarms', { count: 3 });
  return { world, first, mark, second: await world.run('read', { state: first.stdout }) };
}

/** The output of a process that was killed inside its first record, before any state. */
const cut = ({ stdout }: Run): Buffer => stdout.subarray(0, stdout.indexOf('{"type":"RECORD"') + 200);

describe.concurrent('a state in any form that users and platforms have', () => {
  let reads: ReturnType<typeof readTwice> | undefined;
  test.concurrent.each<
    [string, form: (first: Run, second: Run) => Content, 'new' | 'none' | 'all', warns: number]
  >(
    firstOf(2, [
      ['the array of a platform', stateArray, 'new', 0],
      ['a truncated output and another one joined', (a, b) => Buffer.concat([cut(a), b.stdout]), 'none', 1],
      ['an output truncated in a record', cut, 'all', 2],
      ['the saved output', (first) => first.stdout, 'new', 0],
      ['two outputs joined', (first, second) => Buffer.concat([first.stdout, second.stdout]), 'none', 0],
      ['an empty file', () => '', 'all', 0],
    ]),
  )('%s', async (_, form, wanted, warns) => {
    const { world, first, mark, second } = await (reads ??= readTwice());
    const run = await world.run('read', { state: form(first, second) });
    expect(run.code).toBe(0);
    const warnings = [/^state .*: skipped 1 truncated line/, /^state .*: contains no state of a stream/];
    const expected = warnings.slice(0, warns).map((words) => expect.stringMatching(words) as unknown);
    expect(logs(run, 'WARN')).toStrictEqual(expected);
    await world.expectExact([run], 'assets', {});
    if (wanted === 'none') expect(recordTexts(run, 'alarms')).toStrictEqual([]);
    else await world.expectExact([run], 'alarms', wanted === 'new' ? { after: mark } : {});
  });
});

const createdOf = (row: string): string => (JSON.parse(row) as { createdDate: string }).createdDate;

test.concurrent.each(firstOf(1, ['2025-07-01T02:00:00+02:00', '2025-07-01T00:00:00Z']))(
  'a hand-written state, created_since %s: rows created then or later',
  async (created_since) => {
    const world = await bed.world({ assets: 0, alarms: 120 });
    const run = await world.run('read', { catalog: incremental, state: { created_since } });
    expect(run.code).toBe(0);
    const rows = await truthTexts(world, 'alarms', {});
    expect(recordTexts(run, 'alarms')).toStrictEqual(rows.filter((row) => createdOf(row) >= '2025-07-01'));
  },
);

test.concurrent('both dates are inclusive, in any zone; a read without an end continues', async () => {
  const world = await bed.world({ assets: 0, alarms: 120 });
  const rows = await truthTexts(world, 'alarms', {});
  const [start_date = '', end = ''] = [rows[30], rows[60]].map((row) => createdOf(row ?? ''));
  const end_date = new Date(Date.parse(end) + 7_200_000).toISOString().replace('Z', '+02:00');
  const read = (dates: object, before: Run | undefined): Promise<Run> =>
    world.run('read', {
      config: world.configWith({ alarms: dates }),
      catalog: incremental,
      state: before?.stdout,
    });
  const first = await read({ start_date, end_date }, undefined);
  const isIn = (created: string): boolean => created >= start_date && created <= end;
  expect(recordTexts(first, 'alarms')).toStrictEqual(rows.filter((row) => isIn(createdOf(row))));
  const second = await read({ start_date }, first);
  expect(recordTexts(second, 'alarms')).toStrictEqual(rows.slice(61));
});
