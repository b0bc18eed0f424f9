import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { PAGE } from '../limits.ts';
import { runCheck } from './check.ts';
import { runDiscover } from './discover.ts';
import { collect, configFile } from './fake-service.test-support.ts';
import { runRead } from './read.ts';
import { firstOf, isLong } from '../property-runs.test-support.ts';

/** A list at rest, and what stands between it and a client. */
interface Service {
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

const rowsOf = (count: number, bytesAt: (place: number) => number): string[] =>
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
async function run(
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

const refuse = (response: ServerResponse): true => {
  response.writeHead(502).end('bad gateway');
  return true;
};
const cut = (response: ServerResponse): true => {
  response.writeHead(200, { 'content-length': '100000' });
  response.write('{"items":[', () => response.socket?.destroy());
  return true;
};
const half = (response: ServerResponse): true => {
  response.end('{"items":[{"assetId":"0","pa');
  return true;
};

const declare = (response: ServerResponse): true => {
  response.writeHead(200, { 'content-length': String(PAGE.maxBytes + 1) }).write('{');
  return true;
};

/** Lets no page through that is larger. */
const above =
  (most: number, answer: (response: ServerResponse) => true): Service['gateway'] =>
  (response, bytes) =>
    bytes > most && answer(response);

const GATEWAYS = [
  ['502', refuse],
  ['a cut body', cut],
  ['a body that ends early', half],
  ['a body that is too large', declare],
] as const;
const oftenDown: Service['gateway'] = (response, _, { turn }) => (turn * 7) % 10 < 4 && refuse(response);
const brokenCursor: Service['gateway'] = (response, _, { at, turn }) => {
  if (at < 1000 || turn > 20) return false;
  response.writeHead(500).end();
  return true;
};

const KINDS = ['offset', 'cursor'] as const;

/** No row is missing or emitted twice. */
function expectAll(rows: readonly string[], count: number): void {
  expect(rows.map(Number).toSorted((one, other) => one - other)).toStrictEqual(
    Array.from({ length: count }, (_, place) => place),
  );
}

describe.each(KINDS)('a list by %s', (kind) => {
  test.each(firstOf(2, GATEWAYS))(
    '%s for large pages, from the first one: smaller ones are read',
    async (_, answer) => {
      const service = { kind, rows: rowsOf(600, () => 100), maxPage: 500 };
      const gateway = above(20_000, answer);
      const { code, rows, lines, requests } = await run('read', { ...service, gateway }, 500, {
        concurrency: 1,
      });
      expect(code).toBe(0);
      expectAll(rows, 600);
      const place = kind === 'offset' ? 'assets' : 'alarms';
      expect(lines.filter((line) => line.includes('page_size'))).toStrictEqual([
        expect.stringMatching(
          `^INFO ${place}: a request for 62 rows succeeded after pages of 500 rows had failed`,
        ),
        `WARN ${place}: pages of 500 rows fail, and requests for 62 rows succeed, so the rest of the list is read with them. ` +
          `Set ${place}.page_size to 62 to begin with that size.`,
      ]);
      expect(requests.slice(0, 8).map(({ limit }) => limit)).toStrictEqual([
        500, 500, 250, 125, 62, 500, 500, 62,
      ]);
      expect(requests.slice(8).every(({ limit, isServed }) => limit <= 62 && isServed)).toBe(true);
    },
  );

  test.each(firstOf(1, [4, 1]))('rows that become larger in mid-list, %i at a time', async (concurrency) => {
    const service = { kind, rows: rowsOf(3000, (place) => (place < 1500 ? 10 : 400)), maxPage: 200 };
    const gateway = above(30_000, refuse);
    const { code, rows, lines, requests } = await run('read', { ...service, gateway }, 200, { concurrency });
    expect(code).toBe(0);
    expectAll(rows, 3000);
    expect(lines.join('\n')).toMatch(/page_size to (50|25) to begin/);
    expect(requests.filter(({ isServed }) => !isServed).length).toBeLessThan(15 * concurrency);
    // at its end, a list may be asked for the rows that are left
    expect(requests.filter(({ limit, at }) => limit < 25 && at < 2900)).toStrictEqual([]);
  });

  test.each(firstOf(1, [4, 1]))(
    'an outage of 45 s in mid-read leaves the size as it was, %i at a time',
    async (concurrency) => {
      const service = { kind, rows: rowsOf(5000, () => 10), maxPage: 200 };
      let failures = 0;
      const gateway: Service['gateway'] = (response, _, { at }) => {
        // the waits of the fast clock take no time, so an outage is a number of attempts
        if (at < 2000 || failures >= (kind === 'offset' ? 9 * concurrency : 9)) return false;
        failures++;
        response.writeHead(503).end();
        return true;
      };
      const { code, rows, lines, requests } = await run('read', { ...service, gateway }, 200, {
        concurrency,
      });
      expect(code).toBe(0);
      expectAll(rows, 5000);
      expect(lines.filter((line) => line.startsWith('WARN') && line.includes('page_size'))).toStrictEqual([]);
      const served = requests.filter(({ isServed }) => isServed);
      expect(served.length).toBeLessThan(5000 / 200 + 8 + 3 * concurrency);
      const late = served.filter(({ at }) => at >= 3500 && at < 4700);
      expect(new Set(late.map(({ limit }) => limit))).toStrictEqual(new Set([200]));
    },
  );

  test('failures of every third request leave the size as it was', async () => {
    const service = { kind, rows: rowsOf(4000, () => 10), maxPage: 100 };
    const { code, rows, requests } = await run('read', { ...service, gateway: oftenDown }, 100, {
      concurrency: 1,
    });
    expect(code).toBe(0);
    expectAll(rows, 4000);
    expect(requests.length).toBeLessThan(200);
  });

  test('a page that fails at every size: the read fails and names what was tried', async () => {
    const service = { kind, rows: rowsOf(1000, () => 10), maxPage: 500, gateway: refuse };
    const { code, all } = await run('read', service, 500);
    expect(code).toBe(75);
    expect(JSON.stringify(all)).toMatch(
      /no usable response after \d+ attempts in 6\d s\. Last error: status 502: bad gateway\. Pages of 500 to \d+ rows were tried\. Try again later\./,
    );
  });

  test('large pages that failed for a while are requested again after an outage of smaller ones', async () => {
    let failures = 0;
    const service: Service = {
      kind,
      rows: rowsOf(4000, () => 100),
      maxPage: 200,
      gateway: (response, bytes, { at }) => {
        const isDown = at >= 2000 && failures++ < 1;
        return (isDown || (at < 1000 && bytes > 10_000)) && refuse(response);
      },
    };
    const { code, rows, requests } = await run('read', service, 200, { concurrency: 1 });
    expect(code).toBe(0);
    expectAll(rows, 4000);
    const after = requests.filter(({ at, isServed }) => isServed && at > 2600 && at < 3600);
    expect(new Set(after.map(({ limit }) => limit))).toStrictEqual(new Set([200]));
  });

  test('pages of two rows are the smallest', async () => {
    const service = { kind, rows: rowsOf(30, () => 1000), maxPage: 500 };
    const gateway = above(1500, refuse);
    const { code, requests } = await run('read', { ...service, gateway }, 3);
    expect(code).toBe(75);
    expect(new Set(requests.map(({ limit }) => limit))).toStrictEqual(new Set([3, 2]));
  });

  test('check and discover', async () => {
    const service = { kind, rows: rowsOf(600, () => 100), maxPage: 500 };
    const gateway = above(6_000, refuse);
    const checked = await run('check', { ...service, gateway }, 500);
    expect(JSON.stringify(checked.all.at(-1))).toContain('SUCCEEDED');
    expect(checked.lines.join('\n')).toContain('page_size to 25');
    const discovered = await run('discover', { ...service, gateway }, 500);
    expect(JSON.stringify(discovered.all.at(-1))).toContain('"pad"');
  });
});

test('without page_size, half of the rows of the largest page are requested', async () => {
  const service = {
    kind: 'cursor' as const,
    rows: rowsOf(3000, (place) => (place < 1500 ? 10 : 400)),
    maxPage: 200,
  };
  const gateway = above(60_000, refuse);
  const { code, rows, lines, requests } = await run('read', { ...service, gateway }, undefined);
  expect(code).toBe(0);
  expectAll(rows, 3000);
  expect(lines.join('\n')).toContain(
    'WARN alarms: pages without a limit fail, and requests for 100 rows succeed',
  );
  expect(new Set(requests.map(({ limit }) => limit))).toStrictEqual(new Set([NaN, 100]));
});

test('a cursor list out of order is not asked again with a smaller size; the message names the key', async () => {
  const rows = rowsOf(3000, (place) => (place < 1500 ? 10 : 400)).toReversed();
  const service = {
    kind: 'cursor' as const,
    rows: [...rows.slice(1500), ...rows.slice(0, 1500)],
    maxPage: 200,
  };
  const gateway = above(30_000, refuse);
  const { code, all, requests } = await run('read', { ...service, gateway }, 200);
  expect(code).toBe(75);
  expect(new Set(requests.map(({ limit }) => limit))).toStrictEqual(new Set([200]));
  expect(JSON.stringify(all)).toContain('If a page fails each time, a smaller alarms.page_size may help.');
});

test('a cursor list out of order that is read in smaller pages does not start again after an outage', async () => {
  let failures = 0;
  const service: Service = {
    kind: 'cursor',
    rows: rowsOf(1200, () => 100).toReversed(),
    maxPage: 200,
    gateway: (response, bytes, { at }) => {
      const isDown = at === 600 && failures++ < 5;
      return (isDown || bytes > 10_000) && refuse(response);
    },
  };
  const { code, rows, requests } = await run('read', service, 200);
  expect(code).toBe(0);
  expectAll(rows, 1200);
  const served = requests.filter(({ isServed }) => isServed);
  expect(new Set(served.slice(2).map(({ limit }) => limit))).toStrictEqual(new Set([50]));
  expect(served.length).toBeLessThanOrEqual(1200 / 50 + 2);
});

test('a cursor that ends in a 500 is asked again before smaller pages are tried', async () => {
  const service = { kind: 'cursor' as const, rows: rowsOf(3000, () => 10), maxPage: 200 };
  const { code, rows, requests } = await run('read', { ...service, gateway: brokenCursor }, 200);
  expect(code).toBe(0);
  expectAll(rows, 3000);
  expect(requests.slice(0, 12).every(({ limit }) => limit === 200)).toBe(true);
});

test('several chains at the same time', async () => {
  const ROWS = isLong ? 9000 : 3000;
  const service = {
    kind: 'cursor' as const,
    rows: rowsOf(ROWS, (place) => (place % 3000 < 1500 ? 10 : 400)),
    maxPage: 100,
    gateway: above(20_000, refuse),
  };
  const { code, rows, requests } = await run('read', service, 100, { parallel_chains: 4 });
  expect(code).toBe(0);
  expectAll(rows, ROWS);
  expect(requests.filter(({ isServed }) => !isServed).length).toBeLessThan(40);
});
