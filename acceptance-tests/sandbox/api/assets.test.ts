import { describe, expect, it } from 'vitest';
import type { OptionsPatch } from '../client.ts';
import { offsetMembers } from '../options.ts';
import { column, linesOf, members, sorted, useSandbox, type Page } from '../test-calls.ts';

const { open } = useSandbox();

const setUp = (assets: number, options: OptionsPatch) => open({ assets, alarms: 0, options });

function paging({ metadata }: Page): Record<string, unknown> {
  return metadata.pagination;
}

describe('offset-based pagination', () => {
  it('serves L rows from row O on, newest first, so that pages add up to the list', async () => {
    const { scenario, page } = await setUp(103, {});
    const pages: Page[] = [];
    for (let offset = 0; offset < 110; offset += 10) pages.push(await page('assets', { limit: 10, offset }));
    expect(pages.map(({ items }) => items.length)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3]);
    const truth = await linesOf(scenario.groundTruthRows('assets', {}));
    expect(column(pages, 'assetId')).toEqual(members(truth, 'assetId').toReversed());
    const created = column(pages, 'createdDate') as string[];
    expect(created).toEqual(created.toSorted().toReversed());
  });

  it('carries all members of the pagination object (2.6)', async () => {
    const { page } = await setUp(103, {});
    expect(paging(await page('assets', { limit: 25, offset: 50 }))).toEqual({
      offset: 50,
      limit: 25,
      previousOffset: 25,
      nextOffset: 75,
      currentPage: 3,
      pageCount: 5,
      totalCount: 103,
    });
  });

  it('serves empty pages beyond the end, and of an empty list', async () => {
    const { page } = await setUp(5, {});
    expect(await page('assets', { offset: 5 })).toMatchObject({ items: [] });
    const empty = await (await setUp(0, {})).page('assets', {});
    expect([empty.items.length, paging(empty)['totalCount']]).toEqual([0, 0]);
  });

  it.each([
    'limit=-1',
    'limit=0',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'offset=-1',
    'offset=1e1',
    'limit=1&limit=2',
  ])('refuses %s', async (query) => {
    const { reply } = await setUp(5, {});
    expect((await reply('assets', query)).status).toBe(400);
  });
});

describe('knobs of the assets list', () => {
  it('assetsDefaultLimit, assetsLimitCap: the member limit shows what was asked for', async () => {
    const { page } = await setUp(50, { assetsDefaultLimit: 30, assetsLimitCap: 20 });
    const [plain, large] = [await page('assets', {}), await page('assets', { limit: 500 })];
    expect([plain.items.length, paging(plain)['limit']]).toEqual([20, 30]);
    expect([large.items.length, paging(large)['limit']]).toEqual([20, 500]);
  });

  it('assetsLimitRefusedAbove', async () => {
    const { reply } = await setUp(50, { assetsLimitRefusedAbove: 20 });
    const [allowed, refused] = [await reply('assets', { limit: 20 }), await reply('assets', { limit: 21 })];
    expect([allowed.status, refused.status]).toEqual([200, 400]);
  });

  it('assetsPagination, for every member', async () => {
    const { scenario, page } = await setUp(100, {});
    const right = paging(await page('assets', { limit: 10, offset: 40 }));
    for (const name of offsetMembers) {
      const served = async (knob: object | string): Promise<unknown> => {
        await scenario.setOptions({ assetsPagination: { [name]: knob } });
        const { [name]: value, ...others } = paging(await page('assets', { limit: 10, offset: 40 }));
        expect({ ...others, [name]: right[name] }).toEqual(right);
        return value;
      };
      expect(await served('absent')).toBeUndefined();
      expect(await served('null')).toBeNull();
      expect(await served('minusOne')).toBe(-1);
      expect(await served('wrong')).toBe(Math.floor(Number(right[name]) / 2));
      expect(await served({ plus: -3 })).toBe(Number(right[name]) - 3);
      expect(await served('right')).toBe(right[name]);
    }
  });

  it('edges: previousOffset of the first page, nextOffset of the last one, number of the first page', async () => {
    const { scenario, page } = await setUp(20, {});
    const served = async (options: OptionsPatch): Promise<unknown[]> => {
      await scenario.setOptions(options);
      const first = paging(await page('assets', { limit: 10, offset: 0 }));
      const last = paging(await page('assets', { limit: 10, offset: 10 }));
      expect([first['nextOffset'], last['previousOffset']]).toEqual([10, 0]);
      return [first['previousOffset'], last['nextOffset'], last['currentPage']];
    };
    expect(await served({})).toEqual([0, 20, 2]);
    expect(await served({ assetsPreviousOffsetEdge: 'null', assetsNextOffsetEdge: 'same' })).toEqual([
      null,
      10,
      2,
    ]);
    expect(await served({ assetsPreviousOffsetEdge: 'absent', assetsNextOffsetEdge: 'null' })).toEqual([
      undefined,
      null,
      2,
    ]);
    expect(
      await served({
        assetsPreviousOffsetEdge: 'minusOne',
        assetsNextOffsetEdge: 'absent',
        assetsFirstPageNumber: 0,
      }),
    ).toEqual([-1, undefined, 1]);
  });

  it('assetsShortPages: some pages in the middle are short, the same ones every time', async () => {
    const { page } = await setUp(1000, { assetsShortPages: 0.5 });
    const walk = async (): Promise<number[]> => {
      const sizes: number[] = [];
      for (let offset = 0; offset < 1000;) {
        const { items } = await page('assets', { limit: 20, offset });
        sizes.push(items.length);
        offset += items.length;
      }
      return sizes;
    };
    const sizes = await walk();
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.filter((size) => size < 20).length).toBeGreaterThan(10);
    expect(sizes.filter((size) => size === 20).length).toBeGreaterThan(10);
    expect(await walk()).toEqual(sizes);
  });

  it('assetsOrder: rows of equal created time swap between requests, others stay', async () => {
    const { scenario, page } = await setUp(100, {});
    await scenario.insert('assets', { count: 3, at: 50 });

    const ask = async (): Promise<[unknown[], unknown[]]> => {
      const all = await page('assets', { limit: 200 });
      return [column(all, 'assetId'), column(all, 'createdDate')];
    };
    expect(await ask()).toEqual(await ask());
    await scenario.setOptions({ assetsOrder: 'shuffleTies' });
    const [[ids, times], [idsAgain, timesAgain]] = [await ask(), await ask()];
    expect(timesAgain).toEqual(times);
    expect(idsAgain).not.toEqual(ids);
    const pairs = (some: unknown[]): string[] =>
      sorted(some.map((id, place) => `${String(times[place])} ${String(id)}`));
    expect(pairs(idsAgain)).toEqual(pairs(ids));
  });
});
