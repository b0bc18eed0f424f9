import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { programOf } from '../own-process.test-support.ts';
import { HttpExchangeError } from './exchange-error.ts';
import { closedAddress, requestFor, type Answer } from './loopback.test-support.ts';
import { makeCertificate, serve, startProxy, whyNoCertificate } from './proxy.test-support.ts';
import { exchange } from './request.ts';
import { USER_AGENT } from './route.ts';

const reason = whyNoCertificate();

beforeEach(() => {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'])
    for (const variable of [name, name.toLowerCase()]) vi.stubEnv(variable, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function failure(exchanged: Promise<unknown>): Promise<Error> {
  return exchanged.then(
    () => new Error('it did not fail'),
    (error: unknown) => error as Error,
  );
}

const echo: Answer = async (request, response) => {
  const { method, url, headers } = request;
  response.end(
    JSON.stringify([method, url, headers.host, headers['proxy-authorization'], await text(request)]),
  );
};
const silent: Answer = () => undefined;
const BASIC = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;

describe('plain http', () => {
  test('is forwarded by HTTP_PROXY, with the whole URL and the credentials', async () => {
    const proxy = await startProxy('stall', echo, null);
    vi.stubEnv('HTTP_PROXY', `http://me:p%40ss@127.0.0.1:${proxy.port}`);
    const response = await exchange(
      requestFor('http://api.example:8080/a?b=c', { method: 'POST', body: '"é"' }),
    );
    expect(JSON.parse(response.body.toString())).toStrictEqual([
      'POST',
      'http://api.example:8080/a?b=c',
      'api.example:8080',
      BASIC,
      '"é"',
    ]);
    expect(proxy.userAgents).toStrictEqual(new Set([USER_AGENT]));
  });

  test('does not send the credentials of the proxy to the API', async () => {
    const proxy = await startProxy(
      'stall',
      (request, response) => response.end(request.rawHeaders.join()),
      null,
    );
    vi.stubEnv('HTTP_PROXY', `http://me:p%40ss@127.0.0.1:${proxy.port}`);
    const headers = (await exchange(requestFor('http://api.example/a', {}))).body.toString();
    expect(headers.toLowerCase()).not.toMatch(/(^|,)authorization,/);
  });

  test('fails with a config_error if the proxy requires credentials', async () => {
    const proxy = await startProxy('stall', (_, response) => response.writeHead(407).end('no'), null);
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
    const error = await failure(exchange(requestFor('http://api.example/a', {})));
    expect(isConnectorError(error, 'PROXY')).toBe(true);
    expect(error.message).toBe(
      `the proxy 127.0.0.1:${proxy.port} requires credentials (407: no). Add them to HTTP_PROXY, such as http://user:password@127.0.0.1:${proxy.port}.`,
    );
  });

  test('to loopback uses no proxy', async () => {
    const { port } = await serve(echo, null);
    const proxy = await startProxy('stall', silent, null);
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
    expect((await exchange(requestFor(`http://127.0.0.1:${port}/a`, {}))).status).toBe(200);
    expect(proxy.seen).toStrictEqual([]);
  });
});

describe('a tunnel', () => {
  test('that is refused is worth another attempt, and the error names proxy and target', async () => {
    const proxy = await startProxy({ refuse: 503 }, silent, null);
    vi.stubEnv('https_proxy', `http://me:canary@127.0.0.1:${proxy.port}`);
    const error = await failure(exchange(requestFor('https://api.example/a', {})));
    expect(error).toBeInstanceOf(HttpExchangeError);
    expect(error.message).toBe(
      `the proxy 127.0.0.1:${proxy.port} refuses to connect to api.example:443 (status 503: no)`,
    );
  });

  test.each<[reply: string, words: string]>([
    [
      'HTTP/1.1 403 Forbidden\r\nX-Squid-Error: ERR_ACCESS_DENIED 0\r\ncontent-type: text/html\r\n\r\n<html><h1>Blocked by policy SEC-1</h1>',
      '(status 403 (X-Squid-Error: ERR_ACCESS_DENIED 0): Blocked by policy SEC-1)',
    ],
    [
      'HTTP/1.1 403 No\r\ntransfer-encoding: chunked\r\n\r\n7\r\nblocked\r\n0\r\n\r\n',
      '(status 403: blocked)',
    ],
    ['HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n', '(status 405)'],
    [
      'HTTP/1.1 501 Not Implemented\r\nproxy-status: corp; error=http_request_denied\r\n\r\n',
      '(status 501 (Proxy-Status: corp; error=http_request_denied))',
    ],
  ])(
    'that is refused by a decision is a config_error with the words of the proxy: %j',
    async (reply, words) => {
      const proxy = await startProxy({ say: reply }, silent, null);
      vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`);
      const error = await failure(exchange(requestFor('https://api.example/a', {})));
      expect(isConnectorError(error, 'PROXY')).toBe(true);
      expect(error.message).toBe(
        `the proxy 127.0.0.1:${proxy.port} refuses to connect to api.example:443 ${words}. Check that https_proxy is the address of a ` +
          'proxy, and ask its operator to allow connections to api.example:443.',
      );
    },
  );

  test('that is refused without the end of the reason is refused within a moment', async () => {
    const { port, server } = await serve(silent, null);
    server.on('connect', (_, socket) => socket.write('HTTP/1.1 403 No\r\ncontent-length: 99\r\n\r\nblocked'));
    vi.stubEnv('https_proxy', `http://127.0.0.1:${port}`);
    const error = await failure(exchange(requestFor('https://api.example/a', { deadlineMs: 50_000 })));
    expect(error.message).toContain('(status 403: blocked)');
  });

  test.each([
    [
      'NTLM',
      '',
      'requires credentials (407 (Proxy-Authenticate: NTLM)). Only Basic authentication is supported',
    ],
    [
      'Negotiate',
      'me:canary@',
      'requires other credentials (407 (Proxy-Authenticate: Negotiate)). Only Basic',
    ],
    ['NTLM, Basic realm="a"', 'me:canary@', 'Check the user name and password in ALL_PROXY.'],
    ['Basic realm="a"', '', 'Add them to ALL_PROXY, such as http://user:password@127.0.0.1:'],
  ])('whose proxy asks for %s credentials, given %j, says what to do', async (scheme, given, words) => {
    const reply = `HTTP/1.1 407 No\r\nproxy-authenticate: ${scheme}\r\ncontent-length: 0\r\n\r\n`;
    const proxy = await startProxy({ say: reply }, silent, null);
    vi.stubEnv('ALL_PROXY', `http://${given}127.0.0.1:${proxy.port}`);
    const error = await failure(exchange(requestFor('https://api.example/a', {})));
    expect(isConnectorError(error, 'PROXY')).toBe(true);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('canary');
  });

  test('that rejects the credentials is a config_error', async () => {
    const proxy = await startProxy({ refuse: 407 }, silent, null);
    vi.stubEnv('https_proxy', `http://me:canary@127.0.0.1:${proxy.port}`);
    const error = await failure(exchange(requestFor('https://[fd00::1]:8443/a', {})));
    expect(isConnectorError(error, 'PROXY')).toBe(true);
    expect(error.message).not.toContain('canary');
    expect(proxy.seen).toStrictEqual([
      `CONNECT [fd00::1]:8443 host [fd00::1]:8443 Basic ${Buffer.from('me:canary').toString('base64')}`,
    ]);
  });

  test.each([
    ['closes the connection without a response', '', /cannot be used \(.*(connection was closed|hang up)/],
    [
      'changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      /refuses to connect to api\.example:443 \(status 101\)/,
    ],
  ])('that %s is worth another attempt', async (_, reply, message) => {
    const proxy = await startProxy({ say: reply }, silent, null);
    vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`);
    const error = await failure(exchange(requestFor('https://api.example/a', {})));
    expect(error).toBeInstanceOf(HttpExchangeError);
    expect(error.message).toMatch(message);
  });

  test('through a proxy that refuses connections', async () => {
    vi.stubEnv('https_proxy', await closedAddress());
    const error = await failure(exchange(requestFor('https://api.example/a', {})));
    expect(error).toBeInstanceOf(HttpExchangeError);
    expect(error.message).toMatch(/^the proxy 127\.0\.0\.1:\d+ cannot be used \(ECONNREFUSED: .+\)$/);
  });

  test('that stalls ends at the deadline', async () => {
    const proxy = await startProxy('stall', silent, null);
    vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`);
    const error = await failure(exchange(requestFor('https://api.example/a', { deadlineMs: 100 })));
    expect(error.message).toBe('no complete response within 0.1 s');
  });

  test('that stalls ends with the reason of an abort', async () => {
    const proxy = await startProxy('stall', silent, null);
    vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`);
    const stopped = new Error('stopped');
    const controller = new AbortController();
    const aborted = failure(exchange(requestFor('https://api.example/a', { signal: controller.signal })));
    await vi.waitUntil(() => proxy.seen.length > 0, { timeout: 60_000 });
    controller.abort(stopped);
    expect(await aborted).toBe(stopped);
  });
});

/** What a new process fetches from each address: Node.js reads certificates and environment only once. */
async function fetched(
  method: 'GET' | 'POST',
  addresses: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const code = `
    import { exchange } from './request.ts';
    const results = [];
    for (const address of ${JSON.stringify(addresses)})
      results.push(await exchange({ method: ${JSON.stringify(method)}, url: new URL(address), headers: {},
        body: ${method === 'POST' ? "'body'" : 'null'},
        deadlineMs: 50_000, maxBytes: 1000, signal: new AbortController().signal })
        .then(({ body }) => JSON.parse(body), (error) => error.message));
    console.log(JSON.stringify(results));`;
  const child = spawn(process.execPath, [programOf(code, import.meta.dirname)], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(output) as unknown[];
}

describe.skipIf(reason !== null)(`https${reason === null ? '' : `, skipped: ${reason}`}`, () => {
  test.each([
    // a server may close a connection just when it is used again: was the request processed?
    ['GET', '', 1],
    ['POST', 'body', 2],
  ] as const)(
    '%s uses tunnels of http and https proxies, which do not keep the process alive',
    async (method, body, connects) => {
      const certificate = makeCertificate();
      const { port } = await serve(echo, certificate);
      for (const proxyCertificate of [null, certificate]) {
        const proxy = await startProxy({ to: port }, silent, proxyCertificate);
        const scheme = proxyCertificate === null ? 'http' : 'https';
        const results = await fetched(method, ['https://api.example/a?b=c', 'https://api.example/d'], {
          HTTPS_PROXY: `${scheme}://me:p%40ss@127.0.0.1:${proxy.port}`,
          NODE_EXTRA_CA_CERTS: certificate.file,
        });
        // the API does not receive the headers for the proxy
        expect(results).toStrictEqual([
          [method, '/a?b=c', 'api.example', null, body],
          [method, '/d', 'api.example', null, body],
        ]);
        expect(proxy.seen).toStrictEqual(
          Array<string>(connects).fill(`CONNECT api.example:443 host api.example:443 ${BASIC}`),
        );
        expect(proxy.userAgents).toStrictEqual(new Set([USER_AGENT]));
      }
    },
  );

  test('trusts certificates of NODE_EXTRA_CA_CERTS for the names in them', async () => {
    const certificate = makeCertificate();
    const { port } = await serve(echo, certificate);
    const proxy = await startProxy({ to: port }, silent, null);
    const results = await fetched('POST', [`https://127.0.0.1:${port}/direct`, 'https://other.example/'], {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: certificate.file,
    });
    expect(results).toStrictEqual([
      ['POST', '/direct', `127.0.0.1:${port}`, null, 'body'],
      expect.stringMatching(/^ERR_TLS_CERT_ALTNAME_INVALID: .*other\.example/),
    ]);
  });

  test('rejects unknown certificates even with NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const certificate = makeCertificate();
    const seen: unknown[] = [];
    const { port } = await serve((request, response) => {
      seen.push(request.url);
      response.end('{}');
    }, certificate);
    const plain = await startProxy({ to: port }, silent, null);
    const secure = await startProxy({ to: port }, silent, certificate);
    const results = await Promise.all(
      [`http://127.0.0.1:${plain.port}`, `https://127.0.0.1:${secure.port}`].map((HTTPS_PROXY) =>
        fetched('POST', [`https://127.0.0.1:${port}/direct`, 'https://api.example/tunnel'], {
          HTTPS_PROXY,
          NODE_NO_WARNINGS: '1',
          NODE_TLS_REJECT_UNAUTHORIZED: '0',
        }),
      ),
    );
    const distrust = expect.stringMatching(/DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate/) as unknown;
    expect(results).toStrictEqual([
      [distrust, distrust],
      [distrust, distrust],
    ]);
    expect([seen, plain.seen.length, secure.seen]).toStrictEqual([[], 1, []]);
  });
});
