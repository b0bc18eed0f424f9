import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { accountAt } from '../../support/fixed-api.ts';
import { fastTime } from '../../support/fast-time.ts';
import { outline, start } from './process-fixture.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ROWS = 40;
const PAGE_SIZE = 4;
const MIDDLE = ROWS / 2;

type How = '502' | '503' | 'reset' | 'refused' | 'hangs up' | 'stalls';
type Place = 'token' | 'assets' | 'alarms';

interface Outage {
  readonly place: Place | 'lists' | 'service';
  readonly from: 'the start' | 'the middle';
  readonly how: How;
  readonly ms: number; // of the connector's clock
}

function pageOf(url: URL): object {
  const isByCursor = url.pathname.endsWith('alarms');
  const first = Number(url.searchParams.get(isByCursor ? 'after' : 'offset') ?? 0);
  const end = Math.min(first + PAGE_SIZE, ROWS);
  const items = Array.from({ length: Math.max(0, end - first) }, (_, index) => ({
    [isByCursor ? 'alarmId' : 'assetId']: `row-${first + index}`,
    createdDate: new Date(Date.UTC(2026, 0, 1, 0, first + index)).toISOString(),
  }));
  const nextCursor = end < ROWS ? String(end) : '';
  const pagination = isByCursor ? { nextCursor } : { offset: first, totalCount: ROWS };
  return { items, metadata: { pagination } };
}

const placeOf = ({ pathname }: URL): Place => pathname.slice(pathname.lastIndexOf('/') + 1) as Place;
const positionOf = ({ searchParams }: URL): number =>
  Number(searchParams.get('offset') ?? searchParams.get('after') ?? 0);

/** A service with an outage, on the clock of the connector, whose omitted ms are in `clockFile`. */
async function startService(outage: Outage, clockFile: string) {
  let downSinceMs = outage.from === 'the start' ? 0 : null;
  let validToken = 0;
  let requestsForTokens = 0;
  const startMs = Date.now();
  const nowMs = (): number => Date.now() - startMs + skippedMs(clockFile);
  const isDown = (place: Place): boolean => {
    const isMeant = ['service', place, place === 'token' ? '' : 'lists'].includes(outage.place);
    return isMeant && downSinceMs !== null && nowMs() - downSinceMs < outage.ms;
  };
  const server = createServer((request, response) => {
    request.resume();
    const url = new URL(request.url ?? '', 'http://service');
    const place = placeOf(url);
    const isMiddle = place !== 'token' && positionOf(url) >= MIDDLE;
    if (isMiddle && downSinceMs === null && [place, 'token', 'lists', 'service'].includes(outage.place)) {
      downSinceMs = nowMs();
      // an outage of the token endpoint matters if a token is needed
      if (outage.place === 'token') validToken++;
      if (outage.how === 'refused') refuse();
    }
    if (isDown(place)) return fail(response, outage.how);
    if (place === 'token') {
      requestsForTokens++;
      return response.end(JSON.stringify({ accessToken: `token-${validToken}`, expiresIn: 3600 }));
    }
    if (request.headers.authorization !== `Bearer token-${validToken}`)
      return response.writeHead(401).end('{}');
    return response.end(JSON.stringify(pageOf(url)));
  });
  const listen = async (port: number): Promise<void> => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  /** Accepts no connections until the outage is over. */
  const refuse = (): void => {
    server.close();
    server.closeAllConnections();
    const timer = setInterval(() => {
      if (isDown('assets')) return;
      clearInterval(timer);
      void listen(port);
    }, 5);
  };
  if (outage.from === 'the start' && outage.how === 'refused') refuse();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, tokens: () => requestsForTokens, nowMs };
}

function skippedMs(clockFile: string): number {
  try {
    return Number(readFileSync(clockFile, 'utf8'));
  } catch {
    return 0;
  }
}

function fail(response: ServerResponse, how: How): void {
  if (how === '502' || how === '503') response.writeHead(Number(how)).end('<html>gateway</html>');
  else if (how === 'hangs up') response.socket?.end();
  else if (how !== 'stalls') response.socket?.resetAndDestroy();
}

/** Reads both lists during an outage. */
async function readDuring(outage: Outage, command: string, host: string, more: Record<string, string>) {
  const folder = temporaryDirectory();
  const clockFile = join(folder, 'clock');
  const service = await startService(outage, clockFile);
  const base_url = `http://${host}:${service.port}`;
  const lists = {
    assets: { base_url, page_size: PAGE_SIZE },
    alarms: { base_url, page_size: PAGE_SIZE, id_field: 'alarmId' },
  };
  // before the first page, a read has a minute only, which a busy machine must not use up
  const maxWaitMs = outage.from === 'the start' ? 10 : 30;
  // a server that listens again needs real time to do so
  const waits = fastTime(outage.how === 'refused' ? 200 : maxWaitMs);
  const env = { ...waits, CLOCK_FILE: clockFile, ...more };
  const config = { ...accountAt(base_url), ...lists, concurrency: 1, allow_http: true };
  const ended = await (await start(command, config, { folder, env })).ended();
  const rows = ended.messages.flatMap((message) =>
    message.type === 'RECORD' ? [String(Object.values(message.record.data)[0])] : [],
  );
  const warnings = ended.messages.flatMap((message) =>
    message.type === 'LOG' && message.log.level === 'WARN' ? [message.log.message] : [],
  );
  return { ...ended, rows, warnings, tookMs: service.nowMs(), tokens: service.tokens() };
}

