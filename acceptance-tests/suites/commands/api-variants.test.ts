import { describe, expect, test } from 'vitest';
import type { Arrival, OptionsPatch } from '../../sandbox/client.ts';
import { formats } from '../../sandbox/data/instant.ts';
import { offsetMembers } from '../../sandbox/options.ts';
import { compareRuns, exact } from '../../support/compare-rows.ts';
import type { Run } from '../../support/run-connector.ts';
import { estimates, logs } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

// What the API leaves open, as it looks on the wire; what it may do with rows and pages the simulation tries in all mixtures.
const bed = useTestBed();

type Variant = readonly [title: string, options: OptionsPatch];

const wrongMembers = Object.fromEntries(offsetMembers.slice(1).map((name) => [name, 'wrong']));
const assetsVariants: Variant[] = [
  ...(['absent', 'null', 'minusOne'] as const).map((value): Variant => {
    const assetsPagination = Object.fromEntries(offsetMembers.map((name) => [name, value]));
    return [`every member of the pagination object ${value}`, { assetsPagination }];
  }),
  ['every member but the offset wrong', { assetsPagination: wrongMembers }],
  ['a total that is one too small', { assetsPagination: { totalCount: { plus: -1 } } }],
  ['a total that is far too great', { assetsPagination: { totalCount: { plus: 500 } } }],
  ['a silent cap of two', { assetsLimitCap: 2 }],
  ['a limit refused with 422', { assetsLimitRefusedAbove: 10, errorStatus: { badRequest: 422 } }],
  ['a refused limit and a cap below it', { assetsLimitRefusedAbove: 25, assetsLimitCap: 11 }],
  ['short pages only, no total', { assetsShortPages: 1, assetsPagination: { totalCount: 'absent' } }],
  ['rows of equal created time that swap', { assetsOrder: 'shuffleTies', assetsLimitCap: 10 }],
];
const alarmsVariants: Variant[] = [
  ['a last cursor that is null', { alarmsEnd: 'null' }],
  [
    'no last cursor, metadata first',
    { alarmsEnd: 'absent', envelopeExtra: true, memberOrder: 'metadataFirst' },
  ],
  ['empty pages before each full one', { alarmsEmptyPages: 1, alarmsMaxPageSize: 30 }],
  ['empty pages in the middle', { alarmsEmptyPages: 0.5 }],
  ['an empty page at the end', { alarmsTrailingEmptyPage: true, alarmsMaxPageSize: 5 }],
  ['pages of one row', { alarmsMaxPageSize: 1 }],
  ['one great page, spread over lines', { alarmsMaxPageSize: 1000, prettyPrint: true, envelopeExtra: true }],
  ['createdSince beside after counts', { alarmsCursorSince: 'request' }],
  ['it does not; unknown parameters refused', { alarmsCursorSince: 'cursor', unknownParameters: 'refused' }],
  ['a bound cut down to the second', { alarmsBoundPrecision: 'second' }],
  ['a bound cut down to the minute', { alarmsBoundPrecision: 'minute' }],
  ['no created time in some rows', { alarmsCreatedMissingEvery: 4 }],
  ['a list in no order', { alarmsOrder: 'shuffled' }],
];
/** How times are written, each with an exclusive bound; where they tell no more than seconds, with an inclusive one too. */
const timesVariants: Variant[] = [
  ...(['seconds', 'epochSeconds'] as const).map((form): Variant => [form, { createdFormat: form }]),
  ...(Object.keys(formats) as (keyof typeof formats)[]).map((form): Variant => [
    `${form}, exclusive`,
    { createdFormat: form, alarmsBound: 'exclusive' },
  ]),
];

/** Odd lots: each variant of the one list beside one of the other, and of times. */
const tables = [assetsVariants, alarmsVariants, timesVariants];
const lots = Array.from({ length: Math.max(...tables.map(({ length }) => length)) }, (_, index): Variant => {
  const lot = tables.flatMap((variants) => variants.slice(index % variants.length).slice(0, 1));
  return [lot.map(([title]) => title).join('; '), Object.assign({}, ...lot.map(([, options]) => options))];
});

