import type { IncomingMessage, ServerResponse } from 'node:http';

import { createMovingList } from './moving-list.ts';
import type { MovingList } from './moving-list.ts';
import { idOf, renderRows } from './row-texts.ts';
import type { Kind, RowTexts } from './row-texts.ts';

/** What stands in the path before `/v1/…`: number of rows, how late an answer is, how long a page at most, if rows are old. */
const PATH = /^\/rows\/(\d+)\/late\/(\d+)\/most\/(\d+)(\/old)?\/v1\/(assets|alarms)$/;
const MOVING = /^\/moving\/(\w+)\/(?:v1\/)?(assets|truth)$/;
const MOVING_ROWS = 5000;
/** ms before now at which the latest row is created: further back than a connector looks for late rows; and long before. */
const AGE = 600_000;
const OLD_AGE = 500 * 86_400_000;

const NEWLINE = Buffer.from('\n');
const HEAD = Buffer.from('{"items":[');
const TOKEN = Buffer.from('{"accessToken":"bench-token","expiresIn":86400,"tokenType":"Bearer"}');

/** The lists that are rendered; the old alarms stand in for the others where a path asks for them. */
export type ListName = Kind | 'oldAlarms';

/** What has been served since the last time that this was asked. */
export interface Figures {
  readonly requests: number;
  readonly bytes: number;
}

/** The API of the benchmark: lists that are rendered beforehand, of any number of rows. */
export interface BenchApi {
  /** Renders so many rows at least; before that there is nothing to read. */
  readonly prepare: (rows: Readonly<Record<ListName, number>>) => void;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly figures: () => Figures;
}

export function createBenchApi(): BenchApi {
  let texts = render({ assets: 1, alarms: 1, oldAlarms: 1 });
  const movingLists = new Map<string, MovingList>();
  let requests = 0;
  let bytes = 0;

  const send = (response: ServerResponse, parts: readonly Buffer[]): void => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    bytes += length;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    response.cork();
    for (const part of parts) response.write(part);
    response.end();
  };

  const assets = (rows: number, offset: number, limit: number): Buffer[] => {
    // row n stands at position n
    const end = Math.min(rows, offset + limit);
    const items = offset < end ? texts.assets.between(offset, end) : [];
    return [HEAD, ...items, tail(`"offset":${offset},"limit":${limit},"totalCount":${rows}`)];
  };
  /** The ids of the rows that were there throughout, in one line; then the text of each row that ever was, line by line. */
  const truthOf = (list: MovingList): Buffer[] => {
    const { throughout, ever } = list.truth();
    const ids = Buffer.from(JSON.stringify(throughout.map((row) => idOf('assets', row))));
    const lines = Array.from({ length: ever }, (_, row) => [NEWLINE, ...texts.assets.between(row, row + 1)]);
    return [ids, ...lines.flat()];
  };
  const moving = (name: string, what: string, query: URLSearchParams): Buffer[] => {
    const list = movingLists.get(name) ?? createMovingList(MOVING_ROWS);
    movingLists.set(name, list);
    if (what === 'truth') return truthOf(list);
    const [offset, limit] = [numberIn(query, 'offset', 0), numberIn(query, 'limit', 100)];
    const rows = list.page(offset, limit);
    const items = rows.flatMap((row, index) => [
      ...(index === 0 ? [] : [Buffer.from(',')]),
      ...texts.assets.between(row, row + 1),
    ]);
    return [HEAD, ...items, tail(`"offset":${offset},"limit":${limit},"totalCount":${list.size()}`)];
  };

  return {
    prepare: (rows) => {
      texts = render({ ...rows, assets: Math.max(rows.assets, 2 * MOVING_ROWS) });
    },
    handle: (request, response) => {
      const arrivedMs = performance.now();
      requests++;
      request.resume();
      const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
      const [, rowsText, late, most, old, kind] = PATH.exec(pathname) ?? [];
      if (pathname === '/token') {
        send(response, [TOKEN]);
        return;
      }
      const [, name, what] = MOVING.exec(pathname) ?? [];
      if (name !== undefined && what !== undefined) {
        send(response, moving(name, what, query));
        return;
      }
      if (kind === undefined) {
        response.writeHead(404).end();
        return;
      }
      const rows = Number(rowsText);
      const limit = Math.min(numberIn(query, 'limit', Number(most)), Number(most));
      const answer =
        kind === 'assets'
          ? assets(rows, numberIn(query, 'offset', 0), limit)
          : pageOfAlarms(old === undefined ? texts.alarms : texts.oldAlarms, rows, query, limit);
      if (late === '0') send(response, answer);
      else at(arrivedMs + Number(late), () => send(response, answer));
    },
    figures: () => {
      const figures = { requests, bytes };
      requests = 0;
      bytes = 0;
      return figures;
    },
  };
}

function render(rows: Readonly<Record<ListName, number>>): Readonly<Record<ListName, RowTexts>> {
  return {
    assets: renderRows('assets', rows.assets, AGE),
    alarms: renderRows('alarms', rows.alarms, AGE),
    oldAlarms: renderRows('alarms', rows.oldAlarms, OLD_AGE),
  };
}

// the latest rows: a list of any size ends some minutes ago, or long ago
function pageOfAlarms(list: RowTexts, rows: number, query: URLSearchParams, limit: number): Buffer[] {
  const first = list.size - rows;
  const after = query.get('after');
  const since = query.get('createdSince');
  const bound = since === null ? 0 : list.createdSince(Date.parse(since)) - first;
  const from = after === null ? Math.max(0, bound) : Number(after.slice(1));
  const end = Math.min(rows, from + limit);
  const items = from < end ? list.between(first + from, first + end) : [];
  return [HEAD, ...items, tail(`"nextCursor":"${end < rows ? `c${end}` : ''}"`)];
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
