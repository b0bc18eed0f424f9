import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
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

/**
 * Starts a server of the documented API with `drivers` (by offset, newest first) and `alarms` (by cursor), rows of 40 fields. It is
 * closed after the test.
 */
export async function useFleetApi(rows: number, changes: FleetChanges) {
  const { envelope = documented, maxPage = 50, boundField = 'createdDate' } = changes;
  const drivers = Array.from({ length: rows }, (_, at) => (changes.driver ?? same)(driverOf(at), at));
  const ascending = Array.from({ length: rows }, (_, at) => (changes.alarm ?? same)(alarmOf(at), at));
  const alarms = changes.newestFirst === true ? ascending.toReversed() : ascending;
  const requests: string[] = [];
  const byOffset = (query: URLSearchParams): unknown => {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 25)];
    if (limit > maxPage) return null;
    const page = { offset, limit, nextOffset: offset + limit, totalCount: rows };
    return envelope(drivers.slice(offset, offset + limit), page);
  };
  const byCursor = (query: URLSearchParams): unknown => {
    const since = Date.parse(query.get('createdSince') ?? '') || 0;
    const isIn = (row: Row): boolean => boundField === null || timeIn(row[boundField]) >= since;
    const wanted = since === 0 ? alarms : alarms.filter(isIn);
    const from = Number((query.get('after') ?? 'cursor-0').slice('cursor-'.length));
    const to = from + Math.min(maxPage, Number(query.get('limit') ?? maxPage));
    return envelope(wanted.slice(from, to), { nextCursor: to < wanted.length ? `cursor-${to}` : '' });
  };
  const lists: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
    '/v1/drivers': byOffset,
    '/v1/alarms': byCursor,
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

const timeIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);

const same = (row: Row): Row => row;

const documented = (items: readonly Row[], pagination: Pagination): unknown => ({
  items,
  metadata: { pagination },
});
