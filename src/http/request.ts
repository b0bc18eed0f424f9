import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';

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

/** The exchange did not end with a whole answer: refused, reset, stalled, cut or too large. Always worth another attempt. */
export class HttpExchangeError extends Error {
  override readonly name = 'HttpExchangeError';
}

const httpAgent = new HttpAgent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/**
 * One exchange: sends the request and receives the whole body. Redirects are answers like any other and are
 * never followed (a 307 would carry the secret to another host). Connections are kept alive and reused.
 *
 * @throws HttpExchangeError if there is no whole answer within the deadline
 * @throws the signal's reason if it is aborted
 */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  request.signal.throwIfAborted();
  const started = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort();
  }, request.deadlineMs);
  try {
    const response = await send(request, AbortSignal.any([request.signal, deadline.signal]));
    const body = await receive(response, request.maxBytes);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body,
      elapsedMs: performance.now() - started,
    };
  } catch (error) {
    request.signal.throwIfAborted();
    if (deadline.signal.aborted)
      throw new HttpExchangeError(`no whole answer within ${request.deadlineMs / 1000} s`, { cause: error });
    if (error instanceof HttpExchangeError) throw error;
    throw new HttpExchangeError(networkMessage(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const secure = request.url.protocol === 'https:';
    const options = {
      method: request.method,
      headers: {
        ...request.headers,
        ...(request.body === null ? {} : { 'content-length': Buffer.byteLength(request.body).toString() }),
      },
      signal,
    };
    const sent: ClientRequest = secure
      ? httpsRequest(request.url, { ...options, agent: httpsAgent }, resolve)
      : httpRequest(request.url, { ...options, agent: httpAgent }, resolve);
    sent.on('error', reject);
    sent.end(request.body ?? undefined);
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

function networkMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // an AggregateError of several addresses tried has an empty message
  return [code, error.message].filter((part) => part !== '').join(': ');
}
