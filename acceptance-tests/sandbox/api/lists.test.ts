import { describe, expect, it } from 'vitest';
import type { Options, OptionsPatch } from '../client.ts';
import { createdOf, cursorOf, inAnyOrder, rowsOf, sizesOf, useSandbox } from '../test-calls.ts';

const { open } = useSandbox();

it('a list paged by offset inserts or deletes rows before each request', async () => {
  const { scenario, items } = await open({ assets: 200, alarms: 0, options: { assetsChanges: 3 } });
  const pages = [await items('assets', 'limit=300'), await items('assets', 'limit=300')];
  const sizes = [200, ...pages.map(({ length }) => length)];
  const changes = sizes.slice(1).map((size, index) => Math.abs(size - (sizes[index] ?? 0)));
  expect(Math.min(...changes)).toBeGreaterThan(0);
  expect(Math.max(...changes)).toBeLessThan(4);
  expect(await scenario.mark()).toBe(2);
});

it('a list paged by offset swaps rows with equal created times between requests, and no others', async () => {
  const { scenario, items } = await open({ assets: 200, alarms: 0 });
  const stable = await items('assets', 'limit=200');
  expect(await items('assets', 'limit=200')).toEqual(stable);
  await scenario.setOptions({ assetsOrder: 'shuffleTies' });
  const [one, other] = [await items('assets', 'limit=200'), await items('assets', 'limit=200')];
  expect(other).not.toEqual(one);
  expect(createdOf(other)).toEqual(createdOf(stable));
  expect(inAnyOrder(other)).toEqual(inAnyOrder(stable));
});

