import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRuns, exact, truthTexts } from '../../support/compare-rows.ts';
import type { Content } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, logs, recordTexts, stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

// State between processes. Which rows a read owes after which state the simulation tells, for all that may happen.
const bed = useTestBed();
const incremental = catalogOf({ assets: 'incremental', alarms: 'incremental' });
const fullRefresh = catalogOf({ alarms: 'full_refresh' });

/** The output up to some bytes behind the start of its last message of a type: as a process that was killed leaves it. */
function cutIn(run: Run, type: string, bytes: number): Buffer {
  return run.stdout.subarray(0, run.stdout.lastIndexOf(`{"type":"${type}"`) + bytes);
}

test.concurrent('read after read: each asset in each of them, each alarm once in all', async () => {
  const world = await bed.world({ assets: 3, alarms: 0 });
  const runs: Run[] = [];
  for (const count of [0, 30, 3, 0, 26, 1]) {
    if (count > 0) await world.arrive('alarms', { count, spacingMs: 0.25 });
    await world.clearRequests();
    const run = await world.run('read', { catalog: incremental, state: runs.at(-1)?.stdout });
    runs.push(run);
    expect([run.code, errors(run)]).toStrictEqual([0, []]);
    expect(recordTexts(run, 'alarms')).toHaveLength(count);
    expect(await compareRuns([run], world, 'assets', {})).toStrictEqual(exact);
    expect(await compareRuns(runs, world, 'alarms', {})).toStrictEqual(exact);
  }
  // the alarms of all these minutes were created just now; what is older is not asked for again
  const { last } = await world.requests();
  const queries = last.flatMap(({ endpoint, query }) => (endpoint === 'alarms' ? [query] : []));
  expect(queries.filter((query) => !('createdSince' in query))).toStrictEqual([]);
});

test.concurrent('alarms that arrive while the list is read: once, in this read or the next', async () => {
  const world = await bed.world({ assets: 0, alarms: 200 });
  let arrivals = 0;
  const first = await world.run('read', {
    catalog: incremental,
    onLine: async ({ message }) => {
      if (message.type !== 'RECORD' || arrivals === 3) return;
      arrivals += 1;
      await world.arrive('alarms', { count: 5 });
    },
  });
  const second = await world.run('read', { catalog: incremental, state: first.stdout });
  expect(await compareRuns([first, second], world, 'alarms', {})).toStrictEqual(exact);
  const asked = (await world.requests()).endpoints.alarms.rows;
  expect(asked).toBeLessThan(215 + 25);
});

/** A read, some new alarms, and a read that went on from the first one's output. */
async function readTwice() {
  const world = await bed.world({ assets: 3, alarms: 30, options: { tokenLimits: false } });
  const first = await world.run('read', {});
  const mark = await world.mark();
  await world.arrive('alarms', { count: 3 });
  return { world, first, mark, second: await world.run('read', { state: first.stdout }) };
}

describe.concurrent('a state in any of the forms that people and platforms have', () => {
  let reads: ReturnType<typeof readTwice> | undefined;

  const cut = /^state .*: skipped what was cut off/;
  test.concurrent.each<
    [string, (first: Run, second: Run) => Content, wanted: 'new' | 'none' | 'all', RegExp?]
  >([
    ['the array that a platform hands over', (first) => stateArray(first), 'new'],
    ['the saved output', (first) => first.stdout, 'new'],
    ['it with CRLF', (first) => first.stdout.toString().replaceAll('\n', '\r\n'), 'new'],
    ['two outputs joined', (first, second) => Buffer.concat([first.stdout, second.stdout]), 'none'],
    ['an output cut off in a record', (first) => cutIn(first, 'RECORD', 200), 'all', cut],
    [
      'a cut one, and one joined to it',
      (a, b) => Buffer.concat([cutIn(a, 'RECORD', 200), b.stdout]),
      'none',
      cut,
    ],
    ['an empty file', () => '', 'all'],
    ['null', () => 'null', 'all'],
  ])('%s', async (_, form, wanted, warning) => {
    const { world, first, mark, second } = await (reads ??= readTwice());
    const run = await world.run('read', { state: form(first, second) });
    expect(run.code).toBe(0);
    expect(logs(run, 'WARN')).toStrictEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
    expect(await compareRuns([run], world, 'assets', {})).toStrictEqual(exact);
    if (wanted === 'none') expect(recordTexts(run, 'alarms')).toStrictEqual([]);
    else {
      const selection = wanted === 'new' ? { after: mark } : {};
      expect(await compareRuns([run], world, 'alarms', selection)).toStrictEqual(exact);
    }
  });

  test.concurrent('none of them counts for a full refresh', async () => {
    const { world, second } = await (reads ??= readTwice());
    const run = await world.run('read', { catalog: fullRefresh, state: second.stdout });
    expect(await compareRuns([run], world, 'alarms', {})).toStrictEqual(exact);
  });
});

/** The texts of the alarms that were created in a range, both ends included. */
async function createdIn(world: TestWorld, from: string, to: string): Promise<string[]> {
  return (await truthTexts(world, 'alarms', {})).filter((row) => {
    const { createdDate } = JSON.parse(row) as { createdDate: string };
    return createdDate >= from && createdDate <= to;
  });
}

test.concurrent.each(['2025-07-01T00:00:00Z', '2025-07-01T02:00:00+02:00'])(
  'a state written by hand, created_since %s: what was created then or later',
  async (created) => {
    const world = await bed.world({ assets: 0, alarms: 120 });
    const run = await world.run('read', { catalog: incremental, state: { created_since: created } });
    expect(run.code).toBe(0);
    expect(recordTexts(run, 'alarms')).toStrictEqual(await createdIn(world, '2025-07-01', '9'));
  },
);

test.concurrent(
  'start_date and end_date, in any zone, take in what was created at them; without an end the next read goes on',
  async () => {
    const world = await bed.world({ assets: 0, alarms: 120 });
    const rows = await truthTexts(world, 'alarms', {});
    const created = rows.map((row) => (JSON.parse(row) as { createdDate: string }).createdDate);
    const [start_date = '', end = ''] = [created[30], created[60]];
    const end_date = new Date(Date.parse(end) + 7_200_000).toISOString().replace('Z', '+02:00');
    const read = (dates: object, before: Run | undefined): Promise<Run> =>
      world.run('read', {
        config: { ...world.config, alarms: { ...world.config.alarms, ...dates } },
        catalog: incremental,
        state: before?.stdout,
      });
    const first = await read({ start_date, end_date }, undefined);
    expect(recordTexts(first, 'alarms')).toStrictEqual(await createdIn(world, start_date, end));
    const second = await read({ start_date }, first);
    expect(recordTexts(second, 'alarms')).toStrictEqual(rows.slice(61));
  },
);
