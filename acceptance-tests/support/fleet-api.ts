import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { isRefusal, wholePage } from '../model/answer.ts';
import { BOUNDS } from '../model/bounds.ts';
import { ORDINARY_OFFSETS, offsetAnswer } from '../model/offset-answer.ts';
import { numberedPage } from '../model/row-number-cursors.ts';
import { accountAt } from './fixed-api.ts';

type Row = Readonly<Record<string, unknown>>;
type Pagination = Readonly<Record<string, unknown>>;

/** How the API differs from the documented one. */
export interface FleetChanges {
  /** The body of a response with a page. */
  readonly envelope?: (items: readonly Row[], pagination: Pagination) => unknown;
  /** The field that createdSince refers to; null if the server ignores it. */
  readonly boundField?: string | null;
  readonly maxPage?: number; // rows; a larger limit is reduced to it, or refused in lists by offset
  readonly driver?: (row: Row, index: number) => Row;
  readonly alarm?: (row: Row, index: number) => Row;
  readonly newestFirst?: boolean; // the order of alarms
}

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-03-01T00:00:00Z');
const isoAt = (minutes: number): string => new Date(START_MS + minutes * MINUTE_MS).toISOString();

/** Further fields, so that a row has about 40. */
const filling = (index: number): Row =>
  Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`attribute${at}`, `${at}-${index % 7}`]));

const driverOf = (index: number): Row => ({
  active: index % 9 !== 0,
  depotId: `depot-${index % 5}`,
  vehicleId: `vehicle-${index}`,
  cardNumber: 7000 + index,
  driverId: `driver-${index}`,
  externalId: index % 2 === 0 ? `x-${index}` : null,
  license: { id: `license-${index}`, classes: ['C', 'CE'] },
  createdDate: isoAt(-index * 60),
  ...filling(index),
});

/** One alarm in ten is uploaded up to 48 hours after its event. */
const alarmOf = (index: number): Row => ({
  assetId: `asset-${index}`,
  alarmId: `alarm-${index}`,
  severity: index % 3,
  createdDate: isoAt(index * 10),
  eventDate: isoAt(index * 10 - (index % 10 === 7 ? 2000 : 1)),
  closedDate: index % 3 === 0 ? isoAt(index * 10 + 90) : null,
  position: { latitude: 50.1, longitude: 8.2 },
  ...filling(index),
});

/** Members of the pagination object of drivers. */
const STATED = { offset: 'right', limit: 'right', nextOffset: 'right', totalCount: 'right' } as const;

/**
 * Starts a server of the documented API with `drivers` (by offset, newest first) and `alarms` (by cursor), rows of 40 fields. It is
 * closed after the test.
 */
export async function useFleetApi(rows: number, changes: FleetChanges) {
  const { maxPage = 50 } = changes;
  const drivers = Array.from({ length: rows }, (_, at) => (changes.driver ?? same)(driverOf(at), at));
  const ascending = Array.from({ length: rows }, (_, at) => (changes.alarm ?? same)(alarmOf(at), at));
  const alarms = changes.newestFirst === true ? ascending.toReversed() : ascending;
  const requests: string[] = [];
  const lists: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
    '/v1/drivers': (query) => pageByOffset(drivers, query, maxPage, changes),
    '/v1/alarms': (query) => pageByCursor(alarms, query, maxPage, changes),
  };
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname === '/token') return response.end('{"accessToken":"fixed-token","expiresIn":86400}');
    requests.push(pathname + search);
    const body = lists[pathname]?.(searchParams);
    response.setHeader('content-type', 'application/json');
    if (body === null) response.statusCode = 400;
    return response.end(JSON.stringify(body ?? { message: `limit is at most ${maxPage}` }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base_url, requests, account: accountAt(base_url) };
}

/** The page of a request; null if its limit is refused. */
function pageByOffset(
  rows: readonly Row[],
  query: URLSearchParams,
  maxPage: number,
  { envelope = documented }: FleetChanges,
): unknown {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 25)];
  const parameters = { ...ORDINARY_OFFSETS, refusedAbove: maxPage, members: STATED };
  const atRest = { size: wholePage, staleTotal: rows.length, ties: null };
  const answer = offsetAnswer(rows, { limit, offset }, parameters, atRest);
  return isRefusal(answer) ? null : envelope(answer.rows, answer.pagination);
}

function pageByCursor(
  rows: readonly Row[],
  query: URLSearchParams,
  maxPage: number,
  { envelope = documented, boundField = 'createdDate' }: FleetChanges,
): unknown {
  const request = {
    limit: Math.min(maxPage, Number(query.get('limit') ?? maxPage)),
    since: boundField === null ? null : nanoseconds(query.get('createdSince')),
    after: query.get('after')?.slice('cursor-'.length) ?? null,
  };
  const timeOf = (row: Row): bigint | null => nanoseconds(row[boundField ?? '']);
  const page = numberedPage({ rows, timeOf, bound: BOUNDS.inclusive }, request, wholePage);
  return envelope(page.rows, { nextCursor: page.next === null ? '' : `cursor-${page.next}` });
}

/** ns since the epoch; null if the value is no time. */
const nanoseconds = (value: unknown): bigint | null =>
  typeof value === 'string' && value !== '' ? BigInt(Date.parse(value)) * 1_000_000n : null;

const same = (row: Row): Row => row;

const documented = (items: readonly Row[], pagination: Pagination): unknown => ({
  items,
  metadata: { pagination },
});
