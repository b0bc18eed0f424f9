import { expect, test } from 'vitest';
import { isRefusal, wholePage } from '../../../acceptance-tests/model/answer.ts';
import {
  ORDINARY_OFFSETS,
  offsetAnswer,
  type OffsetParameters,
} from '../../../acceptance-tests/model/offset-answer.ts';
import { configError } from '../../errors.ts';
import { rowOf } from '../../rows/row.test-support.ts';
import { checkOffsetList } from './check-offset.ts';

const LIST = { name: 'drivers', place: 'lists[0]', path: '/v1/drivers' };
const CONFIG = { id_field: 'driverId', page_size: 500, min_rows: 0 };

/** How the list of 250 rows answers, unless it has other rows or ignores the offset. */
interface Server extends Partial<OffsetParameters> {
  readonly rows?: number;
  readonly ignoresOffset?: boolean;
  readonly item?: (index: number) => object;
  /** Members of the pagination object that are not documented. */
  readonly others?: object;
}

async function resultOf(server: Server, config: Partial<typeof CONFIG>, list: typeof LIST) {
  const { rows = 250, ignoresOffset = false, others = {}, ...kind } = server;
  const item = server.item ?? ((index) => ({ driverId: index, name: 'x' }));
  const all = Array.from({ length: rows }, (_, index) => rowOf(item(index)));
  const parameters = { ...ORDINARY_OFFSETS, ...kind };
  const requests: string[] = [];
  const fetch = async (offset: number, limit: number) => {
    requests.push(`${offset} ${limit}`);
    const request = { limit, offset: ignoresOffset ? 0 : offset };
    const variation = { size: wholePage, staleTotal: rows, ties: null };
    const answer = offsetAnswer(all, request, parameters, variation);
    if (isRefusal(answer)) throw configError('REQUEST_REFUSED', `drivers: limit=${limit} refused`);
    const pagination = { ...answer.pagination, ...others };
    return { rows: answer.rows, total: answer.pagination.totalCount ?? undefined, pagination };
  };
  const result = await checkOffsetList(list, { ...CONFIG, ...config }, fetch).catch(
    (error: unknown) => (error as Error).message,
  );
  return { result, requests };
}

const OFFSET: Server = { members: { offset: 'right' } };

test.each<[what: string, server: Server, config: object, result: string, requests: string[]]>([
  ['a total', {}, {}, 'ok (250 rows)', ['0 100', '99 100']],
  ['no total', OFFSET, {}, 'ok', ['0 100', '99 100']],
  ['as many rows as the config demands', {}, { min_rows: 250 }, 'ok (250 rows)', ['0 100', '99 100']],
  ['the whole list on one page', { rows: 40 }, {}, 'ok (40 rows)', ['0 100']],
  [
    'offsets that are rounded down',
    { offsets: 'rounded down' },
    {},
    'ok (250 rows). Note: the server takes only multiples of the limit as offsets, so pages are requested one after the other, with other limits.',
    ['0 100', '99 100', '99 99'],
  ],
  [
    'offsets that are refused',
    { offsets: 'refused', members: {} },
    {},
    'ok. Note: the server takes only multiples of the limit as offsets, so pages are requested one after the other, with other limits.',
    ['0 100', '99 100', '99 99'],
  ],
  [
    'multiples of a small limit',
    { offsets: 'rounded down', maxPerPage: 5 },
    {},
    'drivers: The server takes only multiples of the limit as offsets, and returns at most 5 rows per page: beyond row 60, such pages cannot ' +
      "overlap. Raise lists[0].page_size, or ask the API's provider to allow any offset or larger pages.",
    ['0 100', '4 100', '4 4'],
  ],
  [
    'fewer rows than the config demands',
    {},
    { min_rows: 251 },
    'drivers: the list states 250 rows, fewer than lists[0].min_rows (251). Check what the service lists for this credential; lower min_rows if the list may be that short.',
    ['0 100'],
  ],
  [
    'fewer rows on the only page',
    { rows: 40 },
    { min_rows: 100 },
    'drivers: the list states 40 rows, fewer than lists[0].min_rows (100). Check what the service lists for this credential; lower min_rows if the list may be that short.',
    ['0 100'],
  ],
  [
    'a total that counts the page',
    { members: { totalCount: 'length of the page' } },
    { min_rows: 200 },
    'ok (100 rows)',
    ['0 100'],
  ],
  ['a small page size', {}, { page_size: 40 }, 'ok (250 rows)', ['0 40', '39 40']],
  ['limits that are refused', { ...OFFSET, refusedAbove: 20 }, {}, 'ok', ['0 100', '0 25', '0 2']],
  ['all limits are refused', { refusedAbove: 1 }, {}, 'drivers: limit=100 refused', ['0 100', '0 25', '0 2']],
  ['neither offset nor total', { members: {} }, {}, 'ok', ['0 100', '99 100']],
  ['neither, and few rows', { rows: 3, members: {}, ignoresOffset: true }, {}, 'ok', ['0 100']],
  [
    'no rows',
    { rows: 0 },
    {},
    'ok (0 rows). Note: the list is empty, so "driverId" was not checked.',
    ['0 100'],
  ],
  [
    'some rows without a key',
    { ...OFFSET, item: (index) => (index % 25 === 0 ? { n: index } : { driverId: index }) },
    {},
    'ok. Note: 4 of 100 rows checked have no string or number in "driverId". Such rows are identified by their text, and destinations ' +
      'cannot merge them.',
    ['0 100', '99 100'],
  ],
])('%s', async (_, server, config, result, requests) => {
  expect(await resultOf(server, config, LIST)).toStrictEqual({ result, requests });
});

test('a server that ignores the offset', async () => {
  const server = { ignoresOffset: true, members: {}, others: { page: 1, pages: 9 } };
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
