import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

import { isConnectorError, messageOf } from '../errors.ts';
import { HttpExchangeError, networkMessage, requestIdsIn, shownHeader } from './answer.ts';
import { send } from './route.ts';

/** A wait as those see it who tell people about it; `rateLimited` if a limit of the API is waited out. */
export type Waiting = Readonly<{ reason: string; rateLimited: boolean; waitMs: number }>;

/** What whoever asks for something hands down with each request. */
export interface RequestContext {
  /** Ends the request and all waiting for it, which then throw its reason; so does whatever else is given a signal. */
  readonly signal: AbortSignal;
  /** Told before each wait. */
  readonly onWait: (waiting: Waiting) => Promise<void>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** For the whole exchange: connect, headers and body. */
  readonly deadlineMs: number;
  /** Of body; beyond, the exchange is cut. */
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

/** Server time not later than the answer, ms since the epoch, from its `Date` header; undefined where there is none. */
export function serverTimeOf({ headers, elapsedMs }: HttpResponse): number | undefined {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? undefined : Math.floor(date - elapsedMs);
}

export type Exchange = typeof exchange;

const CHANGES_PROTOCOL = 101;
/** Bytes of room for a body that does not say how large it is; doubled as often as it takes. */
const FIRST_ROOM = 256 * 1024;

/**
 * One exchange: sends the request and receives the whole body. A redirect is an answer like any other and never followed
 * (a 307 would carry the secret to another host). Connections are kept alive and reused; certificates are always checked.
 *
 * @throws HttpExchangeError if there is no whole answer within the deadline
 * @throws config_error PROXY if the environment's proxy is invalid, or asks for other credentials
 */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { signal, deadlineMs, maxBytes } = request;
  signal.throwIfAborted();
  const startedMs = performance.now();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const late = (): void => stop.abort(`no whole answer within ${deadlineMs / 1000} s`);
  const timer = setTimeout(late, deadlineMs);
  /** Of an answer that may be cut off later. */
  let headers: IncomingHttpHeaders = {};
  try {
    const response = await send(request, stop.signal);
    const { statusCode: status = 0 } = response;
    ({ headers } = response);
    const received = await receive(response, maxBytes);
    stop.signal.throwIfAborted();
    const body = decodedBody(received, headers['content-encoding'], maxBytes);
    return { status, headers, body, elapsedMs: performance.now() - startedMs };
  } catch (error) {
    signal.throwIfAborted();
    if (isConnectorError(error, null)) throw error;
    const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
    const ids = requestIdsIn(headers, String);
    throw new HttpExchangeError(`${networkMessage(cause)}${ids === '' ? '' : ` (${ids})`}`, { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The whole body, however small the pieces in which it comes, in little more memory than it has bytes. */
async function receive(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): Error => new HttpExchangeError(`the answer is larger than ${maxBytes} bytes`);
  const { statusCode: status, headers } = response;
  try {
    if (status === CHANGES_PROTOCOL)
      throw new HttpExchangeError(`status ${status}, a change of protocol that was not asked for`);
    // Node.js takes no more than that for the body
    const declared = headers['content-length'];
    if (Number(declared ?? 0) > maxBytes) throw tooLarge();
    let body: Buffer = Buffer.allocUnsafe(Number(declared ?? FIRST_ROOM));
    let size = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      const needed = size + piece.length;
      if (needed > maxBytes) throw tooLarge();
      if (needed > body.length)
        body = Buffer.concat([body], Math.max(needed, Math.min(2 * body.length, maxBytes)));
      body.set(piece, size);
      size = needed;
    }
    return size === body.length ? body : Buffer.concat([body], size);
  } catch (error) {
    response.destroy();
    if (error instanceof HttpExchangeError) throw error;
    throw new HttpExchangeError(`the answer was cut off (${networkMessage(error)})`, { cause: error });
  }
}

/** The body as it was before gzip; throws HttpExchangeError if it is damaged, too large decoded, or encoded otherwise. */
export function decodedBody(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip')
    throw new HttpExchangeError(
      `the answer is encoded as ${shownHeader(name, String)}, which was not asked for`,
    );
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const fault =
      error instanceof RangeError ? `larger than ${maxBytes} bytes` : `not valid gzip (${messageOf(error)})`;
    throw new HttpExchangeError(`the answer is ${fault}`, { cause: error });
  }
}
