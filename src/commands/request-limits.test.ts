import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { temporaryFile } from '../config/temporary-file.test-support.ts';
import type { Exchange } from '../http/request.ts';
import { createMemoryStore } from '../token/store.ts';
import { createVirtualClock, type VirtualClock } from '../token/virtual-clock.fake.ts';
import { collect } from './fake-service.test-support.ts';
import { runRead } from './read.ts';

const START = Date.UTC(2026, 0, 1);
const LATENCY_MS = 100;
const ROWS = 200;
const PAGE_SIZE = 10;
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six'];
const TOKEN = '/token';

function listNamed(name: string, paging: 'offset' | 'cursor') {
  const field = paging === 'offset' ? { id_field: 'id' } : { created_field: 'createdAt' };
  const path = `/v1/${name}`;
  return { name, paging, base_url: 'https://api.example', path, page_size: PAGE_SIZE, ...field };
}

/** A page of a list, by offset if the request has one, else by cursor. */
function pageFor({ searchParams }: URL): string {
  const offset = searchParams.get('offset');
  const start = Number(offset ?? searchParams.get('after') ?? 0);
  const end = Math.min(start + PAGE_SIZE, ROWS);
  const items = Array.from({ length: end - start }, (_, index) => ({
    id: `row ${start + index}`,
    createdAt: new Date(START - (ROWS - start - index) * 60_000).toISOString(),
  }));
  const nextCursor = end < ROWS ? String(end) : '';
  const pagination = offset === null ? { nextCursor } : { offset: start, totalCount: ROWS };
  return JSON.stringify({ items, metadata: { pagination } });
}

interface Sent {
  readonly path: string; // the path of the request
  readonly atMs: number;
  readonly inFlight: number; // requests in flight to all lists and to this one, including the request itself
  readonly inFlightToList: number;
  readonly successesAfterLimit: number | null; // requests sent after the first 429 that had succeeded by then; null before it
}

/** A server of any lists, which responds once with a 429, to a request in flight for which `isLimited` is true. */
function createServer(clock: VirtualClock, isLimited: (path: string, inFlight: number) => boolean) {
  const sent: Sent[] = [];
  const inFlight: string[] = [];
  let successesAfterLimit: number | null = null;
  const exchange: Exchange = async ({ url, signal }) => {
    const { pathname: path } = url;
    const wasLimited = successesAfterLimit !== null;
    inFlight.push(path);
    const inFlightToList = inFlight.filter((other) => other === path).length;
    sent.push({ path, atMs: clock.now(), inFlight: inFlight.length, inFlightToList, successesAfterLimit });
    try {
      await clock.sleep(LATENCY_MS, signal);
      const headers = { 'retry-after': '1' };
      if (successesAfterLimit === null && isLimited(path, inFlight.length)) {
        successesAfterLimit = 0;
        return { status: 429, headers, body: Buffer.alloc(0), elapsedMs: LATENCY_MS };
      }
      if (wasLimited && successesAfterLimit !== null) successesAfterLimit++;
      const body = Buffer.from(path === TOKEN ? '{"accessToken":"t"}' : pageFor(url));
      return { status: 200, headers: {}, body, elapsedMs: LATENCY_MS };
    } finally {
      inFlight.splice(inFlight.indexOf(path), 1);
    }
  };
  return { exchange, sent };
}

/** Reads lists in full, and returns all requests of the read. */
async function read(settings: object, isLimited: (path: string, inFlight: number) => boolean) {
  const clock = createVirtualClock(START);
  const { exchange, sent } = createServer(clock, isLimited);
  const { environment, messages } = collect();
  const credentials = { auth_url: `https://api.example${TOKEN}`, client_id: 'me', client_secret: 'canary' };
  const options = {
    config: temporaryFile(JSON.stringify({ ...credentials, ...settings })),
    catalog: null,
    state: null,
    tokenCache: null,
    verbose: false,
    stateEveryMs: 5000,
    streams: null,
    limitRows: null,
    progress: 'never' as const,
  };
  const exitCode = await clock.run(
    runRead(options, {
      ...environment,
      clock: { ...systemClock, now: clock.now, ticks: clock.now, wait: clock.sleep, random: () => 0.5 },
      exchange,
      openTokenStore: async (_folder, { credential }) => createMemoryStore(credential),
    }),
  );
  const records = messages().filter(({ type }) => type === 'RECORD');
  expect([exitCode, records.length]).toStrictEqual([0, NAMES.length * ROWS]);
  return sent;
}

test('max_requests_per_minute is shared by six lists and the token endpoint', async () => {
  const perMinute = 20;
  const lists = NAMES.map((name, index) => listNamed(name, index % 2 === 0 ? 'offset' : 'cursor'));
  const sent = await read({ lists, max_requests_per_minute: perMinute }, () => false);
  const gaps = sent.slice(perMinute).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000);
  // the limit is used up
  expect(Math.max(...gaps)).toBeLessThan(61_000);
  const first = sent.slice(0, perMinute).map(({ path }) => path);
  expect(new Set(first)).toStrictEqual(new Set([TOKEN, ...NAMES.map((name) => `/v1/${name}`)]));
});

test('concurrency bounds the requests to each of six lists, and a 429 to one of them halves those to all', async () => {
  const concurrency = 4;
  const width = NAMES.length * concurrency;
  const isLimited = (path: string, inFlight: number): boolean => path === '/v1/one' && inFlight === width;
  const lists = NAMES.map((name) => listNamed(name, 'offset'));
  const sent = await read({ lists, concurrency }, isLimited);
  expect(Math.max(...sent.map(({ inFlightToList }) => inFlightToList))).toBe(concurrency);
  expect(Math.max(...sent.map(({ inFlight }) => inFlight))).toBe(width);
  const half = width / 2;
  // the bound grows by one for as many successes as it is wide
  const afterLimit = sent.filter(({ successesAfterLimit: count }) => count !== null && count < half);
  expect(Math.max(...afterLimit.map(({ inFlight }) => inFlight))).toBe(half);
  expect(new Set(afterLimit.map(({ path }) => path)).size).toBeGreaterThan(1);
});
