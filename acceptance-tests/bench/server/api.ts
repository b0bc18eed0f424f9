import type { IncomingMessage, ServerResponse } from 'node:http';

import { renderRows } from './row-texts.ts';
import type { RowTexts } from './row-texts.ts';

/** ms before now at which the latest row is created: further back than a connector looks for late rows; and long before. */
const AGE = 600_000;
const OLD_AGE = 500 * 86_400_000;

/** The lists: rows as wide as the sandbox's, alarms of long ago, and rows of a few members. */
const LISTS = {
  assets: { kind: 'assets', ageMs: AGE, members: null },
  alarms: { kind: 'alarms', ageMs: AGE, members: null },
  oldAlarms: { kind: 'alarms', ageMs: OLD_AGE, members: null },
  narrowAssets: { kind: 'assets', ageMs: AGE, members: ['assetId', 'vin', 'odometerKm', 'createdDate'] },
  narrowAlarms: { kind: 'alarms', ageMs: AGE, members: ['alarmId', 'assetId', 'severity', 'createdDate'] },
} as const;
export type ListName = keyof typeof LISTS;

/** Which list, how many of its rows, how late an answer is, and how long a page at most. */
const PATH = /^\/(\w+)\/(\d+)\/late\/(\d+)\/most\/(\d+)\/v1\/(assets|alarms)$/;
const HEAD = Buffer.from('{"items":[');
const NOTHING = Buffer.alloc(0);
const TOKEN = Buffer.from('{"accessToken":"bench-token","expiresIn":86400,"tokenType":"Bearer"}');

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The API of the benchmark: lists that are rendered beforehand, each of at least so many rows. */
export function createBenchApi(rows: Readonly<Record<ListName, number>>): Handler {
  const texts = new Map(
    Object.entries(LISTS).map(([name, { kind, ageMs, members }]) => [
      name,
      renderRows(kind, rows[name as ListName], ageMs, members),
    ]),
  );
  return (request, response) => {
    const arrivedMs = performance.now();
    request.resume();
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname === '/token') {
      send(response, [TOKEN]);
      return;
    }
    const [, name = '', count, late, most, kind] = PATH.exec(pathname) ?? [];
    const list = texts.get(name);
    if (list === undefined) {
      response.writeHead(404).end();
      return;
    }
    const limit = Math.min(numberIn(query, 'limit', Number(most)), Number(most));
    const page = kind === 'assets' ? pageByOffset : pageByCursor;
    const answer = page(list, Number(count), query, limit);
    if (late === '0') send(response, answer);
    else at(arrivedMs + Number(late), () => send(response, answer));
  };
}

function send(response: ServerResponse, parts: readonly Buffer[]): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

// row n stands at position n
function pageByOffset(list: RowTexts, rows: number, query: URLSearchParams, limit: number): Buffer[] {
  const offset = numberIn(query, 'offset', 0);
  const end = Math.min(rows, offset + limit);
  const items = offset < end ? list.between(offset, end) : NOTHING;
  return [HEAD, items, tail(`"offset":${offset},"limit":${limit},"totalCount":${rows}`)];
}

// the latest rows: a list of any size ends some minutes ago, or long ago
function pageByCursor(list: RowTexts, rows: number, query: URLSearchParams, limit: number): Buffer[] {
  const first = list.size - rows;
  const after = query.get('after');
  const since = query.get('createdSince');
  const bound = since === null ? 0 : list.createdSince(Date.parse(since)) - first;
  const from = after === null ? Math.max(0, bound) : Number(after.slice(1));
  const end = Math.min(rows, from + limit);
  const items = from < end ? list.between(first + from, first + end) : NOTHING;
  return [HEAD, items, tail(`"nextCursor":"${end < rows ? `c${end}` : ''}"`)];
}

/** Runs at a time of `performance.now()`. Timers alone are up to two ms late, which would count against whoever is measured. */
function at(dueMs: number, run: () => void): void {
  const look = (): void => {
    if (performance.now() < dueMs) setImmediate(look);
    else run();
  };
  setTimeout(look, dueMs - performance.now() - 2);
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  return text === null ? otherwise : Number(text);
}

function tail(members: string): Buffer {
  return Buffer.from(`],"metadata":{"pagination":{${members}}}}`);
}
