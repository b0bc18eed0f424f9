import { expect, it } from 'vitest';
import type { OptionsPatch } from '../client.ts';
import { offsetMembers, type MemberOption } from '../options.ts';
import { inAnyOrder, rowsOf, sizesOf, useSandbox, type Page } from '../test-calls.ts';

const { open } = useSandbox();
const setUp = (assets: number, options: OptionsPatch) => open({ assets, alarms: 0, options });
const pagingOf = ({ metadata }: Page): Record<string, unknown> => metadata.pagination;

it('serves L rows from row O on, newest first, so that pages add up to the list', async () => {
  const { page, truth } = await setUp(103, {});
  const offsets = Array.from({ length: 12 }, (_, index) => index * 10);
  const pages = await Promise.all(offsets.map((offset) => page('assets', `limit=10&offset=${offset}`)));
  expect(sizesOf(pages)).toEqual([...Array.from({ length: 10 }, () => 10), 3, 0]);
  expect(rowsOf(pages)).toEqual((await truth('assets', {})).toReversed());
  const created = rowsOf(pages).map((row) => String(row['createdDate']));
  expect(created).toEqual(created.toSorted().toReversed());
  expect(sizesOf([await page('assets', ''), await (await setUp(0, {})).page('assets', '')])).toEqual([50, 0]);
});

const bad = ['limit=-1', 'limit=0', 'limit=1.5', 'limit=', 'offset=-1', 'offset=1e1', 'limit=1&limit=2'];
it.each(bad)('refuses %s', async (query) => {
  const { reply } = await setUp(5, {});
  expect((await reply('assets', query)).status).toBe(400);
});

it('shows every member of the pagination object (2.6), each as its option wants it', async () => {
  const { scenario, page } = await setUp(103, {});
  const paging = async (): Promise<object> => pagingOf(await page('assets', 'limit=25&offset=50'));
  const numbers = { previousOffset: 25, nextOffset: 75, currentPage: 3, pageCount: 5, totalCount: 103 };
  const right: Record<string, number> = { offset: 50, limit: 25, ...numbers };
  expect(await paging()).toEqual(right);
  for (const name of offsetMembers) {
    const number = right[name] ?? 0;
    const forms: [option: MemberOption, value: unknown][] = [
      ['absent', undefined],
      ['null', null],
      ['minusOne', -1],
      ['wrong', Math.floor(number / 2)],
      [{ plus: -3 }, number - 3],
      ['right', number],
    ];
    for (const [option, value] of forms) {
      await scenario.setOptions({ assetsPagination: { [name]: option } });
      expect(await paging()).toEqual({ ...right, [name]: value });
    }
  }
});

it('cuts larger limits, or refuses them; the member limit shows what was asked for', async () => {
  const { page, reply } = await setUp(50, { assetsLimitCap: 20, assetsLimitRefusedAbove: 30 });
  const capped = await page('assets', 'limit=30');
  expect([capped.items.length, pagingOf(capped)['limit']]).toEqual([20, 30]);
  expect((await reply('assets', 'limit=31')).status).toBe(400);
});

it('has short pages in the middle, the same ones every time', async () => {
  const { page } = await setUp(1000, { assetsShortPages: 0.5 });
  const offsets = Array.from({ length: 49 }, (_, index) => index * 20);
  const walk = async (): Promise<number[]> =>
    sizesOf(await Promise.all(offsets.map((offset) => page('assets', `limit=20&offset=${offset}`))));
  const sizes = await walk();
  expect(Math.min(...sizes)).toBeGreaterThan(1);
  expect(sizes.filter((size) => size < 20).length).toBeGreaterThan(10);
  expect(sizes.filter((size) => size === 20).length).toBeGreaterThan(10);
  expect(await walk()).toEqual(sizes);
});

it('swaps rows of equal created time between requests, and no others', async () => {
  const { scenario, page } = await setUp(200, {});
  const ask = async (): Promise<Page['items']> => (await page('assets', 'limit=200')).items;
  const stable = await ask();
  expect(await ask()).toEqual(stable);
  await scenario.setOptions({ assetsOrder: 'shuffleTies' });
  const [one, other] = [await ask(), await ask()];
  expect(other).not.toEqual(one);
  expect(other.map((row) => row['createdDate'])).toEqual(stable.map((row) => row['createdDate']));
  expect(inAnyOrder(other)).toEqual(inAnyOrder(stable));
});
