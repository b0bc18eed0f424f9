import { describe, expect, it } from 'vitest';
import type { Options, OptionsPatch, Scenario } from '../client.ts';
import { column, linesOf, members, sorted, useSandbox } from '../test-calls.ts';

const { open } = useSandbox();

const setUp = (alarms: number, options: OptionsPatch) => open({ assets: 5, alarms, options });

async function truthIds(scenario: Scenario): Promise<unknown[]> {
  return members(await linesOf(scenario.groundTruthRows('alarms', {})), 'alarmId');
}

describe('cursor-based pagination', () => {
  it('goes from cursor to cursor to an empty one, oldest first', async () => {
    const { scenario, chain } = await setUp(103, {});
    const pages = await chain({ limit: 10 });
    expect(pages.map(({ items }) => items.length)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3]);
    expect(pages.at(-1)?.metadata.pagination).toEqual({ nextCursor: '' });
    expect(column(pages, 'alarmId')).toEqual(await truthIds(scenario));
    const created = column(pages, 'createdDate') as string[];
    expect(created).toEqual(created.toSorted());
    expect(new Set(created).size).toBeLessThan(103);
  });

  it('uses the maximum page size when limit is absent or larger', async () => {
    const { scenario, page } = await setUp(200, {});
    expect((await page('alarms', {})).items).toHaveLength(25);
    expect((await page('alarms', { limit: 26 })).items).toHaveLength(25);
    expect((await page('alarms', { limit: 24 })).items).toHaveLength(24);
    await scenario.setOptions({ alarmsMaxPageSize: 100 });
    expect((await page('alarms', {})).items).toHaveLength(100);
  });

  it('has one last page whether or not it is full', async () => {
    const { chain } = await setUp(50, {});
    expect((await chain({})).map(({ items }) => items.length)).toEqual([25, 25]);
    expect((await chain({ limit: 40 })).map(({ items }) => items.length)).toEqual([25, 25]);
    expect(await (await setUp(0, {})).chain({})).toEqual([
      { items: [], metadata: { pagination: { nextCursor: '' } } },
    ]);
  });

  it('serves what was created since a bound, page by page', async () => {
    const { scenario, chain } = await setUp(100, {});
    const rows = await linesOf(scenario.groundTruthRows('alarms', {}));
    const bound = String(members(rows, 'createdDate')[40]);
    const expected = rows.filter((row) => String(members([row], 'createdDate')[0]) >= bound);
    const pages = await chain({ createdSince: bound, limit: 7 });
    expect(column(pages, 'alarmId')).toEqual(members(expected, 'alarmId'));
    expect(pages.length).toBeGreaterThan(5);
  });

  it.each([
    'after=nonsense',
    'after=',
    'after=kAAAA',
    'limit=0',
    'limit=-3',
    'limit=x',
    'createdSince=yesterday',
  ])('refuses %s', async (query) => {
    const { reply } = await setUp(50, {});
    expect((await reply('alarms', query)).status).toBe(400);
  });

  it('refuses a cursor that was altered, or belongs to another world', async () => {
    const { page, reply } = await setUp(50, {});
    const cursor = String((await page('alarms', {})).metadata.pagination['nextCursor']);
    const altered = cursor.slice(0, 20) + (cursor[20] === 'A' ? 'B' : 'A') + cursor.slice(21);
    expect((await reply('alarms', { after: altered })).status).toBe(400);
    const other = await open({ seed: 9 });
    expect((await other.reply('alarms', { after: cursor })).status).toBe(400);
    expect((await reply('alarms', { after: cursor })).status).toBe(200);
  });

  it('shows alarms that arrive meanwhile: new ones at the end, late ones where they belong', async () => {
    const { scenario, page } = await setUp(60, {});
    const first = await page('alarms', {});
    const [late] = await scenario.arrive('alarms', { count: 1, createdAt: '2025-11-11T11:11:11Z' });
    const [tooLate] = await scenario.arrive('alarms', { count: 1, createdAt: '2025-01-01T00:00:00Z' });
    const [fresh] = await scenario.arrive('alarms', { count: 1 });
    const seen = column(first, 'alarmId');
    for (let after = first.metadata.pagination['nextCursor']; after !== '';) {
      const next = await page('alarms', { after: String(after) });
      seen.push(...column(next, 'alarmId'));
      after = next.metadata.pagination['nextCursor'];
    }
    expect(seen).toHaveLength(62);
    expect(seen).toContain(late);
    expect(seen).not.toContain(tooLate);
    expect(seen.at(-1)).toBe(fresh);
  });
});

