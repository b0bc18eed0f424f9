import { describe, expect, it } from 'vitest';
import type { Options, OptionsPatch } from '../client.ts';
import { inAnyOrder, rowsOf, sizesOf, useSandbox, type Page } from '../test-calls.ts';

const { open } = useSandbox();
const setUp = (alarms: number, options: OptionsPatch) => open({ assets: 5, alarms, options });
const cursorOf = ({ metadata }: Page): string => String(metadata.pagination['nextCursor']);

describe('cursor-based pagination', () => {
  it.each<[string, string, number, OptionsPatch, number[]]>([
    ['the maximum page size without a limit', '', 60, {}, [25, 25, 10]],
    ['at most the maximum', 'limit=26', 60, { alarmsMaxPageSize: 50 }, [26, 26, 8]],
    ['a last page that is full', 'limit=40', 50, {}, [25, 25]],
    ['a list of nothing', '', 0, {}, [0]],
    ['a full last page with a cursor', '', 50, { alarmsTrailingEmptyPage: true }, [25, 25, 0]],
    ['a last page with one, but not full', 'limit=20', 50, { alarmsTrailingEmptyPage: true }, [20, 20, 10]],
  ])('goes from cursor to cursor, oldest first: %s', async (_, query, alarms, options, sizes) => {
    const { chain, truth } = await setUp(alarms, options);
    const pages = await chain(query);
    expect(sizesOf(pages)).toEqual(sizes);
    expect(rowsOf(pages)).toEqual(await truth('alarms', {}));
    const created = rowsOf(pages).map((row) => String(row['createdDate']));
    expect(created).toEqual(created.toSorted());
    if (alarms > 0) expect(new Set(created).size).toBeLessThan(alarms);
  });

  const orders = ['ascending', 'shuffled'] as const;
  it.each(orders)('%s: all of it, since a bound, and with what arrives', async (alarmsOrder) => {
    const { scenario, chain, truth } = await setUp(200, { alarmsOrder });
    const rows = await truth('alarms', {});
    const served = rowsOf(await chain(''));
    if (alarmsOrder === 'shuffled') expect(served).not.toEqual(rows);
    else expect(served).toEqual(rows);
    expect(inAnyOrder(served)).toEqual(inAnyOrder(rows));
    const bound = String(rows[100]?.['createdDate']);
    const bounded = rowsOf(await chain(`limit=9&createdSince=${bound}`));
    const since = rows.filter((row) => String(row['createdDate']) >= bound);
    expect(inAnyOrder(bounded)).toEqual(inAnyOrder(since));
    await scenario.arrive('alarms', { count: 30, createdAt: '2025-08-01T00:00:00Z', spacingMs: 0 });
    expect(inAnyOrder(rowsOf(await chain('')))).toEqual(inAnyOrder(await truth('alarms', {})));
  });

  it('shows alarms that arrive meanwhile: new ones at the end, late ones where they belong', async () => {
    const { scenario, page } = await setUp(60, {});
    const pages = [await page('alarms', '')];
    const [late] = await scenario.arrive('alarms', { count: 1, createdAt: '2025-11-11T11:11:11Z' });
    const [tooLate] = await scenario.arrive('alarms', { count: 1, createdAt: '2025-01-01T00:00:00Z' });
    const [fresh] = await scenario.arrive('alarms', { count: 1 });
    for (const last of pages)
      if (cursorOf(last) !== '') pages.push(await page('alarms', `after=${cursorOf(last)}`));
    const seen = rowsOf(pages).map((row) => row['alarmId']);
    expect([seen.length, seen.at(-1)]).toEqual([62, fresh]);
    expect([seen.includes(late), seen.includes(tooLate)]).toEqual([true, false]);
  });

  const noTimes = ['yesterday', '2025-02-30T00:00:00Z', '2025-05-05', '12.5', ''];
  const badBounds = noTimes.map((text) => `createdSince=${text}`);
  it.each(['after=nonsense', 'after=', 'limit=0', 'limit=x', ...badBounds])('refuses %s', async (query) => {
    const { reply } = await setUp(50, {});
    expect((await reply('alarms', query)).status).toBe(400);
  });
});

