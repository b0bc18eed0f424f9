import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { programOf } from '../own-process.test-support.ts';
import { HttpExchangeError } from './exchange-error.ts';
import { closedAddress, requestFor, startLoopback, startRaw } from './loopback.test-support.ts';
import { exchange } from './request.ts';

/** Settles when the connection of a request is closed. */
function closeOf(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve) => request.socket.once('close', resolve));
}

async function failure(exchanged: Promise<unknown>): Promise<Error> {
  const error: unknown = await exchanged.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HttpExchangeError);
  return error as Error;
}

test('sends method, path, headers and body, and receives status, headers and body', async () => {
  const { address } = await startLoopback(async (request, response) => {
    const body = await text(request);
    response.writeHead(201, { 'x-seen': 'yes', date: 'Wed, 21 Oct 2026 07:28:00 GMT' });
    response.end(
      JSON.stringify([
        request.method,
        request.url,
        request.headers['x-mine'],
        request.headers['content-length'],
        body,
      ]),
    );
  });
  const response = await exchange(
    requestFor(`${address}/a?b=c`, { method: 'POST', headers: { 'x-mine': '1' }, body: '"é"' }),
  );
  expect(response.status).toBe(201);
  expect(response.headers['x-seen']).toBe('yes');
  expect(response.headers.date).toBe('Wed, 21 Oct 2026 07:28:00 GMT');
  expect(JSON.parse(response.body.toString())).toStrictEqual(['POST', '/a?b=c', '1', '4', '"é"']);
  expect(response.elapsedMs).toBeGreaterThan(0);
});

test('every request identifies the connector and its version', async () => {
  const { address } = await startLoopback((request, response) => response.end(request.headers['user-agent']));
  const { body } = await exchange(requestFor(address, {}));
  expect(body.toString()).toMatch(/^source-trailer-data\/\d+\.\d+\.\d+$/);
});

test('receives a body in many chunks and an empty one', async () => {
  const { address } = await startLoopback((request, response) => {
    if (request.url === '/many') for (const part of ['a', 'b', 'c']) response.write(part);
    response.end();
  });
  expect((await exchange(requestFor(`${address}/many`, {}))).body.toString()).toBe('abc');
  expect((await exchange(requestFor(`${address}/none`, {}))).body).toHaveLength(0);
});

const timers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

test('no timer keeps a process alive after the last response', async () => {
  const { address } = await startLoopback((_, response) => response.end());
  await exchange(requestFor(address, {}));
  const before = timers();
  for (let count = 0; count < 20; count++) await exchange(requestFor(address, {}));
  expect(timers() - before).toBeLessThan(10);
});

test.each<[what: string, listener: (response: ServerResponse) => void]>([
  ['headers', () => undefined],
  ['body', (response) => response.writeHead(200, { 'content-length': '10' }).write('half')],
  ['chunked body', (response) => response.writeHead(200).write('half')],
])('the deadline ends a stall of the %s, and the connection with it', async (_, listener) => {
  let closed: Promise<unknown> = Promise.resolve();
  const { address } = await startLoopback((request, response) => {
    closed = closeOf(request);
    listener(response);
  });
  const error = await failure(exchange(requestFor(address, { deadlineMs: 100 })));
  expect(error.message).toBe('no complete response within 0.1 s');
  await closed;
});

test('the deadline ends a body that trickles without end', async () => {
  const { address } = await startLoopback((_, response) => {
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => {
      clearInterval(timer);
    });
  });
  const error = await failure(exchange(requestFor(address, { deadlineMs: 100 })));
  expect(error.message).toBe('no complete response within 0.1 s');
});

test.each<[what: string, listener: (request: IncomingMessage, response: ServerResponse) => void]>([
  [
    'before its declared length',
    (request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => request.socket.end());
    },
  ],
  [
    'between chunks',
    (request, response) => {
      response.writeHead(200);
      response.write('{"items":[', () => request.socket.end());
    },
  ],
  [
    'by a reset',
    (request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => request.socket.resetAndDestroy());
    },
  ],
])('a truncated body is an error: %s', async (_, listener) => {
  const { address } = await startLoopback(listener);
  expect((await failure(exchange(requestFor(address, {})))).message).toMatch(
    /^the response was truncated \(ECONNRESET: .+\)$/,
  );
});