describe('knobs of the alarms list', () => {
  it.each(['keyset', 'random'] as const)('alarmsCursor %s, with a lifetime', async (alarmsCursor) => {
    const { scenario, page, reply, chain } = await setUp(100, {
      alarmsCursor,
      alarmsCursorLifetimeSeconds: 600,
    });
    expect(column(await chain({}), 'alarmId')).toEqual(await truthIds(scenario));
    const first = await page('alarms', {});
    const after = String(first.metadata.pagination['nextCursor']);
    await scenario.advanceClock(500);
    expect((await reply('alarms', { after })).status).toBe(200);
    await scenario.advanceClock(101);
    expect((await reply('alarms', { after })).status).toBe(400);
    await scenario.setOptions({ alarmsExpiredCursor: 'firstPage' });
    expect(column(await page('alarms', { after }), 'alarmId')).toEqual(column(first, 'alarmId'));
  });

  it('alarmsCursorSince', async () => {
    const { scenario, page, reply } = await setUp(100, {});
    const createdSince = '2025-03-01T00:00:00Z';
    const first = await page('alarms', { createdSince });
    const after = String(first.metadata.pagination['nextCursor']);
    const same = column(
      await page('alarms', { createdSince: '2025-03-01T01:00:00.000+01:00', after }),
      'alarmId',
    );
    expect((await reply('alarms', { after })).status).toBe(400);
    expect((await reply('alarms', { after, createdSince: '2025-03-02T00:00:00Z' })).status).toBe(400);
    await scenario.setOptions({ alarmsCursorSince: 'cursor' });
    expect(column(await page('alarms', { after }), 'alarmId')).toEqual(same);
    expect(column(await page('alarms', { after, createdSince: '2025-12-01T00:00:00Z' }), 'alarmId')).toEqual(
      same,
    );
    await scenario.setOptions({ alarmsCursorSince: 'request' });
    expect(column(await page('alarms', { after }), 'alarmId')).toEqual(same);
    const [moved] = column(
      await page('alarms', { after, createdSince: '2025-12-01T00:00:00Z' }),
      'createdDate',
    );
    expect(String(moved) >= '2025-12-01').toBe(true);
  });

  it.each([
    ['empty', { nextCursor: '' }],
    ['null', { nextCursor: null }],
    ['absent', {}],
  ] as const)('alarmsEnd %s', async (alarmsEnd, expected) => {
    const { page } = await setUp(5, { alarmsEnd });
    expect((await page('alarms', {})).metadata.pagination).toEqual(expected);
  });

  it('alarmsEmptyPages: empty pages with cursors, always new ones, and nothing lost', async () => {
    for (const alarmsEmptyPages of [0.5, 1]) {
      const { scenario, chain } = await setUp(100, { alarmsEmptyPages });
      const pages = await chain({ limit: 5 });
      expect(pages.filter(({ items }) => items.length === 0).length).toBeGreaterThan(5);
      const cursors = pages.map(({ metadata }) => metadata.pagination['nextCursor']);
      expect(new Set(cursors).size).toBe(cursors.length);
      expect(column(pages, 'alarmId')).toEqual(await truthIds(scenario));
    }
  });

  it('alarmsTrailingEmptyPage', async () => {
    const { chain } = await setUp(50, { alarmsTrailingEmptyPage: true });
    expect((await chain({})).map(({ items }) => items.length)).toEqual([25, 25, 0]);
    expect((await chain({ limit: 20 })).map(({ items }) => items.length)).toEqual([20, 20, 10]);
  });

  it.each(['descending', 'shuffled'] as const)(
    'alarmsOrder %s, with and without a bound',
    async (alarmsOrder) => {
      const { scenario, chain } = await setUp(200, { alarmsOrder });
      const ids = column(await chain({}), 'alarmId');
      const truth = await truthIds(scenario);
      expect(ids).not.toEqual(truth);
      expect(sorted(ids)).toEqual(sorted(truth));
      if (alarmsOrder === 'descending') expect(ids).toEqual(truth.toReversed());
      const bounded = column(await chain({ createdSince: '2025-07-01T00:00:00Z', limit: 9 }), 'createdDate');
      expect(bounded.every((created) => String(created) >= '2025-07')).toBe(true);
      expect(bounded.length).toBeGreaterThan(80);
      await scenario.arrive('alarms', { count: 30, createdAt: '2025-08-01T00:00:00Z', spacingMs: 0 });
      expect(sorted(column(await chain({}), 'alarmId'))).toEqual(sorted(await truthIds(scenario)));
    },
  );

  it('alarmsCreatedMissingEvery', async () => {
    const { chain } = await setUp(100, { alarmsCreatedMissingEvery: 10 });
    expect(column(await chain({}), 'createdDate').filter((created) => created === undefined)).toHaveLength(
      10,
    );
  });
});

