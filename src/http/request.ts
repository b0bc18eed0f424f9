import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { isConnectorError } from '../errors.ts';
import { acceptedEncoding, decodedBody } from './encoding.ts';
import { HttpExchangeError, networkMessage } from './exchange-error.ts';
import { https, httpsAgent } from './https.ts';
import { proxyAuthorization, proxyFor } from './proxy-choice.ts';
import { ASKS_FOR_CREDENTIALS, refusal, throughTunnel } from './proxy-tunnel.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** ms for the whole exchange: connect, headers and body. */
  readonly deadlineMs: number;
  /** Bytes of body above which the exchange is cut. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** ms from the start of the request to the last byte of the body. */
  readonly elapsedMs: number;
}

export { HttpExchangeError };

const httpAgent = new HttpAgent({ keepAlive: true });

/**
 * One exchange: sends the request and receives the whole body. Redirects are answers like any other and are
 * never followed (a 307 would carry the secret to another host). Connections are kept alive and reused. Proxies of the
 * environment are used (see `proxyFor`); gzip is asked for where it pays. Certificates are always checked, whatever the environment says.
 *
 * @throws HttpExchangeError if there is no whole answer within the deadline
 * @throws config_error PROXY if the environment's proxy is none, or asks for other credentials
 * @throws the signal's reason if it is aborted
 */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  request.signal.throwIfAborted();
  const started = performance.now();
  // Node.js 20 keeps a little of what `AbortSignal.any` makes for as long as one of the signals lives
  const cut = new AbortController();
  const giveUp = (): void => cut.abort();
  request.signal.addEventListener('abort', giveUp);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    giveUp();
  }, request.deadlineMs);
  try {
    const response = await send(request, cut.signal);
    const received = await receive(response, request.maxBytes);
    const body = decodedBody(received, response.headers['content-encoding'], request.maxBytes);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body,
      elapsedMs: performance.now() - started,
    };
  } catch (error) {
    request.signal.throwIfAborted();
    if (isLate)
      throw new HttpExchangeError(`no whole answer within ${request.deadlineMs / 1000} s`, { cause: error });
    if (error instanceof HttpExchangeError || isConnectorError(error, null)) throw error;
    throw new HttpExchangeError(networkMessage(error), { cause: error });
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', giveUp);
  }
}

async function send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body } = request;
  const proxy = proxyFor(url, process.env);
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body).toString() };
  const headers = { 'accept-encoding': acceptedEncoding(url), ...request.headers, ...length };
  const options = { method, headers, rejectUnauthorized: true };
  if (url.protocol === 'https:') {
    const route = proxy === null ? { agent: httpsAgent() } : throughTunnel(proxy, signal);
    return answerTo(https().request(url, { ...options, ...route }), body, signal);
  }
  if (proxy === null) return answerTo(httpRequest(url, { ...options, agent: httpAgent }), body, signal);
  return overProxy(proxy, url, options, body, signal);
}

/** Plain http goes to a proxy as it is, with the whole address in its first line. */
async function overProxy(
  proxy: URL,
  url: URL,
  options: Omit<RequestOptions, 'headers'> & Pick<HttpRequest, 'headers'>,
  body: string | null,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const path = `${url.origin}${url.pathname}${url.search}`;
  const headers = { ...options.headers, host: url.host, ...proxyAuthorization(proxy) };
  const toProxy = { ...options, path, headers };
  const sent =
    proxy.protocol === 'https:'
      ? https().request(bare(proxy), { ...toProxy, agent: httpsAgent() })
      : httpRequest(bare(proxy), { ...toProxy, agent: httpAgent });
  const response = await answerTo(sent, body, signal);
  if (response.statusCode !== ASKS_FOR_CREDENTIALS) return response;
  response.destroy();
  throw refusal(proxy, url.host, ASKS_FOR_CREDENTIALS);
}

/** Without credentials: Node would make them those of the API. */
function bare({ protocol, host }: URL): URL {
  return new URL(`${protocol}//${host}`);
}

function answerTo(sent: ClientRequest, body: string | null, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // as an option of the request it would cost a fifth of the whole request
    signal.addEventListener('abort', () => sent.destroy());
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

async function receive(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new HttpExchangeError(`the answer is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof HttpExchangeError) throw error;
    throw new HttpExchangeError(`the answer was cut off (${networkMessage(error)})`, { cause: error });
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}