describe('a list paged by cursor', () => {
  it.each<[string, string, number, OptionsPatch, number[] | undefined]>([
    ['the maximum page size without a limit', '', 60, {}, [25, 25, 10]],
    ['at most the maximum', 'limit=26', 60, { alarmsMaxPageSize: 50 }, [26, 26, 8]],
    ['a full last page', 'limit=40', 50, {}, [25, 25]],
    ['an empty list', '', 0, {}, [0]],
    ['some empty pages', 'limit=5', 100, { alarmsEmptyPages: 0.5 }, undefined],
    ['three empty pages before each', '', 50, { alarmsEmptyPages: 1 }, [25, 0, 0, 0, 25]],
  ])('returns pages from cursor to cursor, oldest first: %s', async (_, query, alarms, options, sizes) => {
    const { chain, truth } = await open({ alarms, options });
    const pages = await chain(query);
    if (sizes !== undefined) expect(sizesOf(pages)).toEqual(sizes);
    else expect(sizesOf(pages).filter((size) => size === 0).length).toBeGreaterThan(5);
    expect(new Set(pages.map(cursorOf)).size).toBe(pages.length);
    expect(rowsOf(pages)).toEqual(await truth('alarms', {}));
    const created = createdOf(rowsOf(pages));
    expect(created).toEqual(created.toSorted());
    if (alarms > 0) expect(new Set(created).size).toBeLessThan(alarms);
  });

  const orders = ['ascending', 'shuffled'] as const;
  it.each(orders)('returns all rows, rows since a bound and new rows, in %s order', async (alarmsOrder) => {
    const { scenario, chain, truth } = await open({ alarms: 200, options: { alarmsOrder } });
    const rows = await truth('alarms', {});
    const served = rowsOf(await chain(''));
    if (alarmsOrder === 'shuffled') expect(served).not.toEqual(rows);
    expect(inAnyOrder(served)).toEqual(inAnyOrder(rows));
    const bound = String(rows[100]?.['createdDate']);
    const since = rows.filter((row) => String(row['createdDate']) >= bound);
    expect(inAnyOrder(rowsOf(await chain(`limit=9&createdSince=${bound}`)))).toEqual(inAnyOrder(since));
    await scenario.arrive('alarms', { count: 30, createdAt: '2025-08-01T00:00:00Z', spacingMs: 0 });
    expect(inAnyOrder(rowsOf(await chain('')))).toEqual(inAnyOrder(await truth('alarms', {})));
  });

  it('omits the created time of every Nth row', async () => {
    const { items } = await open({ alarms: 9, options: { alarmsCreatedMissingEvery: 4 } });
    const rows = await items('alarms', '');
    expect(rows.flatMap((row, index) => ('createdDate' in row ? [] : [index]))).toEqual([3, 7]);
  });

  it('returns rows that arrive during a read: new ones at the end, late ones at their position', async () => {
    const { scenario, page } = await open({ alarms: 60 });
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

  it('accepts cursors repeatedly, in their own world only, and with createdSince according to an option', async () => {
    const [{ scenario, page, items, reply }, other] = [await open({}), await open({})];
    const after = `after=${cursorOf(await page('alarms', 'createdSince=2025-03-01T00:00:00Z'))}`;
    const right = await items('alarms', `${after}&createdSince=2025-03-01T01:00:00.000%2B01:00`);
    const later = `${after}&createdSince=2025-12-01T00:00:00Z`;
    for (const query of [after, later]) expect((await reply('alarms', query)).status).toBe(400);
    await scenario.setOptions({ alarmsCursorSince: 'cursor' });
    for (const query of [after, later]) expect(await items('alarms', query)).toEqual(right);
    await scenario.setOptions({ alarmsCursorSince: 'request' });
    expect(await items('alarms', after)).toEqual(right);
    expect((createdOf(await items('alarms', later))[0] ?? '') >= '2025-12-01').toBe(true);
    expect((await other.reply('alarms', after)).status).toBe(400);
  });
});

/** Creates six alarms half a second apart, two at the same time. `since` counts those since a bound, or returns an error status. */
async function sixAlarms(options: OptionsPatch) {
  const { scenario, items, reply } = await open({ alarms: 0, options });
  const at = '2025-05-05T05:05:';
  await scenario.arrive('alarms', { count: 5, createdAt: `${at}58.250Z`, spacingMs: 500 });
  await scenario.arrive('alarms', { count: 1, createdAt: `${at}59.250Z` });
  const since = async (text: unknown): Promise<number> => {
    const query = `createdSince=${encodeURIComponent(String(text))}`;
    const { status } = await reply('alarms', query);
    return status === 200 ? (await items('alarms', query)).length : status;
  };
  return { shown: (await items('alarms', '')).map((row) => row['createdDate']), since };
}

// Times are compared as they are shown: with whole seconds, the three rows of a second are equal.
const formats: [format: Options['createdFormat'], text: unknown, later: number][] = [
  ['seconds', '2025-05-05T05:05:59Z', 1],
  ['milliseconds', '2025-05-05T05:05:59.250Z', 2],
  ['microseconds', '2025-05-05T05:05:59.250000Z', 2],
  ['nanoseconds', '2025-05-05T05:05:59.250000000Z', 2],
  ['epochSeconds', 1746421559, 1],
  ['epochMilliseconds', 1746421559250, 2],
  ['offset', '2025-05-05T07:05:59.250+02:00', 2],
  ['noZone', '2025-05-05T05:05:59.250', 2],
];

describe('createdSince (the API leaves format, bound and precision open)', () => {
  it.each(formats)(
    'is accepted as %s, by a strict server in no other format',
    async (createdFormat, text, later) => {
      const strict = await sixAlarms({ createdFormat, createdSinceStrict: true });
      expect(strict.shown[2]).toBe(text);
      const counts = await Promise.all(formats.map(([, other]) => strict.since(other)));
      expect(counts).toEqual(formats.map(([format]) => (format === createdFormat ? 4 : 400)));
      const exclusive = await sixAlarms({ createdFormat, alarmsBound: 'exclusive' });
      expect(await exclusive.since(text)).toBe(later);
    },
  );

  it('is accepted in every format by default, to the nanosecond', async () => {
    const { since } = await sixAlarms({});
    for (const [, text] of formats) expect(await since(text)).toBe(4);
    expect(await since('2025-05-05T05:05:59.2500001Z')).toBe(2);
  });

  it.each([
    ['exact', 1],
    ['second', 4],
    ['minute', 6],
  ] as const)('is truncated to alarmsBoundPrecision %s', async (alarmsBoundPrecision, rows) => {
    const { since } = await sixAlarms({ alarmsBoundPrecision });
    expect(await since('2025-05-05T05:05:59.900Z')).toBe(rows);
  });
});
