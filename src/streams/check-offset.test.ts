import { expect, test } from 'vitest';
import { configError } from '../errors.ts';
import { rowOf } from '../rows/row.test-support.ts';
import { checkOffsetList } from './check-offset.ts';

const LIST = { name: 'drivers', place: 'lists[0]', path: '/v1/drivers' };
const CONFIG = { id_field: 'driverId', page_size: 500 };

type Members = Readonly<Record<string, unknown>>;

interface Server {
  readonly rows?: number;
  readonly maxPage?: number; // a larger limit is refused
  readonly pagination?: (offset: number) => Members;
  readonly ignoresOffset?: boolean;
  readonly item?: (index: number) => object;
}

async function resultOf(server: Server, config: Partial<typeof CONFIG>, list: typeof LIST) {
  const {
    rows = 250,
    maxPage = 500,
    pagination = (offset): Members => ({ offset }),
    ignoresOffset = false,
  } = server;
  const item = server.item ?? ((index) => ({ driverId: index, name: 'x' }));
  const requests: string[] = [];
  const fetch = async (offset: number, limit: number) => {
    requests.push(`${offset} ${limit}`);
    if (limit > maxPage) throw configError('REQUEST_REFUSED', `drivers: limit=${limit} refused`);
    const from = ignoresOffset ? 0 : offset;
    const length = Math.max(0, Math.min(limit, rows - from));
    const members = pagination(offset);
    const total = members['totalCount'] as number | undefined;
    return { rows: Array.from({ length }, (_, at) => rowOf(item(from + at))), total, pagination: members };
  };
  const result = await checkOffsetList(list, { ...CONFIG, ...config }, fetch).catch(
    (error: unknown) => (error as Error).message,
  );
  return { result, requests };
}

const withTotal = (offset: number): Members => ({ offset, totalCount: 250 });

test.each<[what: string, server: Server, config: object, result: string, requests: string[]]>([
  ['a total', { pagination: withTotal }, {}, 'ok (250 rows)', ['0 100']],
  ['no total', {}, {}, 'ok', ['0 100']],
  ['a small page size', { pagination: withTotal }, { page_size: 40 }, 'ok (250 rows)', ['0 40']],
  ['limits that are refused', { maxPage: 20 }, {}, 'ok', ['0 100', '0 25', '0 2']],
  ['all limits are refused', { maxPage: 1 }, {}, 'drivers: limit=100 refused', ['0 100', '0 25', '0 2']],
  ['neither offset nor total', { pagination: () => ({}) }, {}, 'ok', ['0 100', '99 100']],
  ['neither, and few rows', { rows: 3, pagination: () => ({}), ignoresOffset: true }, {}, 'ok', ['0 100']],
  [
    'no rows',
    { rows: 0, pagination: () => ({ totalCount: 0 }) },
    {},
    'ok (0 rows). Note: the list is empty, so "driverId" was not checked.',
    ['0 100'],
  ],
  [
    'some rows without a key',
    { item: (index) => (index % 25 === 0 ? { n: index } : { driverId: index }) },
    {},
    'ok. Note: 4 of 100 rows checked have no string or number in "driverId". Such rows are identified by their text, and destinations ' +
      'cannot merge them.',
    ['0 100'],
  ],
])('%s', async (_, server, config, result, requests) => {
  expect(await resultOf(server, config, LIST)).toStrictEqual({ result, requests });
});

test('a server that ignores the offset', async () => {
  const server = { ignoresOffset: true, pagination: () => ({ page: 1, pages: 9 }) };
  const { result } = await resultOf(server, {}, LIST);
  expect(result).toMatch(
    /^drivers: the server returns its first page for "offset": 99 too, .* \(metadata\.pagination has "page", "pages"\)\. Check lists\[0\]\.base_url/,
  );
});

test.each<[what: string, item: (index: number) => object, config: object, message: RegExp]>([
  [
    'no key',
    (id) => ({ id }),
    {},
    /^drivers: "driverId" \(lists\[0\]\.id_field\) is not a field .*: "id"\. Set lists\[0\]\.id_field to the right one\.$/,
  ],
  [
    'a repeated key',
    (index) => ({ driverId: index, depot: index % 2 }),
    { id_field: 'depot' },
    /50 different rows of 100 checked have the value "0"/,
  ],
])('FAILED: %s', async (_, item, config, message) => {
  expect((await resultOf({ item }, config, LIST)).result).toMatch(message);
});

test('the key of a predefined list is fixed', async () => {
  const assets = { name: 'assets', place: 'assets', path: '/v1/assets' };
  const { result } = await resultOf({ item: (vin) => ({ vin }) }, { id_field: 'assetId' }, assets);
  expect(result).toMatch(
    /^assets: "assetId" is not a field .* The key of assets is fixed: check assets\.base_url\./,
  );
});
