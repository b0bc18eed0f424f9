import { describe, expect, test } from 'vitest';
import { closedAddress } from '../../src/http/loopback.test-support.ts';
import { makeCertificate, serve, startProxy, whyNoCertificate } from '../../src/http/proxy.test-support.ts';
import { outline, readOutput, start } from './process-rig.ts';

const reason = whyNoCertificate();
const ROWS = ['{"assetId":"a"}', '{"assetId":"b"}'];

function answerTo(path: string): string {
  if (path === '/token') return '{"accessToken":"canary-token","expiresIn":3600}';
  const offset = Number(new URLSearchParams(path.split('?')[1]).get('offset'));
  return `{"items":[${ROWS.slice(offset).join(',')}],"metadata":{"pagination":{"totalCount":2}}}`;
}

function config(base_url: string): object {
  return {
    auth_url: `${base_url}/token`,
    client_id: 'me',
    client_secret: 'canary-secret',
    assets: { base_url },
  };
}

describe.skipIf(reason !== null)(`https${reason === null ? '' : `, left out: ${reason}`}`, () => {
  test('a read through a proxy to a host that only the proxy knows, trusted by NODE_EXTRA_CA_CERTS', async () => {
    const certificate = makeCertificate();
    const api = await serve((request, response) => response.end(answerTo(request.url ?? '')), certificate);
    const proxy = await startProxy({ to: api.port }, () => undefined, null);
    const started = await start(
      'read',
      { config: config('https://api.example') },
      {
        https_proxy: `http://me:canary%40proxy@127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: certificate.file,
        NO_PROXY: 'other.example',
      },
    );
    const { code, stderr, stdout, messages } = await readOutput(started).ended();
    expect([code, stderr, outline(messages)]).toStrictEqual([
      0,
      '',
      ['STARTED', 'RUNNING', 'STATE', 'COMPLETE'],
    ]);
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
    const started = await start(
      'check',
      { config: config(`https://127.0.0.1:${api.port}`) },
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    );
    const { code, stderr, stdout, messages } = await readOutput(started).ended();
    expect([code, stderr, seen]).toStrictEqual([0, '', []]);
    expect(messages.find(({ type }) => type === 'CONNECTION_STATUS')).toMatchObject({
      connectionStatus: { status: 'FAILED', message: expect.stringContaining('self-signed certificate') },
    });
    expect(stdout.toString()).not.toMatch(/Node\.js|NODE_TLS/);
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
    const started = await start('check', { config: config('https://api.example') }, { HTTPS_PROXY });
    const { code, stderr, stdout } = await readOutput(started).ended();
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout.toString()).toMatch(words);
    expect(stdout.toString()).not.toContain('canary');
  }
});
