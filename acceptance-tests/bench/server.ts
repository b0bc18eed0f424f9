import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eachList } from '../sandbox/lists.ts';
import { defaultOptions } from '../sandbox/options.ts';
import { rowTexts } from '../sandbox/rows.ts';

const AGE = 600_000; // age of the newest row in ms: much more than the lookback of a connector
const OLD_AGE = 500 * 86_400_000;
const SPACING = 1000;
const SEED = 8;

const NARROW = ['alarmId', 'assetId', 'severity', 'createdDate'];
const TEN = [...NARROW, 'alarmType', 'status', 'message', 'value', 'unit', 'ruleId'];
const assets = { kind: 'assets', ageMs: AGE, members: null, more: null } as const;
const alarms = { kind: 'alarms', ageMs: AGE, members: null, more: null } as const;

/** A double with all its digits, as devices print it. */
const double = (row: number): number => 48 + ((row * 7919) % 99_991) / 99_991;
const numbers = (row: number): string =>
  `"latitude":${double(row)},"longitude":${double(row + 1).toPrecision(17)},` +
  `"speed":${double(row).toExponential(9)},"serial":9${String(row).padStart(19, '0')}`;
const nested = (row: number): string =>
  `"position":{"latitude":${double(row)},"longitude":${double(row + 1)}},"loads":[${double(row + 2)}]`;
const zones = (): string => '"sentDate":"2026-01-31T10:00:00+02:00","localDate":"2026-01-31T10:00:00"';

/** Rows of the sandbox, old alarms, narrower rows, and values that are expensive to compare with a catalog. */
const LISTS = {
  assets,
  alarms,
  oldAlarms: { ...alarms, ageMs: OLD_AGE },
  narrowAssets: { ...assets, members: ['assetId', 'vin', 'odometerKm', 'createdDate'] },
  narrowAlarms: { ...alarms, members: NARROW },
  tenAlarms: { ...alarms, members: TEN },
  numbers: { ...alarms, members: NARROW, more: numbers },
  nested: { ...alarms, members: NARROW, more: nested },
  zones: { ...alarms, members: NARROW, more: zones },
} as const;
export type ListName = keyof typeof LISTS;

type List = ReturnType<typeof renderList>;

/** Renders all rows into one buffer, with a comma before each, and the position of each row. */
function renderList(name: ListName, size: number) {
  const { kind, ageMs, members, more } = LISTS[name];
  const firstCreated = Math.floor((Date.now() - ageMs) / SPACING - size) * SPACING;
  const sizes = eachList(() => size);
  const textOf = rowTexts(kind, SEED, sizes, defaultOptions);
  const places = new Float64Array(size + 1);
  const rows = Array.from({ length: size }, (_, number) => {
    const whole = textOf({ number, createdMicros: (firstCreated + number * SPACING) * 1000 });
    const item = members === null ? whole : JSON.stringify(JSON.parse(whole), [...members]);
    const text = more === null ? `,${item}` : `,${item.slice(0, -1)},${more(number)}}`;
    places[number + 1] = (places[number] ?? 0) + Buffer.byteLength(text);
    return Buffer.from(text);
  });
  return { firstCreated, size, places, bytes: Buffer.concat(rows) };
}

/** Returns the pieces of a page of the newest `count` rows, so that lists of any length have the same newest row. */
function pageOf(list: List, count: number, query: URLSearchParams, limit: number): readonly Buffer[] {
  const { firstCreated, size, places, bytes } = list;
  const first = size - count;
  const offset = query.get('offset');
  const since = (Date.parse(query.get('createdSince') ?? '') - firstCreated) / SPACING - first;
  const start = Number(offset ?? query.get('after')?.slice(1) ?? Math.ceil(Math.max(0, since || 0)));
  const end = Math.min(count, start + limit);
  const byOffset = { offset: start, limit, totalCount: count };
  const pagination = offset === null ? { nextCursor: end < count ? `c${end}` : '' } : byOffset;
  // a view, not a copy, because the server shares the CPU with its readers
  const items = bytes.subarray((places[first + Math.min(start, end)] ?? 0) + 1, places[first + end]);
  return [HEAD, items, Buffer.from(`],"metadata":${JSON.stringify({ pagination })}}`)];
}

const TOKEN = Buffer.from('{"accessToken":"bench-token","expiresIn":86400,"tokenType":"Bearer"}');
const HEAD = Buffer.from('{"items":[');

/** Serves lists that are rendered in advance; the sandbox would be slower than its readers. */
export async function startServer() {
  const lists = new Map<string, List>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const arrivedMs = performance.now();
    request.resume();
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    const [, name = '', count, latencyMs, maxPageSize] = pathname.split('/');
    const list = lists.get(name);
    const limit = Math.min(Number(query.get('limit') ?? maxPageSize), Number(maxPageSize));
    const pieces = list === undefined ? [TOKEN] : pageOf(list, Number(count), query, limit);
    const send = (): void => {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).cork();
      for (const piece of pieces) response.write(piece);
      response.end();
    };
    if (list === undefined || latencyMs === '0') send();
    else runAt(arrivedMs + Number(latencyMs), send);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    list: (name: ListName, count: number, latencyMs: number, maxPageSize: number) => {
      if ((lists.get(name)?.size ?? 0) < count) lists.set(name, renderList(name, count));
      return { kind: LISTS[name].kind, base_url: `${origin}/${name}/${count}/${latencyMs}/${maxPageSize}` };
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs at a time of `performance.now()`. Timers alone are up to two ms late. */
function runAt(dueMs: number, run: () => void): void {
  const check = (): void => {
    if (performance.now() < dueMs) setImmediate(check);
    else run();
  };
  setTimeout(check, Math.max(0, dueMs - performance.now() - 2));
}
