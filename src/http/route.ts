import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';

import packageJson from '../../package.json' with { type: 'json' };
import { isLoopback } from '../config/loopback.ts';
import { configError } from '../errors.ts';
import { HttpExchangeError, networkMessage } from './answer.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';

// Imported, it would load WebSocket of Node 24 as well, by its getters: a third of the CPU time of a check.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Who asks: sent with every request, so that whoever runs the API, a proxy or a firewall can tell. */
export const USER_AGENT = `${packageJson.name}/${packageJson.version}`;

/** The status with which a proxy asks for credentials. */
export const ASKS_FOR_CREDENTIALS = 407;

/** What is asked, and where. */
export interface RequestLine {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** How addresses are reached without a tunnel, and through those of each proxy: kept alive and reused. */
const direct = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
const tunnels = new Map<string, HttpsAgent>();

/**
 * Begins a request, its body still to be sent: straight, by handing plain http to a proxy, which may answer in place of the
 * API, or with TLS through a tunnel, so that the proxy sees the API's name and nothing more. `signal` ends a tunnel that is
 * still to be opened: a request that is aborted would wait for it in vain.
 *
 * @throws config_error PROXY (see `proxyFor`)
 */
export function begin({ url, method, headers, body }: RequestLine, signal: AbortSignal) {
  const chosen = proxyFor(url, process.env);
  const [proxy, tunnel] = url.protocol === 'http:' ? [chosen, null] : [null, chosen];
  const nearest = proxy ?? url;
  const isSecure = nearest.protocol === 'https:';
  const { hostname, port, auth } = urlToHttpOptions(nearest);
  const options: TunnelOptions = {
    method,
    hostname,
    port,
    // those of a proxy would become those of the API
    auth: proxy === null ? auth : undefined,
    // plain http goes to a proxy as it is, with the whole address in its first line
    path: `${proxy === null ? '' : url.origin}${url.pathname}${url.search}`,
    headers: {
      'user-agent': USER_AGENT,
      'accept-encoding': acceptedEncoding(url),
      ...(proxy === null ? {} : { host: url.host, ...proxyAuthorization(proxy) }),
      ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
    agent: tunnel !== null ? tunnelAgent(tunnel) : isSecure ? direct.https : direct.http,
    rejectUnauthorized: true,
    tunnelSignal: signal,
  };
  return { sent: isSecure ? httpsRequest(options) : httpRequest(options), proxy };
}

/** What a request accepts: gzip costs 1.7 ms of CPU for a MB of JSON, which pays on any link but within the machine. */
export function acceptedEncoding(url: URL): string {
  return isLoopback(url.hostname) ? 'identity' : 'gzip';
}

/** What a request hands to the agent of a tunnel. */
interface TunnelOptions extends RequestOptions {
  readonly tunnelSignal: AbortSignal;
}

/** Connects by CONNECT; fails with HttpExchangeError, or config_error PROXY where the proxy asks for other credentials. */
function tunnelAgent(proxy: URL): HttpsAgent {
  const known = tunnels.get(proxy.href);
  if (known !== undefined) return known;
  const agent = new HttpsAgent({ keepAlive: true });
  const connectOverTls = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const connected = callback as (error: Error | null, socket?: Duplex | null) => void;
    openTunnel(proxy, options as TunnelOptions)
      .then((socket) => connectOverTls({ ...options, socket } as RequestOptions))
      .then((connection) => connected(null, connection), connected);
    return undefined;
  };
  tunnels.set(proxy.href, agent);
  return agent;
}

function openTunnel(proxy: URL, { host, port, tunnelSignal: signal }: TunnelOptions): Promise<Duplex> {
  const target = `${host?.includes(':') === true ? `[${host}]` : host}:${port}`;
  const { hostname, port: proxyPort } = urlToHttpOptions(proxy);
  const asked = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    method: 'CONNECT',
    hostname,
    port: proxyPort,
    path: target,
    headers: { host: target, 'user-agent': USER_AGENT, ...proxyAuthorization(proxy) },
    agent: false,
    rejectUnauthorized: true,
    signal,
  });
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(
        new HttpExchangeError(`the proxy ${proxy.host} cannot be used (${networkMessage(cause)})`, { cause }),
      );
    const answered = ({ statusCode = 0 }: IncomingMessage, socket: Duplex): void => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(refusal(proxy, target, statusCode));
    };
    asked.on('error', fail).on('connect', answered).on('upgrade', answered);
    asked.on('close', () => fail(new Error('it closed the connection without an answer')));
    asked.end();
  });
}

/** The error for a proxy that answers with its own words instead of handing on. */
export function refusal({ host }: URL, target: string, status: number): Error {
  const asks = `the proxy ${host} asks for other credentials (407). Check user and password in HTTPS_PROXY or HTTP_PROXY.`;
  const refuses = `the proxy ${host} refuses to connect to ${target} (status ${status})`;
  return status === ASKS_FOR_CREDENTIALS ? configError('PROXY', asks) : new HttpExchangeError(refuses);
}