test('a response that is invalid in the packet of its headers is not valid HTTP', async () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const address = await startRaw(`${head}4\r\ndone\r\nno length`, false);
  const error = await failure(exchange(requestFor(address, {})));
  expect(error.message).toBe(
    'the response is not valid HTTP: Invalid character in chunk size (HPE_INVALID_CHUNK_SIZE)',
  );
});

test.each([
  [
    'blanks after the size of a chunk',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4  \r\ndone\r\n0\r\n\r\n',
  ],
  ['a header on two lines', 'HTTP/1.1 200 OK\r\nx-a: b\r\n  c\r\ncontent-length: 4\r\n\r\ndone'],
  ['lines that end without CR', 'HTTP/1.1 200 OK\nx-a: b\ncontent-length: 4\n\ndone'],
  [
    'the encoding "identity"',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\ncontent-length: 4\r\n\r\ndone',
  ],
])('a response with %s is read, as by curl', async (_, response) => {
  const address = await startRaw(response, true);
  expect((await exchange(requestFor(address, {}))).body.toString()).toBe('done');
});

test('a body whose chunks are no HTTP is not taken for a truncated one', async () => {
  const { address } = await startLoopback((_, response) => {
    response.write('done');
    setTimeout(() => response.socket?.write('no size\r\n'), 20);
  });
  const error = await failure(exchange(requestFor(address, {})));
  expect(error).toMatchObject({ fault: 'malformed' });
  expect(error.message).toMatch(/not valid HTTP: .*chunk size.*HPE_INVALID_CHUNK_SIZE/);
});

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

describe('without a response an attempt fails at once, not at the deadline', () => {
  test.each<[what: string, response: string, ends: boolean, error: RegExp]>([
    ['a protocol upgrade', UPGRADE, false, /^status 101, a change of the protocol that was not asked for$/],
    ['a protocol upgrade and the end', UPGRADE, true, /^status 101/],
    ['a change to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', false, /^status 101/],
    ['early hints and the end', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', true, /^ECONNRESET/],
    ['the end without a response', '', true, /^ECONNRESET/],
    ['half a header and the end', 'HTTP/1.1 200 OK\r\ncontent-', true, /^(HPE_|ECONNRESET)/],
  ])('%s', async (_, response, ends, error) => {
    const address = await startRaw(response, ends);
    expect((await failure(exchange(requestFor(address, {})))).message).toMatch(error);
  });
});

test('early hints without a response end at the deadline', async () => {
  const address = await startRaw('HTTP/1.1 103 Early Hints\r\n\r\n', false);
  const error = await failure(exchange(requestFor(address, { deadlineMs: 100 })));
  expect(error.message).toBe('no complete response within 0.1 s');
});

test.each([
  ['truncated', true, /^the response was truncated \(ECONNRESET: .+\) \(x-request-id 4f1c, cf-ray 8f00\)$/],
  ['late', false, /^no complete response within 2 s \(x-request-id 4f1c, cf-ray 8f00\)$/],
])('the error for a response that is %s has its request ids', async (_, ends, message) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\ncf-ray: 8f00\r\nx-request-id: 4f1c\r\n\r\n{';
  const error = await failure(
    exchange(requestFor(await startRaw(head, ends), { deadlineMs: ends ? 20_000 : 2000 })),
  );
  expect(error.message).toMatch(message);
});

test('bytes beyond content-length are not taken for the next response', async () => {
  const address = await startRaw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone{"items":"forged"}', false);
  for (let turn = 0; turn < 3; turn++)
    expect((await exchange(requestFor(address, {}))).body.toString()).toBe('done');
});

test('a body may be as large as the cap, with or without content-length', async () => {
  const { address } = await startLoopback((request, response) => {
    const [, size, form] = (request.url ?? '').split('/');
    const body = 'x'.repeat(Number(size));
    if (form === 'length') response.end(body);
    else {
      response.write(body.slice(0, 10));
      response.end(body.slice(10));
    }
  });
  expect((await exchange(requestFor(`${address}/1024/length`, {}))).body).toHaveLength(1024);
  expect((await exchange(requestFor(`${address}/1024/chunks`, {}))).body).toHaveLength(1024);
  for (const path of ['/1025/length', '/1025/chunks']) {
    const error = await failure(exchange(requestFor(`${address}${path}`, {})));
    expect(error.message).toBe('the response is larger than 1024 bytes');
  }
});

test('errors of a refused connection, a reset and a non-HTTP response name their cause', async () => {
  const refused = await failure(exchange(requestFor(await closedAddress(), {})));
  expect(refused.message).toMatch(/^ECONNREFUSED: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);

  const { address } = await startLoopback((request) => request.socket.resetAndDestroy());
  expect((await failure(exchange(requestFor(address, {})))).message).toMatch(/^ECONNRESET: /);

  const ssh = await startRaw('SSH-2.0-OpenSSH\r\n', true);
  expect((await failure(exchange(requestFor(ssh, {})))).message).toBe(
    'the response is not valid HTTP: it begins with "SSH-2.0-OpenSSH" (HPE_INVALID_CONSTANT)',
  );
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) is returned and not followed', async (status) => {
  let elsewhere = 0;
  const other = await startLoopback((_, response) => {
    elsewhere++;
    response.end();
  });
  const { address } = await startLoopback((_, response) => {
    response.writeHead(status, { location: other.address }).end();
  });
  const response = await exchange(requestFor(address, { method: 'POST', body: '{"clientSecret":"x"}' }));
  expect([response.status, elsewhere]).toStrictEqual([status, 0]);
});

