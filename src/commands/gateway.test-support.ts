import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { PAGE } from '../limits.ts';
import { runCheck } from './check.ts';
import { runDiscover } from './discover.ts';
import { collect, configFile } from './fake-service.test-support.ts';
import { runRead } from './read.ts';

/** A list at rest, and what stands between it and a client. */
export interface Service {
  readonly kind: 'offset' | 'cursor';
  readonly rows: readonly string[]; // texts
  readonly maxPage: number;
  /** Answers in place of the list; returns whether it did. `bytes`: of the page that the list has returned. */
  readonly gateway: (response: ServerResponse, bytes: number, seen: Request) => boolean;
}

interface Request {
  readonly limit: number; // NaN if there was none
  readonly at: number; // index of the first row
  readonly turn: number; // of the request
}

const START = Date.parse('2026-03-01T00:00:00Z');

/** A row with its place, padded to a size; rows are 10 s apart. */
function rowAt(place: number, bytes: number): string {
  const createdDate = new Date(START + place * 10_000).toISOString();
  return JSON.stringify({ assetId: String(place), createdDate, pad: 'x'.repeat(bytes) });
}

export const rowsOf = (count: number, bytesAt: (place: number) => number): string[] =>
  Array.from({ length: count }, (_, place) => rowAt(place, bytesAt(place)));

/** Starts a service whose cursors are page numbers, so that the size of pages must not change within a chain. */
async function start({ kind, rows, maxPage, gateway }: Service) {
  const requests: (Request & { readonly isServed: boolean })[] = [];
  const { address } = await startLoopback(({ url = '' }, response) => {
    if (url.startsWith('/token')) return response.end('{"accessToken":"canary-token"}');
    const query = new URL(url, 'http://host').searchParams;
    const limit = Number(query.get('limit') ?? NaN);
    const size = Math.min(Number.isNaN(limit) ? maxPage : limit, maxPage);
    const since = query.get('createdSince');
    const first = since === null ? 0 : Math.max(0, Math.ceil((Date.parse(since) - START) / 10_000));
    const page = Number(query.get('after') ?? 0);
    const at = kind === 'offset' ? Number(query.get('offset')) : first + page * size;
    const shown = rows.slice(at, at + size);
    const next = at + size < rows.length ? String(page + 1) : '';
    const pagination = kind === 'offset' ? { offset: at, totalCount: rows.length } : { nextCursor: next };
    const body = `{"items":[${shown.join(',')}],"metadata":{"pagination":${JSON.stringify(pagination)}}}`;
    const request = { limit, at, turn: requests.length };
    const isServed = !gateway(response, body.length, request);
    requests.push({ ...request, isServed });
    return isServed ? response.end(body) : undefined;
  });
  return { address, requests };
}

/** Runs a command against a service. */
export async function run(
  command: 'read' | 'check' | 'discover',
  service: Service,
  pageSize: number | undefined,
  more: { concurrency?: number; parallel_chains?: number } = {},
) {
  const { address, requests } = await start(service);
  const { concurrency = 4, ...settings } = more;
  const list = { base_url: address, ...(pageSize !== undefined && { page_size: pageSize }), ...settings };
  const name = service.kind === 'offset' ? 'assets' : 'alarms';
  const config = configFile({ address }, { concurrency, [name]: list });
  const { environment, messages } = collect();
  const options = { config, tokenCache: temporaryDirectory(), verbose: false };
  const reading = {
    catalog: null,
    state: null,
    stateEveryMs: 0,
    streams: null,
    limitRows: null,
    progress: 'never' as const,
  };
  if (command === 'check') await runCheck(options, environment);
  if (command === 'discover') await runDiscover(options, environment);
  const code = command === 'read' ? await runRead({ ...options, ...reading }, environment) : 0;
  const all = messages();
  const texts = all.flatMap(({ log }) =>
    log === undefined ? [] : [log as { level: string; message: string }],
  );
  const rows = all.flatMap(({ record }) =>
    record === undefined ? [] : [(record as { data: { assetId: string } }).data.assetId],
  );
  const lines = texts.map(({ level, message }) => `${level} ${message}`);
  return { code, rows, lines, all, requests };
}

export const refuse = (response: ServerResponse): true => {
  response.writeHead(502).end('bad gateway');
  return true;
};
export const cut = (response: ServerResponse): true => {
  response.writeHead(200, { 'content-length': '100000' });
  response.write('{"items":[', () => response.socket?.destroy());
  return true;
};
export const half = (response: ServerResponse): true => {
  response.end('{"items":[{"assetId":"0","pa');
  return true;
};

export const declare = (response: ServerResponse): true => {
  response.writeHead(200, { 'content-length': String(PAGE.maxBytes + 1) }).write('{');
  return true;
};

/** Lets no page through that is larger. */
export const above =
  (most: number, answer: (response: ServerResponse) => true): Service['gateway'] =>
  (response, bytes) =>
    bytes > most && answer(response);

/** No row is missing or emitted twice. */
export function expectAll(rows: readonly string[], count: number): void {
  expect(rows.map(Number).toSorted((one, other) => one - other)).toStrictEqual(
    Array.from({ length: count }, (_, place) => place),
  );
}
