import { describe, expect, test } from 'vitest';
import { wholePage } from '../../../acceptance-tests/model/answer.ts';
import { BOUNDS, type BoundRule } from '../../../acceptance-tests/model/bounds.ts';
import { numberedPage } from '../../../acceptance-tests/model/row-number-cursors.ts';
import { configError } from '../../errors.ts';
import { MS } from '../../paging/instant.ts';
import { rowOf, rowValue } from '../../rows/row.test-support.ts';
import { alarm, isoAt, type Item } from './alarm-items.test-support.ts';
import { checkCursorList, type FetchLimited } from './check-cursor.ts';

const LIST = { name: 'alarms', place: 'alarms', path: '/v1/alarms' };
const CONFIG = { created_field: 'createdDate', id_field: 'alarmId', lookback_seconds: 300 };

interface Server {
  readonly items: readonly Item[]; // in the order of the list
  readonly boundField?: string | null; // that createdSince refers to; null: it is ignored
  readonly maxPage?: number;
  readonly bound?: BoundRule; // inclusive unless given
  readonly refuses?: (limit: number | null, createdSince: string | null) => boolean;
}

/** Requests to a list that pages as documented. */
function serve(server: Server) {
  const { items, boundField = 'createdDate', maxPage = 50, refuses = () => false } = server;
  const requests: string[] = [];
  const timeOf = (item: Item): bigint | null => nanoseconds(item[boundField ?? '']);
  const rows = { rows: items, timeOf, bound: server.bound ?? BOUNDS.inclusive };
  const fetch: FetchLimited = async (limit, { after, createdSince }) => {
    requests.push(`${limit} ${after} ${createdSince}`);
    if (refuses(limit, createdSince)) throw configError('REQUEST_REFUSED', 'alarms: refused (400)');
    const since = boundField === null ? null : nanoseconds(createdSince);
    const request = { limit: Math.min(limit ?? maxPage, maxPage), since, after };
    const page = numberedPage(rows, request, wholePage);
    return { rows: page.rows.map(rowOf), next: page.next, time: 0n, sentAtMs: 0, receivedAtMs: 0, limit };
  };
  return { fetch, requests };
}

/** ns since the epoch; null if the value is no time. */
const nanoseconds = (value: unknown) => (typeof value === 'string' ? BigInt(Date.parse(value)) * MS : null);