/** Six alarms, half a second apart, two of them at the same time. */
async function sixAlarms(
  options: OptionsPatch,
): Promise<{ since: (text: string) => Promise<number>; shown: unknown[] }> {
  const { scenario, page, reply } = await setUp(0, options);
  const at = '2025-05-05T05:05:';
  await scenario.arrive('alarms', { count: 5, createdAt: `${at}58.250Z`, spacingMs: 500 });
  await scenario.arrive('alarms', { count: 1, createdAt: `${at}59.250Z` });
  return {
    shown: column(await page('alarms', {}), 'createdDate'),
    since: async (createdSince) => {
      const answer = await reply('alarms', { createdSince });
      return answer.status === 200 ? (answer.json as { items: unknown[] }).items.length : -answer.status;
    },
  };
}

const formats: [Options['createdFormat'], unknown, number][] = [
  ['seconds', '2025-05-05T05:05:59Z', 4],
  ['milliseconds', '2025-05-05T05:05:59.250Z', 4],
  ['microseconds', '2025-05-05T05:05:59.250000Z', 4],
  ['nanoseconds', '2025-05-05T05:05:59.250000000Z', 4],
  ['epochSeconds', 1746421559, 4],
  ['epochMilliseconds', 1746421559250, 4],
  ['offset', '2025-05-05T07:05:59.250+02:00', 4],
  ['noZone', '2025-05-05T05:05:59.250', 4],
];

describe('createdSince (format, bound and precision are left open)', () => {
  it.each(formats)(
    'in the format %s: rows show it, and a bound in it works',
    async (createdFormat, text, rows) => {
      const inclusive = await sixAlarms({ createdFormat, createdSinceStrict: true });
      expect(inclusive.shown[2]).toBe(text);
      expect(await inclusive.since(String(text))).toBe(rows);
      const exclusive = await sixAlarms({ createdFormat, alarmsBound: 'exclusive' });
      // What is compared is what is shown: with whole seconds, the three rows of one second are alike.
      const alike = createdFormat === 'seconds' || createdFormat === 'epochSeconds' ? 3 : 2;
      expect(await exclusive.since(String(text))).toBe(rows - alike);
    },
  );

  it.each(formats)('strict in the format %s refuses the others', async (createdFormat, own) => {
    const { since } = await sixAlarms({ createdFormat, createdSinceStrict: true });
    const others = formats.filter(([format]) => format !== createdFormat).map(([, text]) => String(text));
    for (const text of others) expect(await since(text)).toBe(-400);
    expect(await since(String(own))).toBeGreaterThan(0);
  });

  it('takes every format unless it is strict', async () => {
    const { since } = await sixAlarms({});
    for (const [, text] of formats) expect(await since(String(text))).toBe(4);
    expect(await since('2025-05-05T05:05:59.2500001Z')).toBe(2);
  });

  it.each([
    '2025-02-30T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-05-05',
    '2025-05-05T05:05:59 02:00',
    '12.5',
    '',
  ])('refuses "%s"', async (text) => {
    expect(await (await sixAlarms({})).since(text)).toBe(-400);
  });

  it.each([
    ['exact', 1],
    ['second', 4],
    ['minute', 6],
  ] as const)('is cut down to alarmsBoundPrecision %s', async (alarmsBoundPrecision, rows) => {
    const { since } = await sixAlarms({ alarmsBoundPrecision });
    expect(await since('2025-05-05T05:05:59.900Z')).toBe(rows);
  });
});