/** The later alarms share the created time of the newest earlier ones, or its second: the watermark stands on it. */
const ties: Arrival[] = [
  { count: 5, createdAt: '2026-01-05T10:00:30.000Z', spacingMs: 0 },
  { count: 24, createdAt: '2026-01-05T10:00:30.000Z', spacingMs: 0.3 },
];
/** All of them are created now: the watermark stands behind them, by the server's clock. */
const recent: Arrival[] = [
  { count: 30, spacingMs: 0.3 },
  { count: 30, spacingMs: 0.3 },
];

/** Reads after each batch of arrivals, from the output of the read before: each asset in each, each alarm once in all. */
async function expectEachOnce(options: OptionsPatch, arrivals: readonly Arrival[]): Promise<void> {
  const world = await bed.world({ assets: 83, alarms: 55, options });
  const config = { ...world.config, assets: { ...world.config.assets, page_size: 20 } };
  const runs: Run[] = [];
  for (const arrival of arrivals) {
    await world.arrive('alarms', arrival);
    const run = await world.run('read', { config, state: runs.at(-1)?.stdout });
    runs.push(run);
    expect(run.code).toBe(0);
    expect(await compareRuns([run], world, 'assets', {})).toStrictEqual(exact);
    expect(await compareRuns(runs, world, 'alarms', {})).toStrictEqual(exact);
  }
}

describe.concurrent('two reads, every row exactly once', () => {
  test.concurrent.each(lots)('%s', (_, options) =>
    // only the form that the rows show is understood
    expectEachOnce({ ...options, createdSinceStrict: true }, ties),
  );

  test.concurrent.each<[string, OptionsPatch]>([
    ['no Date header', { dateHeader: 'absent' }],
    ['a clock that is two hours fast', { dateHeader: 7200 }],
    ['a clock that is two hours slow', { dateHeader: -7200, alarmsCreatedMissingEvery: 4 }],
  ])('alarms of this moment: %s', (_, options) => expectEachOnce(options, recent));
});

test.concurrent('what cannot be right is said, once', async () => {
  const options: OptionsPatch = {
    assetsPagination: { totalCount: { plus: 3 } },
    alarmsCreatedMissingEvery: 4,
  };
  const run = await (await bed.world({ assets: 40, alarms: 60, options })).run('read', {});
  expect(run.code).toBe(0);
  expect(logs(run, 'WARN').toSorted()).toStrictEqual([
    expect.stringMatching(/^alarms: .*15 rows.*createdDate/),
    expect.stringMatching(/^assets: .*43.*40/),
  ]);
});

test.concurrent('a list in no order is said to be one; without a total nothing is estimated', async () => {
  const options: OptionsPatch = { assetsPagination: { totalCount: 'absent' }, alarmsOrder: 'shuffled' };
  const run = await (await bed.world({ assets: 40, alarms: 60, options })).run('read', {});
  expect(logs(run, 'WARN')).toStrictEqual([expect.stringMatching(/^alarms: .*order/)]);
  expect(estimates(run)).toStrictEqual([]);
});

test.concurrent('what is in a moving list throughout is there once', async () => {
  const world = await bed.world({ assets: 400, alarms: 0, options: { assetsLimitCap: 20 } });
  const mark = await world.mark();
  let changes = 0;
  const run = await world.run('read', {
    onLine: async ({ message }) => {
      if (message.type !== 'RECORD' || changes === 12) return;
      changes += 1;
      await world.insert('assets', { count: 1 + (changes % 5) });
      await world.delete('assets', { count: 4, at: 'random' });
      await world.delete('assets', { count: 2, at: 'head' });
    },
  });
  expect(run.code).toBe(0);
  expect(await compareRuns([run], world, 'assets', { since: mark })).toMatchObject({ lost: 0, doubled: 0 });
  // nothing but rows that lived at some time during the read
  expect(await compareRuns([run], world, 'assets', { lived: mark })).toMatchObject({ strange: 0 });
});