const list = (count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

async function resultOf(
  server: Server,
  config: Partial<typeof CONFIG> & { start_date?: string; page_size?: number },
) {
  const { fetch, requests } = serve(server);
  const result = await checkCursorList(LIST, { ...CONFIG, ...config }, fetch).catch(
    (error: unknown) => (error as Error).message,
  );
  expect(requests.length).toBeLessThanOrEqual(4);
  return { result, requests };
}

const ALARMS = list(120, alarm);

describe('a right config', () => {
  test.each<[what: string, server: Server, config: object]>([
    ['ascending', { items: ALARMS }, {}],
    ['a short list', { items: ALARMS.slice(0, 3) }, {}],
    [
      'late rows',
      { items: [...ALARMS.slice(1, 20), alarm(0), ...ALARMS.slice(20)] },
      { lookback_seconds: 86_400 },
    ],
    ['from start_date on', { items: ALARMS }, { start_date: '2026-03-01T10:00:00Z' }],
    [
      'dates without a time',
      { items: list(60, (index) => ({ alarmId: index, createdDate: isoAt(index * 300).slice(0, 10) })) },
      {},
    ],
    [
      'a server that cuts the bound to minutes',
      {
        items: list(60, (index) => ({ alarmId: index, createdDate: isoAt(index / 10) })),
        bound: BOUNDS['cut to the minute'],
      },
      {},
    ],
    ['a key that is a number', { items: list(9, (index) => ({ ...alarm(index), alarmId: index })) }, {}],
    ['a row that is listed twice', { items: [...ALARMS, alarm(119)] }, { page_size: 200 }],
  ])('%s', async (_, server, config) => {
    expect((await resultOf(server, config)).result).toBe('ok');
  });

  test('requests: the rows from start_date on, the page after them, and one probe from the middle of the page', async () => {
    const config = { start_date: '2026-03-01T09:55:00Z' };
    const { requests } = await resultOf({ items: ALARMS, maxPage: 20 }, config);
    expect(requests.join(', ')).toBe(
      '100 null 2026-03-01T09:55:00Z, 100 20 2026-03-01T09:55:00Z, 100 null 2026-03-01T11:40:00.000Z',
    );
    expect((await resultOf({ items: ALARMS }, { page_size: 10 })).requests[0]).toBe('10 null null');
    // newest first, the rows from the middle on would be those of the first page
    const { requests: newestFirst } = await resultOf({ items: ALARMS.toReversed() }, {});
    expect(newestFirst.join(', ')).toBe('100 null null, 100 50 null');
  });

  test('rows before start_date do not count', async () => {
    const items = [...list(9, (n) => ({ ...alarm(0), n })), ...ALARMS.slice(1)];
    expect((await resultOf({ items }, { start_date: '2026-03-01T00:05:00Z' })).result).toBe('ok');
  });

  test('a server that refuses the limit is requested as a read does it', async () => {
    const { result, requests } = await resultOf({ items: ALARMS, refuses: (limit) => limit === 100 }, {});
    expect(result).toBe('ok');
    expect(requests.map((request) => request.split(' ')[0])).toStrictEqual(['100', 'null', 'null', 'null']);
    expect((await resultOf({ items: ALARMS, refuses: () => true }, {})).result).toBe('alarms: refused (400)');
  });

  test('rows without a time, or empty pages, may come first', async () => {
    const timeless = list(60, (index) => ({ ...alarm(index), alarmId: `t${index}`, createdDate: null }));
    const { result, requests } = await resultOf({ items: [...timeless, ...ALARMS] }, {});
    expect(requests.slice(0, 2)).toStrictEqual(['100 null null', '100 50 null']);
    expect(result).toMatch(
      /^ok\. Note: "createdDate" \(alarms\.created_field\) has no readable time in 60 of 100 rows checked/,
    );
  });
});

test.each<[what: string, server: Server, config: object, result: RegExp]>([
  ['no rows', { items: [] }, {}, /^ok\. Note: there are no rows, so no field was checked\.$/],
  [
    'no rows from start_date on',
    { items: ALARMS },
    { start_date: '2027-01-01T00:00:00Z' },
    /^ok\. Note: there are no rows from start_date on \(2027-01-01T00:00:00Z\), so no field was checked\.$/,
  ],
  [
    'a server that refuses the bound of the probe',
    { items: ALARMS, refuses: (_, createdSince) => createdSince !== null },
    {},
    /^alarms: the server refuses createdSince=2026-03-01T04:10:00\.000Z, .* The server's answer: alarms: refused \(400\)$/,
  ],
  [
    'a server that ignores createdSince',
    { items: ALARMS, boundField: null },
    {},
    /^ok\. Note: createdSince does not refer to "createdDate" /,
  ],
  [
    'two wrong fields, which are named together',
    { items: ALARMS },
    { id_field: 'id', created_field: 'created' },
    /^alarms: "id" \(alarms\.id_field\) is not a field .*, or omit it\. "created" \(alarms\.created_field\) is not a field .* created time\.$/,
  ],
])('%s', async (_, server, config, result) => {
  expect((await resultOf(server, config)).result).toMatch(result);
});

describe('a key of something else', () => {
  test('that repeats only after the first page', async () => {
    const items = ALARMS.map((item, index) => ({ ...item, assetId: `asset${index % 25}` }));
    expect((await resultOf({ items, maxPage: 25 }, { id_field: 'assetId' })).result).toMatch(
      /^alarms: "assetId" \(alarms\.id_field\) does not identify rows: 2 different rows of 37 checked have the value "asset0"\./,
    );
  });

  test('that differs in all rows by chance is told from the key of the list', async () => {
    expect((await resultOf({ items: ALARMS }, { id_field: 'assetId' })).result).toMatch(
      /^ok\. Note: "assetId" differs in all rows checked, but "alarmId" is named like the ID of a row\. If .* to "alarmId"\.$/,
    );
  });

  test('a row that changes between two requests does not repeat its key', async () => {
    let version = 0;
    const { fetch } = serve({ items: ALARMS, maxPage: 20 });
    const changing: FetchLimited = async (limit, request) => {
      version++;
      const page = await fetch(limit, request);
      return { ...page, rows: page.rows.map((row) => rowOf({ ...rowValue(row), version })) };
    };
    expect(await checkCursorList(LIST, CONFIG, changing)).toBe('ok');
  });
});
