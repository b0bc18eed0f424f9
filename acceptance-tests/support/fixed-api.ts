import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers in its own way, or not at all; false to have the usual answer. `before` counts the requests to the endpoint. */
export type Answer = (before: number, response: ServerResponse) => boolean;

/** What each endpoint does instead of answering; the list of alarms is there only with an answer. */
export type Behaviour = Partial<Record<'token' | 'assets' | 'alarms', Answer>>;

/** The part of a config that asks for tokens. */
export const accountAt = (base_url: string): object => ({
  auth_url: `${base_url}/token`,
  client_id: 'me',
  client_secret: 'canary-secret',
});

export type RowApi = Awaited<ReturnType<typeof startRowApi>>;

/**
 * An API of which every byte is known, on a free port of the loopback interface; any token is good. Its list of assets is as long
 * and as wide as a test wants, in constant memory: rows `{"assetId":"0","fill":"xx…"}`, each with `rowBytes` of filling.
 */
export async function startRowApi(rows: number, rowBytes: number, behaviour: Behaviour) {
  const fill = 'x'.repeat(rowBytes);
  const counts = { token: 0, assets: 0, alarms: 0 };
  const taking = new EventEmitter();
  const takenOver = once(taking, 'taken');
  const page = (offset: number, limit: number): string => {
    const length = Math.max(0, Math.min(limit, rows - offset));
    const items = Array.from({ length }, (_, index) => `{"assetId":"${offset + index}","fill":"${fill}"}`);
    return `{"items":[${items.join(',')}],"metadata":{"pagination":{"offset":${offset},"totalCount":${rows}}}}`;
  };
  // it never closes an idle connection
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    const endpoint = pathname.slice(pathname.lastIndexOf('/') + 1) as keyof typeof counts;
    const before = counts[endpoint]++;
    if (behaviour[endpoint]?.(before, response) === true) taking.emit('taken');
    else if (endpoint === 'token')
      response.end('{"accessToken":"fixed-token","expiresIn":3600,"tokenType":"Bearer"}');
    else response.end(page(Number(query.get('offset')), Number(query.get('limit'))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const alarms = behaviour.alarms === undefined ? {} : { alarms: { base_url } };
  return {
    config: { ...accountAt(base_url), assets: { base_url }, ...alarms },
    /** Requests to the list of assets, and for tokens, so far. */
    pages: () => counts.assets,
    tokens: () => counts.token,
    /** Resolves with the first request for which `Behaviour` has taken the answer over. */
    takenOver,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
