import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Takes over a response, or returns false for the usual one. `before` is the number of earlier requests to the endpoint. */
export type Answer = (before: number, response: ServerResponse) => boolean;

/** Responses of endpoints; the list of alarms exists only with one. */
export type Behavior = Partial<Record<'token' | 'assets' | 'alarms', Answer>>;

/** The part of a config for tokens. */
export const accountAt = (base_url: string): object => ({
  auth_url: `${base_url}/token`,
  client_id: 'me',
  client_secret: 'canary-secret',
});

export type RowApi = Awaited<ReturnType<typeof startRowApi>>;

/**
 * Starts an API with known bytes on a free port, which accepts any token. It generates its assets in constant memory: rows
 * `{"assetId":"0","fill":"xx…"}` with `rowBytes` of filling.
 */
export async function startRowApi(rows: number, rowBytes: number, behavior: Behavior) {
  const fill = 'x'.repeat(rowBytes);
  const counts = { token: 0, assets: 0, alarms: 0 };
  const taking = new EventEmitter();
  const takenOver = once(taking, 'taken');
  const page = (offset: number, limit: number): string => {
    const length = Math.max(0, Math.min(limit, rows - offset));
    const items = Array.from({ length }, (_, index) => `{"assetId":"${offset + index}","fill":"${fill}"}`);
    return `{"items":[${items.join(',')}],"metadata":{"pagination":{"offset":${offset},"totalCount":${rows}}}}`;
  };
  // never closes idle connections
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    const endpoint = pathname.slice(pathname.lastIndexOf('/') + 1) as keyof typeof counts;
    const before = counts[endpoint]++;
    if (behavior[endpoint]?.(before, response) === true) taking.emit('taken');
    else if (endpoint === 'token')
      response.end('{"accessToken":"fixed-token","expiresIn":3600,"tokenType":"Bearer"}');
    else response.end(page(Number(query.get('offset')), Number(query.get('limit'))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const alarms = behavior.alarms === undefined ? {} : { alarms: { base_url } };
  return {
    config: { ...accountAt(base_url), assets: { base_url }, ...alarms },
    pages: () => counts.assets,
    tokens: () => counts.token,
    /** Resolves with the first response that `Behavior` has taken over. */
    takenOver,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
