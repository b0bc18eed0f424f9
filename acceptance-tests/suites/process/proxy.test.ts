import { describe, expect, test, vi } from 'vitest';
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
import { start } from './process-fixture.ts';

const reason = whyNoCertificate();
const ROWS = ['{"assetId":"a"}', '{"assetId":"b"}'];
const NAMES = 'DNS:api.example,IP:127.0.0.1';

function answerTo(path: string): string {
  if (path === '/token') return '{"accessToken":"canary-token","expiresIn":3600}';
  const offset = Number(new URLSearchParams(path.split('?')[1]).get('offset'));
  return `{"items":[${ROWS.slice(offset).join(',')}],"metadata":{"pagination":{"totalCount":2}}}`;
}

function configAt(base_url: string): object {
  return { ...accountAt(base_url), assets: { base_url } };
}

const API = configAt('https://api.example');

describe.skipIf(reason !== null)(`https${reason === null ? '' : `, skipped: ${reason}`}`, () => {
  test('a read through a proxy that alone resolves the host, trusted by NODE_EXTRA_CA_CERTS', async () => {
    const certificate = makeCertificate();
    const api = await serve((request, response) => response.end(answerTo(request.url ?? '')), certificate);
    const proxy = await startProxy({ to: api.port }, () => undefined, null);
    const env = {
      https_proxy: `http://me:canary%40proxy@127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: certificate.file,
      NO_PROXY: 'other.example',
    };
    const { endsAs } = await start('read', API, { env });
    const { stdout } = await endsAs(0, ['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);
    for (const row of ROWS) expect(stdout).toContain(`"data":${row}`);
    expect(stdout).not.toMatch(/canary/);
    const credentials = Buffer.from('me:canary@proxy').toString('base64');
    const connect = `CONNECT api.example:443 host api.example:443 Basic ${credentials}`;
    expect(new Set(proxy.seen)).toStrictEqual(new Set([connect]));
  });

  test.each<
    [
      what: string,
      names: string,
      days: [from: number, to: number],
      known: boolean,
      words: [code: string, cure: string],
    ]
  >([
    ['that is unknown', NAMES, [-1, 1], false, ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS']],
    ['that has expired', NAMES, [-20, -10], true, ['CERT_HAS_EXPIRED', 'must renew']],
    [
      'for another name',
      'DNS:api.example,IP:127.0.0.2',
      [-1, 1],
      true,
      ['ERR_TLS_CERT_ALTNAME_INVALID', 'Set the host in auth_url to one of'],
    ],
  ])('with a certificate %s nothing is sent', async (_, names, days, known, words) => {
    const [code, cure] = words;
    const [from, to] = days.map((day) => new Date(Date.now() + day * 86_400_000)) as [Date, Date];
    const certificate = makeCertificateFor(names, from, to);
    const seen: unknown[] = [];
    const api = await serve((request) => seen.push(request.url), certificate);
    const trust = known ? { NODE_EXTRA_CA_CERTS: certificate.file } : {};
    const env = { ...fastTime(50), ...trust, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { endsAs } = await start('read', configAt(`https://127.0.0.1:${api.port}`), { env });
    const refused = new RegExp(
      `^config_error: auth_url: ${code}: .*; 127\\.0\\.0\\.1:\\d+ presented a certificate for "test" \\(${names.replace('IP:', 'IP Address:').replace(',', ', ')}\\), issued by "test", valid from .* GMT to .* GMT\\. .*${cure}`,
    );
    const { stdout } = await endsAs(1, ['STARTED', expect.stringMatching(refused), 'INCOMPLETE']);
    expect(seen).toStrictEqual([]);
    expect(stdout).toContain('0 requests, 0 retries, 0 tokens requested');
    // and no warning of Node.js becomes a log line
    expect(stdout).not.toMatch(/canary|"Node\.js: |NODE_TLS/);
  });
});

test.each<[what: string, tunnel: Tunnel, until: string]>([
  ['never answers', 'stall', ''],
  ['refuses with 503', { refuse: 503 }, '(status 503: no)'],
  ['does not speak HTTP', { say: 'SSH-2.0-OpenSSH\r\n' }, 'cannot be used ('],
])('a read that is stopped while its proxy %s ends by that signal', async (_, tunnel, until) => {
  const proxy = await startProxy(tunnel, () => undefined, null);
  const running = await start('read', API, {
    env: { HTTPS_PROXY: `http://me:canary@127.0.0.1:${proxy.port}` },
  });
  // it waits for the proxy or its next attempt
  await vi.waitUntil(() => proxy.seen.length > 0, { timeout: 60_000 });
  await running.until(until);
  running.process.kill('SIGTERM');
  const stopped = expect.stringMatching(/^transient_error: the connector was stopped \(SIGTERM\)/);
  const { stdout } = await running.endsAs('SIGTERM', ['STARTED', stopped, 'INCOMPLETE']);
  expect(stdout).not.toContain('canary');
});

test.each<[what: string, proxy: string, words: RegExp]>([
  [
    'requires other credentials',
    'HTTPS_PROXY=http://me:canary@HOST',
    /requires other credentials \(407: no\)\. Check the user name and password in HTTPS_PROXY/,
  ],
  ['repeats its password', 'HTTP_PROXY=http://me:canary%40@HOST', /says: no Basic \*{6} or \*{6}!/],
  ['is invalid', 'HTTPS_PROXY=socks5://me:canary@127.0.0.1', /HTTPS_PROXY must be/],
])('a check reports a proxy that %s, without its password', async (_, setting, words) => {
  const proxy = await startProxy(
    { refuse: 407 },
    ({ headers }, response) => {
      const sent = headers['proxy-authorization'] ?? '';
      const [, password] = Buffer.from(sent.replace('Basic ', ''), 'base64').toString().split(':');
      response.writeHead(403).end(`no ${sent} or ${password}!`);
    },
    null,
  );
  const [name = '', address = ''] = setting.replace('HOST', `127.0.0.1:${proxy.port}`).split('=');
  const config = {
    ...configAt(`${name.replace('_PROXY', '').toLowerCase()}://api.example`),
    allow_http: true,
  };
  const { endsAs } = await start('check', config, { env: { [name]: address } });
  const { stdout } = await endsAs(0, ['CONNECTION_STATUS']);
  expect(stdout).toMatch(words);
  expect(stdout).not.toContain('canary');
});
