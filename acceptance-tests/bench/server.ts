import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { eachList } from '../sandbox/lists.ts';
import { defaultOptions } from '../sandbox/options.ts';
import { rowTexts } from '../sandbox/rows.ts';

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

const SEED = 8;
/** ms between two rows. */
const SPACING = 1000;
/** Rows that are put together at a time. */
const BATCH = 1000;

/** The texts of a page, one behind the other. */
type Parts = readonly (string | Buffer)[];
type RowTexts = ReturnType<typeof renderRows>;

/** Rows of a list as one text: those of a page stand behind one another, with commas between them. */
function renderRows(name: ListName, size: number) {
  const { kind, ageMs, members } = LISTS[name];
  const firstCreated = Math.floor((Date.now() - ageMs) / SPACING - size) * SPACING;
  const sizes = eachList(() => size);
  const textOf = rowTexts(kind, SEED, sizes, defaultOptions);
  const starts = new Float64Array(size + 1);
  const batches: Buffer[] = [];
  for (let first = 0; first < size; first += BATCH) {
    let batch = '';
    for (let row = first; row < Math.min(size, first + BATCH); row++) {
      const whole = textOf({ number: row, createdMicros: (firstCreated + row * SPACING) * 1000 });
      const text = `${members === null ? whole : JSON.stringify(JSON.parse(whole), [...members])},`;
      starts[row + 1] = (starts[row] ?? 0) + Buffer.byteLength(text);
      batch += text;
    }
    batches.push(Buffer.from(batch));
  }
  const bytes = Buffer.concat(batches);
  return {
    size,
    /** The first row that is created at `ms` or later. */
    createdSince: (ms: number) => Math.ceil((ms - firstCreated) / SPACING),
    /** The rows from `start` up to, not including, `end`: a view, not a copy. */
    between: (start: number, end: number) =>
      start < end ? bytes.subarray(starts[start], (starts[end] ?? 0) - 1) : '',
  };
}

/** The API of the benchmark, whose lists are rendered beforehand: the sandbox would take longer than its readers. */
export async function startServer() {
  const lists = new Map<string, RowTexts>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const arrivedMs = performance.now();
    request.resume();
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    const [, name = '', count, late, most, , kind] = pathname.split('/');
    const list = lists.get(name);
    const limit = Math.min(Number(query.get('limit') ?? most), Number(most));
    if (name === 'token')
      send(response, ['{"accessToken":"bench-token","expiresIn":86400,"tokenType":"Bearer"}']);
    else if (list === undefined) response.writeHead(404).end();
    else {
      const page = kind === 'assets' ? pageByOffset : pageByCursor;
      const answer = page(list, Number(count), query, limit);
      if (late === '0') send(response, answer);
      else at(arrivedMs + Number(late), () => send(response, answer));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** The address of a list of so many rows, whose answers are so late, in pages of that size at most. */
    list: (name: ListName, rows: number, latencyMs: number, most: number) => {
      if ((lists.get(name)?.size ?? 0) < rows) lists.set(name, renderRows(name, rows));
      return { kind: LISTS[name].kind, base_url: `${origin}/${name}/${rows}/${latencyMs}/${most}` };
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, parts: Parts): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

// row n stands at position n
function pageByOffset(list: RowTexts, rows: number, query: URLSearchParams, limit: number): Parts {
  const offset = Number(query.get('offset'));
  const items = list.between(offset, Math.min(rows, offset + limit));
  return pageOf(items, `"offset":${offset},"limit":${limit},"totalCount":${rows}`);
}

// the latest rows: a list of any size ends some minutes ago, or long ago
function pageByCursor(list: RowTexts, rows: number, query: URLSearchParams, limit: number): Parts {
  const first = list.size - rows;
  const since = query.get('createdSince');
  const bound = since === null ? 0 : Math.max(0, list.createdSince(Date.parse(since)) - first);
  const from = Number(query.get('after')?.slice(1) ?? bound);
  const end = Math.min(rows, from + limit);
  return pageOf(list.between(first + from, first + end), `"nextCursor":"${end < rows ? `c${end}` : ''}"`);
}

function pageOf(items: string | Buffer, pagination: string): Parts {
  return ['{"items":[', items, `],"metadata":{"pagination":{${pagination}}}}`];
}

/** Runs at a time of `performance.now()`. Timers alone are up to two ms late, which would count against whoever is measured. */
function at(dueMs: number, run: () => void): void {
  const look = (): void => {
    if (performance.now() < dueMs) setImmediate(look);
    else run();
  };
  setTimeout(look, dueMs - performance.now() - 2);
}
