import { spawn } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { createServer as createHttpServer } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { adviceFor, mayHaveArrived, mayPass, type HttpExchangeError } from './exchange-error.ts';
import { closedAddress, getFrom, startLoopback, startRaw } from './loopback.test-support.ts';
import { exchange } from './request.ts';
import type { HttpResponse } from './response.ts';

const HOST = 'several.example';

const get = (address: string): Promise<HttpResponse> => getFrom(address, 20_000, 1024);

async function failure(address: string): Promise<HttpExchangeError> {
  return get(address).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as HttpExchangeError,
  );
}

/** Lets a name resolve to addresses, or fail with a code, until the end of the test. */
function resolveTo(addresses: readonly string[], code: string): void {
  const lookup = (_name: string, _options: object, callback: (...args: unknown[]) => void): void => {
    const error = Object.assign(new Error(`getaddrinfo ${code} ${HOST}`), { code });
    if (addresses.length === 0) callback(error);
    else
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
}

/**
 * Starts a server whose queue of connections is full, so that its kernel drops further ones; after `ms` it accepts them, and a client
 * that is still trying gets through at its next attempt, a second after its first.
 */
async function startFull(ms: number): Promise<number> {
  const code = `
    const server = require('node:http').createServer((request, response) => response.end('slow'));
    server.listen({ port: 0, host: '127.0.0.2', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port) + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});
    });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  for (let isFull = false; !isFull;) {
    const socket = connect(port, '127.0.0.2').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    const isConnected = once(socket, 'connect').then(() => false);
    // on a busy machine, a connection may wait for this process, so it is looked for once more after the delay
    isFull = await Promise.race([isConnected, delay(200).then(() => nextTurn(true))]);
  }
  return port;
}

describe.skipIf(process.platform !== 'linux')('a host with several addresses', () => {
  test('is reached although its first address does not answer', async () => {
    const port = await startFull(60_000);
    const server = createHttpServer((_, response) => response.end('second'));
    await once(server.listen(port, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    resolveTo(['127.0.0.2', '127.0.0.1'], '');
    expect((await get(`http://${HOST}:${port}/`)).body.toString()).toBe('second');
  });

  test('is reached although the only address that works is a second away', async () => {
    const port = await startFull(1000);
    // the other address is closed
    resolveTo(['127.0.0.2', '::1'], '');
    expect((await get(`http://${HOST}:${port}/`)).body.toString()).toBe('slow');
  });

  test('that are all closed: the error names each, and nothing was sent', async () => {
    const { port } = new URL(await closedAddress());
    resolveTo(['127.0.0.1', '127.0.0.2'], '');
    const error = await failure(`http://${HOST}:${port}/`);
    expect(error.message).toBe(
      `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}`,
    );
    expect([mayHaveArrived(error), mayPass(error)]).toStrictEqual([false, true]);
  });
});

/** Lets these variables, and no others, say which proxy is used, until the end of the test. */
function stubProxies(variables: Readonly<Record<string, string>>): void {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'])
    for (const variable of [name, name.toLowerCase()]) vi.stubEnv(variable, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.each(['https', 'http'])(
  'a proxy with an unknown name over %s: no hint at another proxy',
  async (scheme) => {
    const variable = `${scheme.toUpperCase()}_PROXY`;
    stubProxies({ [variable]: `http://${HOST}:8080`, NO_PROXY: HOST });
    resolveTo([], 'ENOTFOUND');
    const error = await failure(`${scheme}://api.example/`);
    expect(error.message).toBe(
      `the proxy ${HOST}:8080 cannot be used (ENOTFOUND: getaddrinfo ENOTFOUND ${HOST})`,
    );
    expect(adviceFor(error, 'auth_url')).toBe(`Check ${variable} and the network.`);
  },
);

test.each([
  ['https', {}, 'If this network requires a proxy, set HTTPS_PROXY.'],
  ['http', {}, 'If this network requires a proxy, set HTTP_PROXY.'],
  [
    'https',
    { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '.example' },
    `NO_PROXY exempts ${HOST} from HTTPS_PROXY.`,
  ],
])('an unknown name over %s with %j: a hint at the proxy', async (scheme, variables, hint) => {
  stubProxies(variables);
  resolveTo([], 'ENOTFOUND');
  const error = await failure(`${scheme}://${HOST}/`);
  expect(error.message).toBe(`ENOTFOUND: getaddrinfo ENOTFOUND ${HOST}`);
  expect(adviceFor(error, 'auth_url')).toBe(`Check auth_url and the network. ${hint}`);
});

test.skipIf(process.platform !== 'linux')(
  'a deadline before there is a connection: nothing was sent',
  async () => {
    const port = await startFull(60_000);
    const request = { method: 'GET' as const, headers: {}, body: null, deadlineMs: 200, maxBytes: 1 };
    const { signal } = new AbortController();
    const error: unknown = await exchange({
      ...request,
      url: new URL(`http://127.0.0.2:${port}`),
      signal,
    }).catch((reason: unknown) => reason);
    expect((error as Error).message).toBe('no complete response within 0.2 s');
    expect(mayHaveArrived(error)).toBe(false);
  },
);

describe('TLS on one side only fails at once, and the message names the scheme', () => {
  test.each([
    ['an alert', Buffer.from('15030100020246', 'hex'), 'it responded with a TLS alert'],
    [
      'nginx',
      'HTTP/1.1 400 Bad Request\r\ncontent-length: 72\r\n\r\n<center>The plain HTTP request was sent to HTTPS port</center>xxxxxxxxxxx',
      'status 400',
    ],
    ['Go', 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n', 'status 400'],
  ])('http to a server that expects TLS and responds with %s', async (_, bytes, sign) => {
    const address = await startRaw(bytes, true);
    const error = await failure(address);
    expect([error.message, error.fault]).toStrictEqual([
      `${new URL(address).host} expects TLS, and the request was sent without it (${sign})`,
      'tls',
    ]);
  });

  test('https to a server for http', async () => {
    const { address } = await startLoopback((_, response) => response.end());
    const error = await failure(address.replace('http:', 'https:'));
    expect(error.message).toBe(
      `${new URL(address).host} does not speak TLS, although the address begins with https://`,
    );
    expect(adviceFor(error, 'alarms.base_url')).toMatch(/^Let alarms\.base_url begin with http:\/\//);
    expect([mayHaveArrived(error), mayPass(error)]).toStrictEqual([false, false]);
  });
});

test('a server that hangs up on plain http may expect TLS', async () => {
  const error = await failure(await startRaw('', true));
  expect([error.fault, mayHaveArrived(error), mayPass(error)]).toStrictEqual(['broken', true, true]);
  expect(adviceFor(error, 'auth_url')).toBe(
    'Check auth_url and the network. If the server expects TLS, let auth_url begin with https://.',
  );
});
