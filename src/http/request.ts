import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { isConnectorError } from '../errors.ts';
import { createBodyGatherer } from './body-gatherer.ts';
import { decodedBody } from './encoding.ts';
import { HttpExchangeError, networkMessage } from './exchange-error.ts';
import { ASKS_FOR_CREDENTIALS, refusal } from './proxy-tunnel.ts';
import { monotonicMs } from '../monotonic.ts';
import { routeTo } from './route.ts';
import type { BegunRequest } from './route.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** In place of the address's own, without the `?`; null to keep that. */
  readonly query: string | null;
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

/** Sends a request and receives the whole answer: see `exchange`. */
export type Exchange = (request: HttpRequest) => Promise<HttpResponse>;

export { HttpExchangeError };

const CHANGES_PROTOCOL = 101;

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
  const { signal, deadlineMs, maxBytes } = request;
  signal.throwIfAborted();
  const started = monotonicMs();
  let begun: BegunRequest | null = null;
  const stop = new AbortController();
  // whatever a server does, and whichever event it leaves out: this settles
  const isStopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => {
      reject(stop.signal.reason);
      begun?.giveUp();
    });
  });
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const timer = setTimeout(() => {
    stop.abort(new HttpExchangeError(`no whole answer within ${deadlineMs / 1000} s`));
  }, deadlineMs);
  try {
    const { url, method, query, body, headers } = request;
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body).toString() };
    const route = routeTo(url);
    begun = route.begin(method, query, { ...headers, ...length });
    const { response, received } = await Promise.race([
      isStopped,
      answerTo(begun.sent, route.proxy, request),
    ]);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: decodedBody(received, response.headers['content-encoding'], maxBytes),
      elapsedMs: monotonicMs() - started,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HttpExchangeError || isConnectorError(error, null)) throw error;
    throw new HttpExchangeError(networkMessage(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

interface Answer {
  readonly response: IncomingMessage;
  readonly received: Buffer;
}

function answerTo(
  sent: ClientRequest,
  proxy: URL | null,
  { url, body, maxBytes }: HttpRequest,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    const changed = ({ statusCode }: IncomingMessage, socket: Duplex): void => {
      socket.destroy();
      reject(new HttpExchangeError(`status ${statusCode}, a change of protocol that was not asked for`));
    };
    sent.on('upgrade', changed);
    sent.on('response', (response) => {
      if (response.statusCode === CHANGES_PROTOCOL) changed(response, response.socket);
      else if (proxy !== null && response.statusCode === ASKS_FOR_CREDENTIALS) {
        response.destroy();
        reject(refusal(proxy, url.host, ASKS_FOR_CREDENTIALS));
      } else resolve(receive(response, maxBytes));
    });
    // all other ends come first
    sent.on('close', () => reject(new HttpExchangeError('the connection was closed before an answer')));
    sent.end(body ?? undefined);
  });
}

/**
 * Called as soon as the response is there, or its failure may come before anybody listens. By listeners, since the
 * iterator of a response costs a small page as much as its parsing.
 */
function receive(response: IncomingMessage, maxBytes: number): Promise<Answer> {
  // Node.js takes no more than that for the body
  const length = response.headers['content-length'];
  return new Promise((resolve, reject) => {
    const tooLarge = (): Error => new HttpExchangeError(`the answer is larger than ${maxBytes} bytes`);
    if (Number(length ?? 0) > maxBytes) {
      response.destroy();
      reject(tooLarge());
      return;
    }
    const gatherer = createBodyGatherer(length === undefined ? null : Number(length));
    let size = 0;
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) response.destroy(tooLarge());
      else gatherer.add(piece);
    });
    response.on('end', () => resolve({ response, received: gatherer.all() }));
    response.on('close', () => reject(new HttpExchangeError('the answer was cut off')));
    response.on('error', (error) => {
      if (error instanceof HttpExchangeError) reject(error);
      else
        reject(new HttpExchangeError(`the answer was cut off (${networkMessage(error)})`, { cause: error }));
    });
  });
}
