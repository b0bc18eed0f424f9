import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What each endpoint does instead of answering: it is given the number of requests to it before this one. */
export interface Behaviour {
  readonly token?: Answer;
  readonly assets?: Answer;
}

/** Answers in its own way, or not at all; false to have the usual answer. */
export type Answer = (before: number, response: ServerResponse) => boolean;

/** An API whose list of assets is as long and as wide as a test wants, in constant memory. */
export interface RowApi {
  readonly config: object;
  /** Requests to the list so far. */
  readonly pages: () => number;
  /** Token requests so far. */
  readonly tokens: () => number;
  /** Resolves with the first request for which `Behaviour` has taken the answer over. */
  readonly takenOver: Promise<unknown>;
  readonly close: () => Promise<void>;
}

const TOKEN = '{"accessToken":"row-api-token","expiresIn":3600,"tokenType":"Bearer"}';

/** Rows `{"assetId":"0","fill":"xx…"}`, `{"assetId":"1",…`, each with `rowBytes` of filling. It never closes an idle connection. */
export async function startRowApi(rows: number, rowBytes: number, behaviour: Behaviour): Promise<RowApi> {
  const fill = 'x'.repeat(rowBytes);
  const counts = { token: 0, assets: 0 };
  const taking = new EventEmitter();
  const takenOver = once(taking, 'taken');
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const endpoint = pathname === '/token' ? 'token' : 'assets';
    const before = counts[endpoint]++;
    if (behaviour[endpoint]?.(before, response) === true) taking.emit('taken');
    else if (endpoint === 'token') response.end(TOKEN);
    else response.end(page(Number(searchParams.get('offset')), Number(searchParams.get('limit'))));
  });
  const page = (offset: number, limit: number): string => {
    const items = Array.from(
      { length: Math.max(0, Math.min(limit, rows - offset)) },
      (_, index) => `{"assetId":"${offset + index}","fill":"${fill}"}`,
    );
    return `{"items":[${items.join(',')}],"metadata":{"pagination":{"offset":${offset},"totalCount":${rows}}}}`;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    config: {
      auth_url: `${base_url}/token`,
      client_id: 'me',
      client_secret: 'row-api-secret',
      assets: { base_url },
    },
    pages: () => counts.assets,
    tokens: () => counts.token,
    takenOver,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