const down = (how: How, place: Outage['place'], from: Outage['from'], ms: number): Outage => ({
  place,
  from,
  how,
  ms,
});

test.each<[outage: Outage, tokens: number, words: RegExp]>([
  [down('502', 'assets', 'the middle', 45 * SECOND), 1, /^assets: an attempt failed; .*status 502/],
  [down('503', 'alarms', 'the middle', 45 * SECOND), 1, /^alarms: an attempt failed; .*status 503/],
  [down('reset', 'service', 'the middle', 45 * SECOND), 1, /an attempt failed; .*ECONNRESET/],
  [down('refused', 'service', 'the middle', 45 * SECOND), 1, /an attempt failed; .*ECONNREFUSED/],
  [down('hangs up', 'service', 'the middle', 45 * SECOND), 1, /an attempt failed; .*/],
  [down('stalls', 'service', 'the middle', 61 * SECOND), 1, /an attempt failed; .*no complete response/],
  [down('503', 'service', 'the middle', 4 * MINUTE), 1, /an attempt failed; .*status 503/],
  [down('refused', 'service', 'the middle', 4 * MINUTE), 1, /an attempt failed; .*ECONNREFUSED/],
  [down('502', 'token', 'the middle', 45 * SECOND), 2, /an attempt failed; .*auth_url.*status 502/],
  [down('503', 'token', 'the middle', 4 * MINUTE), 2, /an attempt failed; .*auth_url.*status 503/],
  [down('reset', 'token', 'the middle', 45 * SECOND), 2, /an attempt failed; .*auth_url.*ECONNRESET/],
  [down('502', 'service', 'the start', 45 * SECOND), 1, /an attempt failed; .*auth_url.*status 502/],
  // each wait takes real time, of which a busy machine needs more
  [down('refused', 'service', 'the start', 30 * SECOND), 1, /an attempt failed; .*auth_url.*ECONNREFUSED/],
  // both lists wait at once, and their waits add up on the one clock
  [down('503', 'lists', 'the start', 20 * SECOND), 1, /^assets: an attempt failed; .*status 503/],
])('a read waits out %j', async (outage, tokens, words) => {
  const found = await readDuring(outage, 'read', '127.0.0.1', {});
  expect([found.code, found.stderr, found.rows.length]).toStrictEqual([0, '', 2 * ROWS]);
  expect(new Set(found.rows).size).toBe(ROWS);
  expect(found.tokens).toBe(tokens);
  expect(found.warnings.join('\n')).toMatch(new RegExp(words.source, 'm'));
  expect(found.tookMs).toBeGreaterThan(outage.ms);
});

test('a read waits until names can be resolved', async () => {
  const more = {
    NODE_OPTIONS: `${fastTime(30).NODE_OPTIONS} --import=${join(import.meta.dirname, 'late-names.mjs')}`,
    NAMES_AFTER_MS: String(30 * SECOND),
  };
  const found = await readDuring(down('502', 'token', 'the middle', 0), 'read', 'late.example', more);
  expect([found.code, found.rows.length]).toStrictEqual([0, 2 * ROWS]);
  expect(found.warnings.join('\n')).toMatch(/an attempt failed; .*auth_url.*EAI_AGAIN/);
});

test.each<[command: string, outage: Outage, fromMs: number, toMs: number]>([
  ['read', down('503', 'assets', 'the middle', Infinity), 5 * MINUTE, 6 * MINUTE],
  ['read', down('503', 'lists', 'the start', Infinity), MINUTE, 2 * MINUTE],
  ['read', down('refused', 'service', 'the start', Infinity), MINUTE, 2 * MINUTE],
  ['check', down('refused', 'service', 'the start', Infinity), MINUTE / 2, MINUTE],
  ['discover', down('503', 'lists', 'the start', Infinity), MINUTE / 2, MINUTE],
  // not more than two requests that may have issued a token
  ['read', down('reset', 'token', 'the start', Infinity), MINUTE, 2 * MINUTE],
])('a %s gives up during %j', async (command, outage, fromMs, toMs) => {
  const { tookMs, messages, code } = await readDuring(outage, command, '127.0.0.1', {});
  const exits: Record<string, number> = { check: 0, discover: 1, read: 75 };
  expect(code).toBe(exits[command]);
  expect(tookMs).toBeGreaterThanOrEqual(fromMs);
  expect(tookMs).toBeLessThan(toMs);
  if (command === 'read') expect(outline(messages).join()).toContain('transient_error: ');
});
