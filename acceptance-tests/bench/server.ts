import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { eachList } from '../sandbox/lists.ts';
import { defaultOptions } from '../sandbox/options.ts';
import { rowTexts } from '../sandbox/rows.ts';

/** ms before now at which the latest row is created: further back than a connector looks for late rows; and long before. */
const AGE = 600_000;
const OLD_AGE = 500 * 86_400_000;
/** ms between two rows. */
const SPACING = 1000;
const SEED = 8;

/** The lists: rows as wide as the sandbox's, alarms of long ago, and rows of a few members. */
const LISTS = {
  assets: { kind: 'assets', ageMs: AGE, members: null },
  alarms: { kind: 'alarms', ageMs: AGE, members: null },
  oldAlarms: { kind: 'alarms', ageMs: OLD_AGE, members: null },
  narrowAssets: { kind: 'assets', ageMs: AGE, members: ['assetId', 'vin', 'odometerKm', 'createdDate'] },
  narrowAlarms: { kind: 'alarms', ageMs: AGE, members: ['alarmId', 'assetId', 'severity', 'createdDate'] },
} as const;
export type ListName = keyof typeof LISTS;

type List = ReturnType<typeof renderList>;

/** Rows that were created one after the other, each as a text with a comma before it. */
function renderList(name: ListName, size: number) {
  const { kind, ageMs, members } = LISTS[name];
  const firstCreated = Math.floor((Date.now() - ageMs) / SPACING - size) * SPACING;
  const sizes = eachList(() => size);
  const textOf = rowTexts(kind, SEED, sizes, defaultOptions);
  const rows = Array.from({ length: size }, (_, number) => {
    const whole = textOf({ number, createdMicros: (firstCreated + number * SPACING) * 1000 });
    return Buffer.from(`,${members === null ? whole : JSON.stringify(JSON.parse(whole), [...members])}`);
  });
  return { firstCreated, rows };
}

/** A page of the latest `count` rows: a list of any length ends some minutes ago, or long ago. */
function pageOf({ firstCreated, rows }: List, count: number, query: URLSearchParams, limit: number): Buffer {
  const first = rows.length - count;
  const offset = query.get('offset');
  const since = (Date.parse(query.get('createdSince') ?? '') - firstCreated) / SPACING - first;
  const start = Number(offset ?? query.get('after')?.slice(1) ?? Math.ceil(Math.max(0, since || 0)));
  const end = Math.min(count, start + limit);
  const byOffset = { offset: start, limit, totalCount: count };
  const pagination = offset === null ? { nextCursor: end < count ? `c${end}` : '' } : byOffset;
  const items = Buffer.concat(rows.slice(first + start, first + end)).subarray(1);
  const tail = `],"metadata":${JSON.stringify({ pagination })}}`;
  return Buffer.concat([Buffer.from('{"items":['), items, Buffer.from(tail)]);
}

/** The API of the benchmark, whose lists are rendered beforehand: the sandbox would take longer than its readers. */
export async function startServer() {
  const lists = new Map<string, List>();
  const token = Buffer.from('{"accessToken":"bench-token","expiresIn":86400,"tokenType":"Bearer"}');
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const arrivedMs = performance.now();
    request.resume();
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    const [, name = '', count, late, most] = pathname.split('/');
    const list = lists.get(name);
    const limit = Math.min(Number(query.get('limit') ?? most), Number(most));
    const body = list === undefined ? token : pageOf(list, Number(count), query, limit);
    const send = (): void => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      response.writeHead(200, headers).end(body);
    };
    if (list === undefined || late === '0') send();
    else at(arrivedMs + Number(late), send);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** The address of a list of so many rows, whose answers are so late, in pages of that size at most. */
    list: (name: ListName, count: number, latencyMs: number, most: number) => {
      if ((lists.get(name)?.rows.length ?? 0) < count) lists.set(name, renderList(name, count));
      return { kind: LISTS[name].kind, base_url: `${origin}/${name}/${count}/${latencyMs}/${most}` };
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs at a time of `performance.now()`. Timers alone are up to two ms late, which would count against whoever is measured. */
function at(dueMs: number, run: () => void): void {
  const look = (): void => {
    if (performance.now() < dueMs) setImmediate(look);
    else run();
  };
  setTimeout(look, dueMs - performance.now() - 2);
}