test('an abort rejects with its reason: before the request, before the headers and before the body', async () => {
  const reason = new Error('stopped');
  await expect(
    exchange(requestFor('http://127.0.0.1:1', { signal: AbortSignal.abort(reason) })),
  ).rejects.toBe(reason);
  for (const part of ['', 'half']) {
    const controller = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const { address } = await startLoopback((request, response) => {
      closed = closeOf(request);
      if (part === '') controller.abort(reason);
      else response.write(part, () => controller.abort(reason));
    });
    await expect(exchange(requestFor(address, { signal: controller.signal }))).rejects.toBe(reason);
    await closed;
  }
});

test('an abort between the headers and the body rejects with its reason', async () => {
  const stop = new AbortController();
  const onResponse = (): void => process.nextTick(() => stop.abort(new Error('stopped')));
  subscribe('http.client.response.finish', onResponse);
  onTestFinished(() => void unsubscribe('http.client.response.finish', onResponse));
  const address = await startRaw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', false);
  await expect(exchange(requestFor(address, { signal: stop.signal }))).rejects.toThrow('stopped');
});

test('connections are kept alive and reused, even after an error status', async () => {
  const { address, server } = await startLoopback((request, response) => {
    response.statusCode = request.url === '/bad' ? 500 : 200;
    response.end('body');
  });
  let connections = 0;
  server.on('connection', () => connections++);
  for (const path of ['/a', '/bad', '/b']) await exchange(requestFor(`${address}${path}`, {}));
  expect(connections).toBe(1);
});

test('an idle connection does not keep the process alive', async () => {
  const { address, server } = await startLoopback((_, response) => response.end('{}'));
  server.keepAliveTimeout = 0;
  const code = `
    import { exchange } from './request.ts';
    console.log((await exchange({ method: 'GET', url: new URL(${JSON.stringify(address)}), headers: {}, body: null,
      deadlineMs: 50_000, maxBytes: 10, signal: new AbortController().signal })).status);`;
  // the server keeps the connection open while the child ends, with success
  const connected = once(server, 'connection');
  const { stdout } = await promisify(execFile)(process.execPath, [programOf(code, import.meta.dirname)]);
  await connected;
  expect(stdout).toBe('200\n');
});
