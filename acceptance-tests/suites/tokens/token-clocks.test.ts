import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { accountAt } from '../../support/fixed-api.ts';
import { fastTime } from '../../support/fast-time.ts';
import { outline, start } from '../process/process-fixture.ts';

const SECOND = 1000;
const ROWS = 40;
const PAGE_SIZE = 4;

interface Tokens {
  readonly leftMs: number; // of the validity of the first token; the endpoint returns each token until it ends
  readonly notBeforeMs: number; // for which the list does not accept a token, because its clock is behind
}

/** A service on the clock of the connector, whose list limits the rate of requests, so that a read takes a minute. */
async function startService({ leftMs, notBeforeMs }: Tokens, clockFile: string) {
  const startMs = Date.now();
  const nowMs = (): number => Date.now() - startMs + skippedMs(clockFile);
  const issued: { readonly atMs: number; readonly endMs: number }[] = [];
  let requests = 0;
  let pages = 0;
  const issue = (): { accessToken: string; expiresIn: number } => {
    requests++;
    const atMs = nowMs();
    const isValid = (issued.at(-1)?.endMs ?? 0) > atMs;
    if (!isValid) issued.push({ atMs, endMs: atMs + (issued.length === 0 ? leftMs : 3600 * SECOND) });
    const expiresIn = Math.floor(((issued.at(-1)?.endMs ?? 0) - atMs) / SECOND);
    return { accessToken: `canary-${issued.length}`, expiresIn };
  };
  const accepts = (authorization = ''): boolean => {
    const token = issued[Number(authorization.replace('Bearer canary-', '')) - 1];
    return token !== undefined && nowMs() >= token.atMs + notBeforeMs && nowMs() < token.endMs;
  };
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    if (pathname === '/token') return response.end(JSON.stringify(issue()));
    if (!accepts(request.headers.authorization)) return response.writeHead(401).end('{"message":"nbf"}');
    if (pages++ % 2 === 1) return response.writeHead(429, { 'retry-after': '5' }).end();
    const offset = Number(searchParams.get('offset'));
    const items = Array.from({ length: Math.min(PAGE_SIZE, ROWS - offset) }, (_, index) => ({
      assetId: `row-${offset + index}`,
    }));
    return response.end(JSON.stringify({ items, metadata: { pagination: { offset, totalCount: ROWS } } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, nowMs, issued, requests: () => requests };
}

function skippedMs(clockFile: string): number {
  try {
    return Number(readFileSync(clockFile, 'utf8'));
  } catch {
    return 0;
  }
}

async function runWith(tokens: Tokens, command: string) {
  const folder = temporaryDirectory();
  const clockFile = join(folder, 'clock');
  const service = await startService(tokens, clockFile);
  const base_url = `http://127.0.0.1:${service.port}`;
  const assets = { base_url, page_size: PAGE_SIZE, audience: 'AMAPI' };
  const config = { ...accountAt(base_url), token: { kind: 'module' }, concurrency: 1, assets };
  const env = { ...fastTime(30), CLOCK_FILE: clockFile };
  const ended = await (await start(command, config, { folder, env })).ended();
  return { ...service, ...ended };
}

const noDelay = { notBeforeMs: 0 };

test.each([19, 9, 4, 2])(
  'a module token that is cached with %d s left costs one request more',
  async (left) => {
    const { code, messages, issued, requests } = await runWith({ ...noDelay, leftMs: left * SECOND }, 'read');
    expect(code).toBe(0);
    expect(messages.filter(({ type }) => type === 'RECORD')).toHaveLength(ROWS);
    expect(issued).toHaveLength(2);
    // the first one, once more when it is due, at its end, which lies within its last second, and the next one
    expect(requests()).toBeLessThanOrEqual(4);
  },
);

test.each(['check', 'discover', 'read'])('a %s waits until the list accepts a new token', async (command) => {
  const { code, messages, issued } = await runWith(
    { leftMs: 3600 * SECOND, notBeforeMs: 9 * SECOND },
    command,
  );
  expect(code).toBe(0);
  expect(issued).toHaveLength(1);
  expect(JSON.stringify(messages)).not.toContain('UNAUTHORIZED');
});

test('a new token that the list does not accept within ten seconds is a config_error', async () => {
  const { code, messages, issued, nowMs } = await runWith(
    { leftMs: 3600 * SECOND, notBeforeMs: 3600 * SECOND },
    'read',
  );
  expect([code, issued.length]).toStrictEqual([1, 1]);
  expect(outline(messages).join()).toContain('config_error: assets: the API rejected a valid token');
  expect(nowMs()).toBeGreaterThanOrEqual(10 * SECOND);
  expect(nowMs()).toBeLessThan(20 * SECOND);
});
