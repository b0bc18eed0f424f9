import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import packageJson from '../../package.json' with { type: 'json' };
import { isLoopback } from '../config/addresses.ts';
import { isConnectorError } from '../errors.ts';
import { CONNECTION } from '../limits.ts';
import { HttpExchangeError, adviceFor, describeFailure, isParseError, type Hop } from './exchange-error.ts';
import { proxyRefusal } from './proxy-refusal.ts';
import { proxyAuthorization, proxyFor, proxyHint, type Proxy } from './proxy.ts';

// An import would also evaluate getters that load the WebSocket of Node 24: a third of the CPU time of a check.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Sent with every request, so that operators of the API, a proxy or a firewall can identify the client. */
export const USER_AGENT = `${packageJson.name}/${packageJson.version}`;

// Node.js 20 tries each address of a host for 250 ms only, less than a connection to another continent may take
setDefaultAutoSelectFamilyAttemptTimeout(CONNECTION.attemptMs);

/** Agents for direct connections and for the tunnels of each proxy; connections are kept alive and reused. */
const CONNECTIONS = { keepAlive: true, maxSockets: CONNECTION.maxPerHost };
const direct = { http: new HttpAgent(CONNECTIONS), https: new HttpsAgent(CONNECTIONS) };
/** For a POST: if the server closes a reused connection just then, nobody can tell whether the request was processed. */
const single = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };
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
 * headers have arrived; `signal` also aborts its body. Throws a config_error PROXY if the proxy is invalid or refuses for good.
 */
export async function send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body } = request;
  const headers = { 'user-agent': USER_AGENT, 'accept-encoding': acceptedEncoding(url), ...request.headers };
  const proxy = proxyFor(url, process.env);
  if (proxy === null) return responseFrom({ url, isProxy: false }, { method, headers }, body, signal);
  if (url.protocol === 'https:') {
    const options: TunnelOptions = {
      method,
      headers,
      agent: tunnelAgent(proxy, method),
      tunnelSignal: signal,
    };
    return responseFrom({ url, isProxy: false }, options, body, signal);
  }
  const options = {
    method,
    // a proxy needs the whole URL in the request line; unless `auth` is reset, the API gets the proxy's credentials
    path: url.origin + url.pathname + url.search,
    auth: undefined,
    headers: { ...headers, host: url.host, ...proxyAuthorization(proxy.url) },
  };
  const nextHop = { url: proxy.url, isProxy: true };
  const response = await responseFrom(nextHop, options, body, signal).catch((error: unknown) => {
    throw proxyFailure(proxy, error);
  });
  if (response.statusCode !== 407) return response;
  const refusal = await proxyRefusal(proxy, url.host, response, response);
  response.destroy();
  throw refusal;
}

/** Where a request is sent to. */
type NextHop = Readonly<{ url: URL; isProxy: boolean }>;

/**
 * Sends to the next hop. Resolves once the headers of the response have arrived; later failures surface in its body. Throws
 * HttpExchangeError.
 */
function responseFrom(nextHop: NextHop, options: RequestOptions, body: string | null, signal: AbortSignal) {
  const isTls = nextHop.url.protocol === 'https:';
  const agents = options.method === 'POST' ? single : direct;
  const [start, agent] = isTls ? [httpsRequest, agents.https] : [httpRequest, agents.http];
  const maxHeaderSize = CONNECTION.maxHeaderBytes;
  // what curl and browsers accept in headers and chunk sizes; that a body is whole, its JSON tells
  const reading = { maxHeaderSize, insecureHTTPParser: true };
  const sent = start(nextHop.url, { agent, ...reading, ...options, rejectUnauthorized: true });
  const hopOf = watchHop(sent, nextHop, isTls);
  return new Promise<IncomingMessage>((resolve, reject) => {
    let isSettled = false;
    let received: IncomingMessage | null = null;
    const succeed = (response: IncomingMessage): void => {
      isSettled = true;
      received = response;
      // without a listener, an error that comes before the body is read would be lost
      response.on('error', () => undefined);
      resolve(response);
    };
    // errors are created only once, because each records its stack
    const fail = (cause: unknown): void => {
      if (isSettled) return;
      isSettled = true;
      // the agent of a tunnel has described its own failure
      if (cause instanceof HttpExchangeError || isConnectorError(cause, null)) return reject(cause);
      reject(describeFailure(cause, hopOf()));
    };
    const onError = (cause: unknown): void => {
      fail(cause);
      // in a body, Node.js would only report that the connection was closed
      if (isParseError(cause) && received?.complete === false)
        received.destroy(describeFailure(cause, hopOf()));
    };
    // settles even if no other event follows; the `signal` option of Node.js would cost 5% of a read of small pages
    signal.addEventListener('abort', () => {
      sent.destroy();
      fail(signal.reason);
    });
    sent.on('response', succeed).on('upgrade', succeed).on('connect', withHead(succeed)).on('error', onError);
    // `close` follows every other outcome
    sent.on('close', () => fail('the connection was closed without a response'));
    sent.end(body ?? undefined);
  });
}

