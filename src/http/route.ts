import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import packageJson from '../../package.json' with { type: 'json' };
import { isLoopback } from '../config/config.ts';
import { configError } from '../errors.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';
import { HttpExchangeError, networkMessage } from './response.ts';

// An import would also evaluate getters that load the WebSocket of Node 24: a third of the CPU time of a check.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Sent with every request, so that operators of the API, a proxy or a firewall can identify the client. */
export const USER_AGENT = `${packageJson.name}/${packageJson.version}`;

/** Agents for direct connections and for the tunnels of each proxy; connections are kept alive and reused. */
const direct = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
const tunnels = new Map<string, HttpsAgent>();

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly deadlineMs: number; // for the whole exchange: connect, headers and body
  readonly maxBytes: number; // of the body, received and decoded
  readonly signal: AbortSignal;
}

/**
 * Sends a request directly, or as plain http or in a TLS tunnel through the proxy in the environment. Returns the response once its
 * headers have arrived; `signal` also aborts its body. Throws a config_error PROXY if the proxy is invalid or refuses its credentials.
 */
export async function send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body } = request;
  const headers = { 'user-agent': USER_AGENT, 'accept-encoding': acceptedEncoding(url), ...request.headers };
  const proxy = proxyFor(url, process.env);
  if (proxy === null) return responseFrom(url, { method, headers }, body, signal);
  if (url.protocol === 'https:') {
    const options: TunnelOptions = { method, headers, agent: tunnelAgent(proxy), tunnelSignal: signal };
    return responseFrom(url, options, body, signal);
  }
  const options = {
    method,
    // a proxy needs the whole URL in the request line; unless `auth` is reset, the API gets the proxy's credentials
    path: url.origin + url.pathname + url.search,
    auth: undefined,
    headers: { ...headers, host: url.host, ...proxyAuthorization(proxy) },
  };
  const response = await responseFrom(proxy, options, body, signal);
  if (response.statusCode !== 407) return response;
  response.destroy();
  throw proxyRefusal(proxy, url.host, 407);
}

/** Sends to the next hop. Resolves once the headers of the response have arrived; later failures surface in its body. */
function responseFrom(nextHop: URL, options: RequestOptions, body: string | null, signal: AbortSignal) {
  const [start, agent] =
    nextHop.protocol === 'https:' ? [httpsRequest, direct.https] : [httpRequest, direct.http];
  const sent = start(nextHop, { agent, ...options, rejectUnauthorized: true });
  return new Promise<IncomingMessage>((resolve, reject) => {
    // settles even if no other event follows; the `signal` option of Node.js would cost 5% of a read of small pages
    signal.addEventListener('abort', () => {
      sent.destroy();
      reject(signal.reason as Error);
    });
    sent.on('response', resolve).on('upgrade', resolve).on('connect', resolve).on('error', reject);
    // `close` follows every other outcome; a string, because creating an Error for each request would cost another 10%
    sent.on('close', () => reject('the connection was closed without a response'));
    sent.end(body ?? undefined);
  });
}

/** The `accept-encoding` of a request: gzip costs 1.7 ms of CPU per MB of JSON, which pays off on all networks but loopback. */
export function acceptedEncoding(url: URL): string {
  return isLoopback(url.hostname) ? 'identity' : 'gzip';
}

type TunnelOptions = RequestOptions & { readonly tunnelSignal: AbortSignal };

/** An agent that connects through CONNECT tunnels of a proxy. */
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

/** @throws HttpExchangeError, or config_error PROXY if the proxy requires other credentials */
async function openTunnel(proxy: URL, { host, port, tunnelSignal }: TunnelOptions): Promise<Duplex> {
  const target = `${host?.includes(':') === true ? `[${host}]` : host}:${port}`;
  const headers = { host: target, 'user-agent': USER_AGENT, ...proxyAuthorization(proxy) };
  const options = { method: 'CONNECT', auth: undefined, path: target, headers, agent: false };
  const response = await responseFrom(proxy, options, null, tunnelSignal).catch((cause: unknown) => {
    throw new HttpExchangeError(`the proxy ${proxy.host} cannot be used (${networkMessage(cause)})`);
  });
  const { socket, statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return socket;
  socket.destroy();
  throw proxyRefusal(proxy, target, statusCode);
}

function proxyRefusal({ host }: URL, target: string, status: number): Error {
  if (status !== 407)
    return new HttpExchangeError(`the proxy ${host} refuses to connect to ${target} (status ${status})`);
  const advice = 'Check the user name and password in HTTPS_PROXY or HTTP_PROXY.';
  return configError('PROXY', `the proxy ${host} requires other credentials (407). ${advice}`);
}
