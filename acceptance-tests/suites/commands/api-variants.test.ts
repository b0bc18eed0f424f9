import { expect, test } from 'vitest';
import type { Arrival, OptionsPatch } from '../../sandbox/client.ts';
import { OFFSET_MEMBERS } from '../../model/offset-answer.ts';
import type { Run } from '../../support/run-connector.ts';
import { fastTime } from '../../support/fast-time.ts';
import { errors, estimates, logs, states, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

// What the API leaves open on the wire; the simulation combines the variants of rows, pages, cursors and times
const bed = useTestBed();

const members = (
  value: 'absent' | 'null' | 'minusOne' | 'wrong',
  names: readonly string[],
): OptionsPatch => ({ assetsPagination: Object.fromEntries(names.map((name) => [name, value])) });
const extra: OptionsPatch = { envelopeExtra: true, memberOrder: 'metadataFirst' };
const onePage: OptionsPatch = { alarmsEnd: 'null', alarmsMaxPageSize: 1000, prettyPrint: true };
const refused: OptionsPatch = { assetsLimitRefusedAbove: 25, errorStatus: { badRequest: 422 } };
const untold: OptionsPatch = { alarmsOrder: 'shuffled', alarmsCreatedMissingEvery: 4 };

/** Each combines a variant of each list with a format of times. */
const variants: readonly OptionsPatch[] = [
  { ...members('absent', OFFSET_MEMBERS), alarmsEnd: 'absent', ...extra, alarmsBoundPrecision: 'second' },
  { ...members('null', OFFSET_MEMBERS), ...onePage, createdFormat: 'epochSeconds' },
  { ...members('minusOne', OFFSET_MEMBERS), alarmsCursorSince: 'request', createdFormat: 'nanoseconds' },
  { ...members('wrong', OFFSET_MEMBERS.slice(1)), alarmsCursorSince: 'cursor', unknownParameters: 'refused' },
  {
    ...refused,
    assetsLimitCap: 11,
    alarmsEmptyPages: 0.5,
    createdFormat: 'noZone',
    alarmsBound: 'exclusive',
  },
  { assetsOrder: 'shuffleTies', ...untold, createdFormat: 'epochMilliseconds', alarmsBound: 'exclusive' },
];

/** Later alarms with the created time of the newest earlier ones, or in its second: the question is below it. */
const ties: Arrival[] = [
  { count: 5, createdAt: '2026-01-05T10:00:30.000Z', spacingMs: 0 },
  { count: 24, createdAt: '2026-01-05T10:00:30.000Z', spacingMs: 0.3 },
];
/** All are created now: the question is later, by the server's clock. */
const recent: Arrival[] = [
  { count: 30, spacingMs: 0.3 },
  { count: 30, spacingMs: 0.3 },
];

test.concurrent.each<[OptionsPatch, Arrival[]]>([
  // the server accepts only the format of the rows
  ...variants.map((options): [OptionsPatch, Arrival[]] => [{ ...options, createdSinceStrict: true }, ties]),
  [{ dateHeader: 7200 }, recent],
  [{ dateHeader: 'absent' }, recent],
])('two reads, every row exactly once: %j', async (options, arrivals) => {
  const world = await bed.world({ assets: 83, alarms: 55, options });
  const config = world.configWith({ assets: { page_size: 20 } });
  const runs: Run[] = [];
  for (const arrival of arrivals) {
    await world.arrive('alarms', arrival);
    // resumes from the previous output: all assets each time, each alarm once
    const run = await world.run('read', { config, state: runs.at(-1)?.stdout });
    runs.push(run);
    expect(run.code).toBe(0);
    await world.expectExact([run], 'assets', {});
    await world.expectExact(runs, 'alarms', {});
  }
});

const wrongTotal: OptionsPatch = { assetsPagination: { totalCount: { plus: 3 } } };
const noTotal: OptionsPatch = { assetsPagination: { totalCount: 'absent' } };

test.concurrent.each<[OptionsPatch, words: RegExp[], told: RegExp, estimated: number[]]>([
  [
    { ...wrongTotal, alarmsCreatedMissingEvery: 4 },
    [/^alarms: .*15 rows.*createdDate/, /^assets: .*43.*40/],
    /^assets 40 rows/,
    [43],
  ],
  [{ ...noTotal, alarmsOrder: 'shuffled' }, [], /^alarms: .*order/, []],
])('contradictions are logged once: %j', async (options, warnings, told, estimated) => {
  const world = await bed.world({ assets: 40, alarms: 60, options });
  const run = await world.run('read', { config: world.configWith({ assets: { missing_rows: 'warn' } }) });
  expect(run.code).toBe(0);
  expect(logs(run, 'WARN').toSorted()).toStrictEqual(warnings.map((one) => expect.stringMatching(one)));
  expect(logs(run, 'INFO').filter((line) => told.test(line))).toHaveLength(1);
  expect(estimates(run).map(({ row_estimate }) => row_estimate)).toStrictEqual(estimated);
});

test.concurrent('a read with fewer rows than stated fails, and so does the next one', async () => {
  const world = await bed.world({ assets: 40, options: wrongTotal });
  const first = await world.run('read', {});
  const second = await world.run('read', { state: first.stdout });
  for (const run of [first, second]) {
    expect(run.code).toBe(75);
    expect(errors(run)).toMatchObject([
      { failure_type: 'transient_error', internal_message: 'ROWS_MISSING' },
    ]);
    expect(errors(run)[0]?.message).toMatch(/states 43 rows, but 40 distinct rows/);
    expect(statuses(run, 'assets').at(-1)).toBe('INCOMPLETE');
    expect(states(run, 'assets').at(-1)).toStrictEqual({ offset: 0, anchors: [] });
  }
  await world.setOptions({ assetsPagination: { totalCount: 'right' } });
  const third = await world.run('read', { state: second.stdout });
  expect(logs(third, 'WARN')).toStrictEqual([expect.stringContaining('again from the start')]);
  await world.expectExact([third], 'assets', {});
});

test.concurrent.each<[what: string, OptionsPatch, rules: object, code: string | null]>([
  [
    'offsets past the end are refused, and no total is stated',
    { ...noTotal, assetsRefusesBeyond: true },
    {},
    null,
  ],
  ['fewer rows than expected', {}, { min_rows: 84 }, 'TOO_FEW_ROWS'],
  ['only a part is shown', { assetsDepth: 45 }, {}, 'OFFSET_LIMITED'],
  ['offsets past the end are refused', { assetsRefusesBeyond: true }, {}, null],
  ['the rest is refused', { assetsDepth: 45, assetsRefusesBeyond: true }, {}, 'OFFSET_LIMITED'],
])('%s: %j', async (_, options, rules, code) => {
  const world = await bed.world({ assets: 83, options });
  const config = world.configWith({ assets: { page_size: 10, ...rules } });
  const run = await world.run('read', { config, env: fastTime(50) });
  expect(errors(run).map(({ internal_message }) => internal_message)).toStrictEqual(
    code === null ? [] : [code],
  );
  const exits: Record<string, number> = { OFFSET_LIMITED: 1, TOO_FEW_ROWS: 75 };
  expect(run.code).toBe(exits[code ?? ''] ?? 0);
  if (code === 'OFFSET_LIMITED') expect(errors(run)[0]?.message).toMatch(/from offset 45 on.*83 rows/);
  else await world.expectExact([run], 'assets', {});
});

test.concurrent.each<[OptionsPatch, most: number]>([
  [{ assetsOffsets: 'rounded down' }, 17],
  [{ assetsOffsets: 'refused' }, 19],
  // the end must be shown four times, and its nextOffset is looked at
  [{ assetsOffsets: 'rounded down', ...noTotal }, 21],
  [{ assetsOffsets: 'refused', ...noTotal }, 23],
])('1,234 rows where only multiples of the limit are offsets: %j', async (options, most) => {
  const world = await bed.world({ assets: 1234, alarms: 0, options });
  const run = await world.run('read', {
    config: world.configWith({ assets: { page_size: 100 } }),
    env: fastTime(50),
  });
  await world.expectExact([run], 'assets', {});
  const { last } = await world.requests();
  const pages = last.filter(({ endpoint }) => endpoint === 'assets').length;
  expect(pages).toBeLessThanOrEqual(most);
});
