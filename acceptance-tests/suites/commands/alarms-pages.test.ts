import { describe, expect, test } from 'vitest';
import type { Arrival, OptionsPatch, Options } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRows, exact } from '../../support/compare-rows.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, logs, recordTexts, states } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();
const catalog = catalogOf({ alarms: 'incremental' });

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

/** Reads after each batch of arrivals, from the output of the read before: together each alarm exactly once. */
async function expectEachOnce(options: OptionsPatch, arrivals: readonly Arrival[]): Promise<void> {
  const world = await bed.world({ assets: 0, alarms: 55, options });
  const emitted: string[] = [];
  let before: Run | undefined;
  for (const arrival of arrivals) {
    await world.arrive('alarms', arrival);
    before = await world.run('read', { catalog, state: before?.stdout });
    expect(before.code).toBe(0);
    emitted.push(...recordTexts(before, 'alarms'));
    expect(await compareRows(emitted, world.groundTruthRows('alarms', {}))).toStrictEqual(exact);
  }
}

describe.concurrent('two reads, each alarm exactly once, whatever the API leaves open', () => {
  test.concurrent.each<[string, OptionsPatch]>([
    ['the last cursor is null', { alarmsEnd: 'null' }],
    [
      'the last cursor is absent; other members, some of the same name',
      { alarmsEnd: 'absent', envelopeExtra: true, memberOrder: 'metadataFirst' },
    ],
    ['empty pages in the middle', { alarmsEmptyPages: 0.5 }],
    ['empty pages before each full one', { alarmsEmptyPages: 1, alarmsMaxPageSize: 30 }],
    ['an empty page at the end', { alarmsTrailingEmptyPage: true, alarmsMaxPageSize: 5 }],
    ['pages of one row', { alarmsMaxPageSize: 1 }],
    ['one great page, pretty-printed', { alarmsMaxPageSize: 1000, prettyPrint: true, envelopeExtra: true }],
    ['createdSince beside after counts', { alarmsCursorSince: 'request' }],
    [
      'createdSince beside after does not count; unknown parameters refused',
      { alarmsCursorSince: 'cursor', unknownParameters: 'refused' },
    ],
    ['no created date in some rows', { alarmsCreatedMissingEvery: 4 }],
    ['no created date in some rows, exclusive', { alarmsCreatedMissingEvery: 4, alarmsBound: 'exclusive' }],
  ])('%s', (_, options) => expectEachOnce(options, ties));

  test.concurrent.each<[string, OptionsPatch]>([
    ['no Date header', { dateHeader: 'absent' }],
    ['a clock that is two hours fast', { dateHeader: 7200 }],
    ['a clock that is two hours slow', { dateHeader: -7200 }],
    ['a bound that is cut down to the minute', { alarmsBoundPrecision: 'minute', alarmsBound: 'exclusive' }],
    ['no created date in some rows', { alarmsCreatedMissingEvery: 4 }],
  ])('alarms of this moment: %s', (_, options) => expectEachOnce(options, recent));

  test.concurrent.each<[Options['createdFormat'], Options['alarmsBound']]>([
    ['seconds', 'inclusive'],
    ['seconds', 'exclusive'],
    ['milliseconds', 'exclusive'],
    ['microseconds', 'exclusive'],
    ['nanoseconds', 'exclusive'],
    ['epochSeconds', 'inclusive'],
    ['epochSeconds', 'exclusive'],
    ['epochMilliseconds', 'exclusive'],
    ['offset', 'exclusive'],
    ['noZone', 'exclusive'],
  ])('created as %s, %s, and only that format accepted', (createdFormat, alarmsBound) =>
    expectEachOnce({ createdFormat, alarmsBound, createdSinceStrict: true }, ties),
  );

  test.concurrent.each<[string, string, OptionsPatch]>([
    ['second', 'exclusive', { alarmsBoundPrecision: 'second', alarmsBound: 'exclusive' }],
    ['minute', 'inclusive', { alarmsBoundPrecision: 'minute' }],
    [
      'minute, of nanoseconds',
      'exclusive',
      { alarmsBoundPrecision: 'minute', alarmsBound: 'exclusive', createdFormat: 'nanoseconds' },
    ],
  ])('a bound that is cut down to the %s, %s', (_precision, _bound, options) =>
    expectEachOnce(options, ties),
  );
});

describe.concurrent('what is worth knowing is said', () => {
  test.concurrent('rows without a readable created date: emitted, one WARN', async () => {
    const world = await bed.world({ assets: 0, alarms: 60, options: { alarmsCreatedMissingEvery: 4 } });
    const run = await world.run('read', { catalog });
    const warnings = logs(run, 'WARN');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/15 rows.*createdDate/);
  });

  test.concurrent.each(['descending', 'shuffled'] as const)(
    'a list in %s order: one WARN',
    async (alarmsOrder) => {
      const world = await bed.world({ assets: 0, alarms: 60, options: { alarmsOrder } });
      const run = await world.run('read', { catalog });
      expect(logs(run, 'WARN').join()).toMatch(/order/);
    },
  );

  test.concurrent('a format that the server refuses: what was sent, and its words', async () => {
    const world = await bed.world({
      assets: 0,
      alarms: 60,
      options: { createdFormat: 'epochSeconds', createdSinceStrict: true },
    });
    const alarms = { ...world.config.alarms, start_date: '2025-06-01T00:00:00Z' };
    const run = await world.run('read', { config: { ...world.config, alarms }, catalog });
    expect(run.code).toBe(1);
    expect(errors(run)).toMatchObject([
      { failure_type: 'config_error', stream_descriptor: { name: 'alarms' } },
    ]);
    expect(errors(run)[0]?.message).toMatch(/createdSince=2025-0/);
    expect(states(run, 'alarms')).toStrictEqual([]);
  });
});
