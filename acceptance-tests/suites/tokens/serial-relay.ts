import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before a server and lets one request through at a time. */
export interface SerialRelay {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a relay before the server at `target` (`http://127.0.0.1:port`). `between` runs behind each request, before the
 * next one is let through: what it changes lies between two requests, never beside one.
 */
export async function startSerialRelay(target: string, between: () => Promise<void>): Promise<SerialRelay> {
  let last: Promise<unknown> = Promise.resolve();
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', accept = '*/*' } = request.headers;
    const answer = await fetch(target + (request.url ?? ''), { headers: { authorization, accept } });
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
    await between();
  };
  const server = createServer((request, response) => {
    last = last.then(() => relay(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
