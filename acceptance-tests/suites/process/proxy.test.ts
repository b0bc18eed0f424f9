import { describe, expect, test, vi } from 'vitest';
import { closedAddress } from '../../../src/http/loopback.test-support.ts';
import {
  makeCertificate,
  makeCertificateFor,
  serve,
  startProxy,
  whyNoCertificate,
} from '../../../src/http/proxy.test-support.ts';
import type { Tunnel } from '../../../src/http/proxy.test-support.ts';
import { accountAt } from '../../support/fixed-api.ts';
import { fastTime } from '../../support/fast-time.ts';
import { outline, start } from './process-rig.ts';

const reason = whyNoCertificate();
const ROWS = ['{"assetId":"a"}', '{"assetId":"b"}'];

function answerTo(path: string): string {
  if (path === '/token') return '{"accessToken":"canary-token","expiresIn":3600}';
  const offset = Number(new URLSearchParams(path.split('?')[1]).get('offset'));
  return `{"items":[${ROWS.slice(offset).join(',')}],"metadata":{"pagination":{"totalCount":2}}}`;
}

function config(base_url: string): object {
  return { ...accountAt(base_url), assets: { base_url } };
}

describe.skipIf(reason !== null)(`https${reason === null ? '' : `, left out: ${reason}`}`, () => {
  test('a read through a proxy to a host that only the proxy knows, trusted by NODE_EXTRA_CA_CERTS', async () => {
    const certificate = makeCertificate();
    const api = await serve((request, response) => response.end(answerTo(request.url ?? '')), certificate);
    const proxy = await startProxy({ to: api.port }, () => undefined, null);
    const reader = await start(
      'read',
      { config: config('https://api.example') },
      {
        https_proxy: `http://me:canary%40proxy@127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: certificate.file,
        NO_PROXY: 'other.example',
      },
    );
    const { stdout } = await reader.endsAs(0, ['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);
    for (const row of ROWS) expect(stdout.toString()).toContain(`"data":${row}`);
    expect(stdout.toString()).not.toMatch(/canary/);
    const credentials = Buffer.from('me:canary@proxy').toString('base64');
    expect(new Set(proxy.seen)).toStrictEqual(
      new Set([`CONNECT api.example:443 host api.example:443 Basic ${credentials}`]),
    );
  });

  test('without trust nothing is sent, whatever NODE_TLS_REJECT_UNAUTHORIZED says, and stderr stays silent', async () => {
    const seen: unknown[] = [];
    const api = await serve((request) => seen.push(request.url), makeCertificate());
    const reader = await start(
      'check',
      { config: config(`https://127.0.0.1:${api.port}`) },
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    );
    const { code, stderr, stdout, messages } = await reader.ended();
    expect([code, stderr, seen]).toStrictEqual([0, '', []]);
    expect(messages.find(({ type }) => type === 'CONNECTION_STATUS')).toMatchObject({
      connectionStatus: { status: 'FAILED', message: expect.stringContaining('self-signed certificate') },
    });
    // nor does a warning of Node.js become a log line
    expect(stdout.toString()).not.toMatch(/"Node\.js: |NODE_TLS/);
  });
});

function dayFromNow(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}

describe.skipIf(reason !== null)(`certificates${reason === null ? '' : `, left out: ${reason}`}`, () => {
  test.each<[what: string, names: string, fromDays: number, toDays: number, words: string]>([
    ['that has expired', 'IP:127.0.0.1', -20, -10, 'CERT_HAS_EXPIRED'],
    ['that does not hold yet', 'IP:127.0.0.1', 10, 20, 'CERT_NOT_YET_VALID'],
    ['for another name', 'DNS:api.example,IP:127.0.0.2', -1, 2, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('with one %s, of a known authority, nothing is sent', async (_, names, fromDays, toDays, words) => {
    const certificate = makeCertificateFor(names, dayFromNow(fromDays), dayFromNow(toDays));
    const seen: unknown[] = [];
    const api = await serve((request) => seen.push(request.url), certificate);
    const reader = await start(
      'read',
      { config: config(`https://127.0.0.1:${api.port}`) },
      { ...fastTime(50), NODE_EXTRA_CA_CERTS: certificate.file },
    );
    const refused = /^transient_error: auth_url: no answer from https:\/\/127\.0\.0\.1:\d+\/token \(/;
    const outlined = ['STARTED', expect.stringMatching(refused), 'INCOMPLETE'];
    const { stdout, messages } = await reader.endsAs(1, outlined);
    expect(outline(messages)[1]).toContain(words);
    expect(seen).toStrictEqual([]);
    expect(stdout.toString()).not.toContain('canary');
  });
});

const STOPPED = 'transient_error: the connector was told to stop (SIGTERM) before the end; start it again.';

describe('a read that is told to stop while its proxy', () => {
  test.each<[what: string, tunnel: Tunnel | null, until: string]>([
    ['cannot be reached', null, 'cannot be used (ECONNREFUSED'],
    ['never answers', 'stall', ''],
    ['refuses with 502', { refuse: 502 }, '(status 502)'],
    ['refuses with 503', { refuse: 503 }, '(status 503)'],
    ['hangs up', { say: '' }, 'cannot be used ('],
    ['speaks no HTTP', { say: 'SSH-2.0-OpenSSH\r\n' }, 'cannot be used ('],
  ])('%s ends by that signal, without a word on stderr', async (_, tunnel, until) => {
    const proxy = tunnel === null ? null : await startProxy(tunnel, () => undefined, null);
    const address = proxy === null ? await closedAddress() : `http://127.0.0.1:${proxy.port}`;
    const HTTPS_PROXY = address.replace('//', '//me:canary@');
    const reader = await start('read', { config: config('https://api.example') }, { HTTPS_PROXY });
    // it waits for its next attempt, or for the proxy
    await (until === ''
      ? vi.waitUntil(() => proxy?.seen.length === 1, { timeout: 60_000 })
      : reader.until(until));
    reader.process.kill('SIGTERM');
    const { stdout } = await reader.endsAs('SIGTERM', ['STARTED', STOPPED, 'INCOMPLETE']);
    expect(stdout.toString()).not.toContain('canary');
  });

  test('asks for other credentials ends by the signal, or with the error that nobody can wait out', async () => {
    const proxy = await startProxy({ refuse: 407 }, () => undefined, null);
    const HTTPS_PROXY = `http://me:canary@127.0.0.1:${proxy.port}`;
    const reader = await start('read', { config: config('https://api.example') }, { HTTPS_PROXY });
    await vi.waitUntil(() => proxy.seen.length === 1, { timeout: 60_000 });
    reader.process.kill('SIGTERM');
    const { code, signal, stderr, messages } = await reader.ended();
    expect([
      [1, null],
      [null, 'SIGTERM'],
    ]).toContainEqual([code, signal]);
    expect(stderr).toBe('');
    const [first, error, last, ...more] = outline(messages);
    expect([first, last, more]).toStrictEqual(['STARTED', 'INCOMPLETE', []]);
    expect(error).toMatch(/^transient_error: the connector was told|^config_error: the proxy .*\(407\)/);
  });
});

test('a check tells what is wrong with a proxy, and never its password', async () => {
  const closed = await closedAddress();
  const refusing = await startProxy({ refuse: 407 }, () => undefined, null);
  const cases = [
    ['socks5://me:canary@127.0.0.1', /HTTPS_PROXY \(or https_proxy\) must be the address/],
    [closed.replace('//', '//me:canary@'), /the proxy 127\.0\.0\.1:\d+ cannot be used \(ECONNREFUSED/],
    [`http://me:canary@127.0.0.1:${refusing.port}`, /asks for other credentials \(407\)/],
  ] as const;
  for (const [HTTPS_PROXY, words] of cases) {
    const reader = await start('check', { config: config('https://api.example') }, { HTTPS_PROXY });
    const { code, stderr, stdout } = await reader.ended();
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout.toString()).toMatch(words);
    expect(stdout.toString()).not.toContain('canary');
  }
});
