import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

import packageJson from '../../package.json' with { type: 'json' };
import { isLoopback } from '../config/config.ts';
import { configError } from '../errors.ts';
import { HttpExchangeError, networkMessage } from './answer.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';
import type { HttpRequest } from './request.ts';

// Imported, it would load WebSocket of Node 24 as well, by its getters: a third of the CPU time of a check.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Who asks: sent with every request, so that whoever runs the API, a proxy or a firewall can tell. */
export const USER_AGENT = `${packageJson.name}/${packageJson.version}`;

const ASKS_FOR_CREDENTIALS = 407;

/** How addresses are reached without a tunnel, and through those of each proxy: kept alive and reused. */
const direct = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
const tunnels = new Map<string, HttpsAgent>();

/**
 * Sends a request straight, as plain http by a proxy, which may answer in place of the API, or with TLS through a tunnel, so
 * that the proxy sees the API's name and nothing more. Gives the answer as soon as it begins; `signal` ends it all.
 *
 * @throws config_error PROXY (see `proxyFor`), or if a proxy asks for other credentials
 */
export async function send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, headers, body } = request;
  const chosen = proxyFor(url, process.env);
  const [proxy, tunnel] = url.protocol === 'http:' ? [chosen, null] : [null, chosen];
  const nearest = proxy ?? url;
  const options: TunnelOptions = {
    method,
    // a proxy is given the whole address in the first line, and its credentials would become those of the API
    ...(proxy === null ? {} : { path: url.origin + url.pathname + url.search, auth: undefined }),
    headers: {
      'user-agent': USER_AGENT,
      'accept-encoding': acceptedEncoding(url),
      ...(proxy === null ? {} : { host: url.host, ...proxyAuthorization(proxy) }),
      ...headers,
    },
    agent: tunnel !== null ? tunnelAgent(tunnel) : isSecure(nearest) ? direct.https : direct.http,
    tunnelSignal: signal,
  };
  const response = await answerOf(nearest, options, body, signal);
  if (proxy === null || response.statusCode !== ASKS_FOR_CREDENTIALS) return response;
  response.destroy();
  throw refusal(proxy, url.host, ASKS_FOR_CREDENTIALS);
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:';
}

/** Asks the next one on the way. The answer is given as soon as it begins; its own failures are told by its body. */
function answerOf(next: URL, options: RequestOptions, body: string | null, signal: AbortSignal) {
  const sent = (isSecure(next) ? httpsRequest : httpRequest)(next, { ...options, rejectUnauthorized: true });
  return new Promise<IncomingMessage>((resolve, reject) => {
    // whatever a server does, and whichever event it leaves out: this settles; and not by the options of Node.js, whose
    // way with signals costs 5 % of a read of small pages
    signal.addEventListener('abort', () => {
      sent.destroy();
      reject(signal.reason as Error);
    });
    sent.on('response', resolve).on('upgrade', resolve).on('connect', resolve).on('error', reject);
    // all other ends come before it is closed; in words, since an error for each request would cost it a tenth more
    sent.on('close', () => reject('it closed the connection without an answer'));
    sent.end(body ?? undefined);
  });
}

/** What a request accepts: gzip costs 1.7 ms of CPU for a MB of JSON, which pays on any link but within the machine. */
export function acceptedEncoding(url: URL): string {
  return isLoopback(url.hostname) ? 'identity' : 'gzip';
}

/** What a request hands to the agent of a tunnel. */
type TunnelOptions = RequestOptions & { readonly tunnelSignal: AbortSignal };

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

async function openTunnel(proxy: URL, { host, port, tunnelSignal }: TunnelOptions): Promise<Duplex> {
  const target = `${host?.includes(':') === true ? `[${host}]` : host}:${port}`;
  const headers = { host: target, 'user-agent': USER_AGENT, ...proxyAuthorization(proxy) };
  const options = { method: 'CONNECT', auth: undefined, path: target, headers, agent: false };
  const answer = await answerOf(proxy, options, null, tunnelSignal).catch((cause: unknown) => {
    const words = `the proxy ${proxy.host} cannot be used (${networkMessage(cause)})`;
    throw new HttpExchangeError(words, { cause });
  });
  const { socket, statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 300) return socket;
  socket.destroy();
  throw refusal(proxy, target, statusCode);
}

/** The error for a proxy that answers with its own words instead of handing on. */
function refusal({ host }: URL, target: string, status: number): Error {
  const asks = `the proxy ${host} asks for other credentials (407). Check user and password in HTTPS_PROXY or HTTP_PROXY.`;
  const refuses = `the proxy ${host} refuses to connect to ${target} (status ${status})`;
  return status === ASKS_FOR_CREDENTIALS ? configError('PROXY', asks) : new HttpExchangeError(refuses);
}
