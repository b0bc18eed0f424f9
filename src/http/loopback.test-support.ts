import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { exchange } from './request.ts';
import type { HttpResponse } from './response.ts';

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

/** Sends one GET request without headers. */
export function getFrom(address: string, deadlineMs: number, maxBytes: number): Promise<HttpResponse> {
  const limits = { deadlineMs, maxBytes, signal: new AbortController().signal };
  return exchange({ method: 'GET', url: new URL(address), headers: {}, body: null, ...limits });
}
