import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An API of which every byte is known: one page of each list, for any token. */
export interface FixedApi {
  readonly config: object;
  close(): Promise<void>;
}

/** Serves a body for each list (of assets one row at most: a second page is always empty), on a free port of the loopback interface; the token endpoint always issues a token. */
export async function startFixedApi(bodies: { assets: string; alarms: string }): Promise<FixedApi> {
  const answers: Record<string, string> = {
    '/token': '{"accessToken":"fixed-token","expiresIn":3600,"tokenType":"Bearer"}',
    '/v1/assets': bodies.assets,
    '/v1/alarms': bodies.alarms,
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    request.resume();
    const behind = Number(searchParams.get('offset') ?? 0) > 0;
    const empty = '{"items":[],"metadata":{"pagination":{}}}';
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(behind ? empty : (answers[pathname] ?? ''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    config: {
      auth_url: `${base_url}/token`,
      client_id: 'me',
      client_secret: 'fixed-secret',
      assets: { base_url },
      alarms: { base_url },
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
