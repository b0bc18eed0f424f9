import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Endpoint = 'token' | 'assets' | 'alarms';
type Respond = (endpoint: Endpoint, query: URLSearchParams, response: ServerResponse) => void;

/** An API of which every byte is known; any token is good. */
export interface FixedApi {
  readonly config: { readonly assets: { readonly base_url: string } };
  readonly close: () => Promise<void>;
}

const TOKEN = '{"accessToken":"fixed-token","expiresIn":3600,"tokenType":"Bearer"}';

/** The part of a config that asks for tokens. */
export function accountAt(base_url: string): object {
  return { auth_url: `${base_url}/token`, client_id: 'me', client_secret: 'canary-secret' };
}

/** Serves on a free port of the loopback interface, and never closes an idle connection. */
async function serve(hasAlarms: boolean, respond: Respond): Promise<FixedApi> {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    respond(pathname.slice(pathname.lastIndexOf('/') + 1) as Endpoint, searchParams, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    config: { ...accountAt(base_url), assets: { base_url }, ...(hasAlarms ? { alarms: { base_url } } : {}) },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One page of each list: a body for each (of assets one row at most: a second page is always empty). */
export function startFixedApi(bodies: { assets: string; alarms: string }): Promise<FixedApi> {
  const answers = { ...bodies, token: TOKEN };
  const empty = '{"items":[],"metadata":{"pagination":{}}}';
  return serve(true, (endpoint, query, response) => {
    const isBehind = Number(query.get('offset') ?? 0) > 0;
    response.writeHead(200, { 'content-type': 'application/json' }).end(isBehind ? empty : answers[endpoint]);
  });
}

/** Answers in its own way, or not at all; false to have the usual answer. `before` counts the requests to the endpoint. */
export type Answer = (before: number, response: ServerResponse) => boolean;

/** What each endpoint does instead of answering. */
export type Behaviour = Partial<Record<'token' | 'assets', Answer>>;

/** An API whose list of assets is as long and as wide as a test wants, in constant memory. */
export interface RowApi extends FixedApi {
  /** Requests to the list, and for tokens, so far. */
  readonly pages: () => number;
  readonly tokens: () => number;
  /** Resolves with the first request for which `Behaviour` has taken the answer over. */
  readonly takenOver: Promise<unknown>;
}

/** Rows `{"assetId":"0","fill":"xx…"}`, `{"assetId":"1",…`, each with `rowBytes` of filling. */
export async function startRowApi(rows: number, rowBytes: number, behaviour: Behaviour): Promise<RowApi> {
  const fill = 'x'.repeat(rowBytes);
  const counts = { token: 0, assets: 0, alarms: 0 };
  const taking = new EventEmitter();
  const takenOver = once(taking, 'taken');
  const page = (offset: number, limit: number): string => {
    const length = Math.max(0, Math.min(limit, rows - offset));
    const items = Array.from({ length }, (_, index) => `{"assetId":"${offset + index}","fill":"${fill}"}`);
    return `{"items":[${items.join(',')}],"metadata":{"pagination":{"offset":${offset},"totalCount":${rows}}}}`;
  };
  const api = await serve(false, (endpoint, query, response) => {
    const before = counts[endpoint]++;
    if (endpoint !== 'alarms' && behaviour[endpoint]?.(before, response) === true) taking.emit('taken');
    else if (endpoint === 'token') response.end(TOKEN);
    else response.end(page(Number(query.get('offset')), Number(query.get('limit'))));
  });
  return { ...api, pages: () => counts.assets, tokens: () => counts.token, takenOver };
}
