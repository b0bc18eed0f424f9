import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { exchange } from './request.ts';
import type { HttpResponse } from './response.ts';
import type { HttpRequest } from './route.ts';

export interface Loopback {
  readonly address: string; // ends without a slash
  readonly server: Server;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Starts a real server on loopback until the end of the test. */
export async function startLoopback(answer: Answer): Promise<Loopback> {
  const server = createServer((request, response) => {
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Starts a server that responds to each connection with these bytes and, if `ends`, closes it; returns its address. */
export async function startRaw(response: string | Buffer, ends: boolean): Promise<string> {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => (ends ? socket.end(response) : socket.write(response)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address that refuses connections. */
export async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return `http://127.0.0.1:${port}`;
}

/** A GET request for JSON, with some changes. */
export function requestFor(address: string, changes: Partial<HttpRequest>): HttpRequest {
  return {
    method: 'GET',
    url: new URL(address),
    headers: { accept: 'application/json' },
    body: null,
    deadlineMs: 20_000,
    maxBytes: 1024,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Sends one GET request without headers. */
export function getFrom(address: string, deadlineMs: number, maxBytes: number): Promise<HttpResponse> {
  return exchange(requestFor(address, { headers: {}, deadlineMs, maxBytes }));
}
