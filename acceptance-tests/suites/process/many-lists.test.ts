import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { accountAt } from '../../support/fixed-api.ts';
import { measured, startUnread } from './process-fixture.ts';

const MIB = 1024 * 1024;

/**
 * Starts an API of lists read by cursor: `pages` pages of `rows` rows each, with `rowBytes` of filling. A request is answered after
 * `latencyMs`. Counts connections and the requests in flight.
 */
async function startLists(pages: number, rows: number, rowBytes: number, latencyMs: number) {
  const fill = 'x'.repeat(rowBytes);
  const seen = { connections: 0, maxConnections: 0, maxInFlight: 0, inFlight: 0 };
  const bodyOf = (list: string, page: number): string => {
    const at = new Date(Date.UTC(2026, 0, 1) + page * 1000).toISOString();
    const row = (index: number): string =>
      `{"id":"${list}-${page}-${index}","createdDate":"${at}","fill":"${fill}"}`;
    const next = page + 1 < pages ? String(page + 1) : '';
    const items = Array.from({ length: rows }, (_, index) => row(index)).join(',');
    return `{"items":[${items}],"metadata":{"pagination":{"nextCursor":"${next}"}}}`;
  };
  const server: Server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname === '/token') {
      response.end('{"accessToken":"t","expiresIn":3600}');
      return;
    }
    seen.maxInFlight = Math.max(seen.maxInFlight, ++seen.inFlight);
    response.on('close', () => seen.inFlight--);
    setTimeout(() => response.end(bodyOf(pathname.slice(1), Number(searchParams.get('after')))), latencyMs);
  });
  server.on('connection', (socket) => {
    seen.maxConnections = Math.max(seen.maxConnections, ++seen.connections);
    socket.on('close', () => seen.connections--);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configOf = (lists: number): object => ({
    ...accountAt(base_url),
    lists: Array.from({ length: lists }, (_, index) => ({
      paging: 'cursor',
      name: `list${index}`,
      base_url,
      path: `/list${index}`,
      created_field: 'createdDate',
    })),
  });
  return { configOf, seen };
}

/** Counts the records of a read, whose output is too large to keep; pauses once, as a slow reader of stdout. */
async function recordsOf(config: object, env: Readonly<Record<string, string>>, pauseMs: number) {
  const { stdout, exit } = await startUnread('read', config, { env });
  let records = 0;
  let hasPaused = false;
  const mark = '{"type":"RECORD"';
  let rest = '';
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    const pieces = (rest + chunk.toString('latin1')).split(mark);
    records += pieces.length - 1;
    // a mark may be cut
    rest = (pieces.at(-1) ?? '').slice(1 - mark.length);
    if (hasPaused || records < 100) continue;
    hasPaused = true;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { records, ...(await exit) };
}

test('32 lists with pages of 10 MB are read within 400 MiB, over at most 32 connections', async () => {
  const { configOf, seen } = await startLists(2, 1000, 10_000, 20);
  const { env, peakMemory } = measured({});
  const { records, code, stderr } = await recordsOf(configOf(32), env, 3000);
  expect([code, stderr, records]).toStrictEqual([0, '', 32 * 2 * 1000]);
  expect(peakMemory()).toBeLessThan(400 * MIB);
  expect(seen.maxConnections).toBeLessThanOrEqual(32);
});

test('300 lists with small pages are read at once, over at most 32 connections', async () => {
  const { configOf, seen } = await startLists(3, 10, 100, 50);
  const { records, code, stderr } = await recordsOf(configOf(300), {}, 0);
  expect([code, stderr, records]).toStrictEqual([0, '', 300 * 3 * 10]);
  expect(seen.maxConnections).toBeLessThanOrEqual(32);
  expect(seen.maxInFlight).toBeGreaterThan(24);
});