describe('cursors', () => {
  it('are good as often as one likes, in their own world', async () => {
    const { page } = await setUp(100, {});
    const after = `after=${cursorOf(await page('alarms', ''))}`;
    expect((await page('alarms', after)).items).toEqual((await page('alarms', after)).items);
    expect((await (await setUp(100, {})).reply('alarms', after)).status).toBe(400);
  });

  it('stand with createdSince as the option wants it', async () => {
    const { scenario, page, reply } = await setUp(100, {});
    const first = await page('alarms', 'createdSince=2025-03-01T00:00:00Z');
    const after = `after=${cursorOf(first)}`;
    const { items } = await page('alarms', `${after}&createdSince=2025-03-01T01:00:00.000%2B01:00`);
    expect((await reply('alarms', after)).status).toBe(400);
    expect((await reply('alarms', `${after}&createdSince=2025-03-02T00:00:00Z`)).status).toBe(400);
    const later = `${after}&createdSince=2025-12-01T00:00:00Z`;
    await scenario.setOptions({ alarmsCursorSince: 'cursor' });
    for (const query of [after, later]) expect((await page('alarms', query)).items).toEqual(items);
    await scenario.setOptions({ alarmsCursorSince: 'request' });
    expect((await page('alarms', after)).items).toEqual(items);
    const [moved] = (await page('alarms', later)).items;
    expect(String(moved?.['createdDate']) >= '2025-12-01').toBe(true);
  });

  it.each([
    ['empty', { nextCursor: '' }],
    ['null', { nextCursor: null }],
    ['absent', {}],
  ] as const)('end with %s', async (alarmsEnd, expected) => {
    const { page } = await setUp(5, { alarmsEnd });
    expect((await page('alarms', '')).metadata.pagination).toEqual(expected);
  });

  it.each([0.5, 1])('lead over empty pages, and nothing is lost: %d', async (alarmsEmptyPages) => {
    const { chain, truth } = await setUp(100, { alarmsEmptyPages });
    const pages = await chain('limit=5');
    expect(sizesOf(pages).filter((size) => size === 0).length).toBeGreaterThan(5);
    expect(new Set(pages.map(cursorOf)).size).toBe(pages.length);
    expect(rowsOf(pages)).toEqual(await truth('alarms', {}));
  });
});

/** Six alarms, half a second apart, two of them at the same time; counts those since a bound, or gives the status of a refusal. */
async function sixAlarms(options: OptionsPatch) {
  const { scenario, page, reply } = await setUp(0, options);
  const at = '2025-05-05T05:05:';
  await scenario.arrive('alarms', { count: 5, createdAt: `${at}58.250Z`, spacingMs: 500 });
  await scenario.arrive('alarms', { count: 1, createdAt: `${at}59.250Z` });
  const since = async (text: unknown): Promise<number> => {
    const { status, json } = await reply('alarms', `createdSince=${encodeURIComponent(String(text))}`);
    return status === 200 ? (json as Page).items.length : status;
  };
  return { shown: (await page('alarms', '')).items.map((row) => row['createdDate']), since };
}

// What is compared is what is shown: with whole seconds, the three rows of one second are alike.
const formats: [format: Options['createdFormat'], text: unknown, behind: number][] = [
  ['seconds', '2025-05-05T05:05:59Z', 1],
  ['milliseconds', '2025-05-05T05:05:59.250Z', 2],
  ['microseconds', '2025-05-05T05:05:59.250000Z', 2],
  ['nanoseconds', '2025-05-05T05:05:59.250000000Z', 2],
  ['epochSeconds', 1746421559, 1],
  ['epochMilliseconds', 1746421559250, 2],
  ['offset', '2025-05-05T07:05:59.250+02:00', 2],
  ['noZone', '2025-05-05T05:05:59.250', 2],
];

describe('createdSince (format, bound and precision are left open)', () => {
  it.each(formats)('as %s, by a strict server as no other', async (createdFormat, text, behind) => {
    const strict = await sixAlarms({ createdFormat, createdSinceStrict: true });
    expect(strict.shown[2]).toBe(text);
    const counts = await Promise.all(formats.map(([, other]) => strict.since(other)));
    expect(counts).toEqual(formats.map(([format]) => (format === createdFormat ? 4 : 400)));
    const exclusive = await sixAlarms({ createdFormat, alarmsBound: 'exclusive' });
    expect(await exclusive.since(text)).toBe(behind);
  });

  it('takes every format unless it is strict, to the nanosecond', async () => {
    const { since } = await sixAlarms({});
    for (const [, text] of formats) expect(await since(text)).toBe(4);
    expect(await since('2025-05-05T05:05:59.2500001Z')).toBe(2);
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