/** Puts back what has arrived with the headers of a response to CONNECT: the start of what a proxy says. */
function withHead(next: (response: IncomingMessage) => void) {
  return (response: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (head.length > 0) socket.unshift(head);
    next(response);
  };
}

/** Returns a function that tells how far a request has got on its way to the next hop. */
function watchHop(sent: ClientRequest, { url, isProxy }: NextHop, isTls: boolean): () => Hop {
  let isConnected = false;
  let certificate: DetailedPeerCertificate | null = null;
  sent.on('socket', (socket) => {
    isConnected = sent.reusedSocket;
    if (isConnected) return;
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      isConnected = true;
    });
    if (!(socket instanceof TLSSocket)) return;
    // emitted before the certificate is verified, after which a rejected connection can no longer be asked for it
    socket.prependOnceListener('secure', () => {
      certificate = socket.getPeerCertificate(true);
    });
  });
  // no proxy leads to a proxy
  const hint = (): string => (isProxy ? '' : proxyHint(url, process.env));
  return () => ({ url, isConnected, certificate, proxyHint: hint() });
}

/** The `accept-encoding` of a request: gzip costs 1.7 ms of CPU per MB of JSON, which pays off on all networks but loopback. */
export function acceptedEncoding(url: URL): string {
  return isLoopback(url.hostname) ? 'identity' : 'gzip';
}

type TunnelOptions = RequestOptions & { readonly tunnelSignal: AbortSignal };

/** An agent that connects through CONNECT tunnels of a proxy. */
function tunnelAgent(proxy: Proxy, method: HttpRequest['method']): HttpsAgent {
  const name = `${method} ${proxy.url.href}`;
  const known = tunnels.get(name);
  if (known !== undefined) return known;
  const agent = new HttpsAgent({
    ...CONNECTIONS,
    keepAlive: method === 'GET',
    maxTotalSockets: CONNECTION.maxPerHost,
  });
  const connectOverTls = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const connected = callback as (error: Error | null, socket?: Duplex | null) => void;
    openTunnel(proxy, options as TunnelOptions)
      .then((socket) => connectOverTls({ ...options, socket } as RequestOptions))
      .then((connection) => connected(null, connection), connected);
    return undefined;
  };
  tunnels.set(name, agent);
  return agent;
}

/** @throws HttpExchangeError, or config_error PROXY if the proxy refuses for good */
async function openTunnel(proxy: Proxy, { host, port, tunnelSignal }: TunnelOptions): Promise<Duplex> {
  const target = `${host?.includes(':') === true ? `[${host}]` : host}:${port}`;
  const headers = { host: target, 'user-agent': USER_AGENT, ...proxyAuthorization(proxy.url) };
  const nextHop = { url: proxy.url, isProxy: true };
  const options = { method: 'CONNECT', auth: undefined, path: target, headers, agent: false };
  const response = await responseFrom(nextHop, options, null, tunnelSignal).catch((error: unknown) => {
    const failure = proxyFailure(proxy, error);
    // without a tunnel, the request itself is not sent
    throw failure.fault === 'tls'
      ? failure
      : new HttpExchangeError(failure.message, 'unconnected', failure.advice);
  });
  const { socket, statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return socket;
  const refusal = await proxyRefusal(proxy, target, response, socket);
  socket.destroy();
  throw refusal;
}

function proxyFailure({ url: { host }, variable }: Proxy, error: unknown): HttpExchangeError {
  if (!(error instanceof HttpExchangeError)) throw error;
  const message = `the proxy ${host} cannot be used (${error.message})`;
  return new HttpExchangeError(message, error.fault, adviceFor(error, variable));
}
