import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest } from 'node:http';
import { urlToHttpOptions } from 'node:url';

import { acceptedEncoding } from './encoding.ts';
import { https, httpsAgent } from './https.ts';
import { proxyAuthorization, proxyFor } from './proxy-choice.ts';
import { throughTunnel } from './proxy-tunnel.ts';
import { USER_AGENT } from './user-agent.ts';

/** How an address is reached: worked out once, since for each page it would cost a tenth of the request. */
export interface Route {
  /** Begins a request; its body is still to be sent. `query` stands in for the address's own, null keeps that. */
  readonly begin: (
    method: string,
    query: string | null,
    headers: Readonly<Record<string, string>>,
  ) => BegunRequest;
  /** The proxy that plain http is handed to, which may answer in place of the API; null for none. */
  readonly proxy: URL | null;
}

export interface BegunRequest {
  readonly sent: ClientRequest;
  /** Ends it wherever it is, its connection included. */
  readonly giveUp: () => void;
}

const httpAgent = new HttpAgent({ keepAlive: true });
const routes = new WeakMap<URL, Route>();

/**
 * The route to an address, over the proxies that the environment names when it is first asked for. It is kept for the
 * object, which must not be changed.
 *
 * @throws config_error PROXY (see `proxyFor`)
 */
export function routeTo(url: URL): Route {
  const route = routes.get(url) ?? createRoute(url);
  routes.set(url, route);
  return route;
}

function createRoute(url: URL): Route {
  const chosen = proxyFor(url, process.env);
  const [proxy, tunnel] = url.protocol === 'http:' ? [chosen, null] : [null, chosen];
  const nearest = proxy ?? url;
  const isSecure = nearest.protocol === 'https:';
  const request = isSecure ? https().request : httpRequest;
  const { hostname, port, auth } = urlToHttpOptions(nearest);
  const connection = {
    hostname,
    port,
    // those of a proxy would become those of the API
    auth: proxy === null ? auth : undefined,
    agent: isSecure ? httpsAgent() : httpAgent,
    rejectUnauthorized: true,
  };
  // plain http goes to a proxy as it is, with the whole address in its first line
  const place = `${proxy === null ? '' : url.origin}${url.pathname}`;
  const common = {
    'user-agent': USER_AGENT,
    'accept-encoding': acceptedEncoding(url),
    ...(proxy === null ? {} : { host: url.host, ...proxyAuthorization(proxy) }),
  };
  return {
    proxy,
    begin: (method, query, headers) => {
      const search = query === null ? url.search : searchOf(query);
      const options = { ...connection, method, path: place + search, headers: { ...common, ...headers } };
      if (tunnel === null) {
        const sent = request(options);
        return { sent, giveUp: () => sent.destroy() };
      }
      // a tunnel that is not there yet knows nothing of the request that waits for it
      const cut = new AbortController();
      const sent = request({ ...options, ...throughTunnel(tunnel, cut.signal) });
      const giveUp = (): void => {
        cut.abort();
        sent.destroy();
      };
      return { sent, giveUp };
    },
  };
}

function searchOf(query: string): string {
  return query === '' ? '' : `?${query}`;
}
