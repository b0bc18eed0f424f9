import { expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import type { Run } from '../../support/run-connector.ts';
import { recordTexts, stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

/** Where ranges meet. Many rows are before, on and after each border. */
const borders = ['2025-03-01T00:00:00Z', '2025-07-01T12:30:00Z', '2025-10-15T23:59:59Z'];

/** Both dates are inclusive, so a range ends one nanosecond before the next one starts; the last one has no end. */
const ranges = [
  { end_date: '2025-02-28T23:59:59.999999999Z' },
  { start_date: borders[0], end_date: '2025-07-01T12:29:59.999999999Z' },
  { start_date: borders[1], end_date: '2025-10-15T23:59:58.999999999Z' },
  { start_date: borders[2] },
];

test.concurrent.each<[string, OptionsPatch, { readonly parallel_chains?: number }]>([
  ['as the API is by default', {}, {}],
  [
    'a bound that is truncated to the second',
    { alarmsBound: 'exclusive', alarmsBoundPrecision: 'second' },
    {},
  ],
  ['times in nanoseconds', { createdFormat: 'nanoseconds', alarmsBound: 'exclusive' }, {}],
  ['times as a number of milliseconds', { createdFormat: 'epochMilliseconds' }, {}],
  ['a list without order', { alarmsOrder: 'shuffled', alarmsBoundPrecision: 'minute' }, {}],
  ['several chains in each process', { createdFormat: 'offset' }, { parallel_chains: 4 }],
])('adjoining ranges emit each alarm once: %s', async (_, options, settings) => {
  const world = await bed.world({ assets: 0, alarms: 2000, options });
  for (const border of borders)
    for (const aroundMs of [-1000, -1, 0, 1, 1000]) {
      const createdAt = new Date(Date.parse(border) + aroundMs).toISOString();
      await world.arrive('alarms', { count: 7, createdAt, spacingMs: 0 });
    }
  /** Reads every range in a separate process, at the same time. */
  const read = (before: readonly Run[]): Promise<Run[]> =>
    Promise.all(
      ranges.map((range, index) => {
        const earlier = before[index];
        return world.run('read', {
          config: world.configWith({ alarms: { ...settings, ...range } }),
          catalog: catalogOf({ alarms: 'incremental' }),
          state: earlier && stateArray(earlier),
        });
      }),
    );
  const first = await read([]);
  expect(first.every((run) => recordTexts(run, 'alarms').length > 0)).toBe(true);
  await world.expectExact(first, 'alarms', {});
  // per border: the rest of its page, one whole page, and one requested ahead
  const { endpoints } = await world.requests();
  if (Object.keys(options).length === 0)
    expect(endpoints.alarms.rows).toBeLessThan(2000 + borders.length * (5 * 7 + 3 * 25));
  const mark = await world.mark();
  await world.arrive('alarms', { count: 30 });
  const second = await read(first);
  expect([...first, ...second].filter(({ code }) => code !== 0)).toStrictEqual([]);
  expect(second.slice(0, -1).flatMap((run) => recordTexts(run, 'alarms'))).toStrictEqual([]);
  await world.expectExact(second, 'alarms', { after: mark });
});
