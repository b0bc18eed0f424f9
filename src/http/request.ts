import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { isConnectorError, messageOf } from '../errors.ts';
import { HttpExchangeError, networkMessage, quoteHeader, requestIdsOf } from './response.ts';
import type { HttpResponse } from './response.ts';
import { send, type HttpRequest } from './route.ts';

/** A wait before another attempt; `isRateLimited` if the API limits the rate. */
export type Waiting = Readonly<{ reason: string; isRateLimited: boolean; waitMs: number }>;

/** What a caller passes along with each request. */
export interface RequestContext {
  readonly signal: AbortSignal; // aborts the request and every wait for it
  readonly onWait: (waiting: Waiting) => Promise<void>; // called before each wait
}

/** What follows a failed attempt: the same request at once, the same request after a wait if the budget allows, or the error. */
export type NextStep = 'resend' | 'retry' | 'fail';

const INITIAL_BYTES = 256 * 1024; // allocated for a body of unknown size; doubled whenever it is full

export type Exchange = typeof exchange;

/**
 * Sends a request and receives the whole body. Redirects are returned, not followed: a 307 could send the secret to another host.
 * Throws HttpExchangeError if there is no complete response within the deadline, or a config_error PROXY (see `send`).
 */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { signal, deadlineMs, maxBytes } = request;
  signal.throwIfAborted();
  const startedMs = performance.now();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const onDeadline = (): void => stop.abort(`no complete response within ${deadlineMs / 1000} s`);
  const timer = setTimeout(onDeadline, deadlineMs);
  let response: IncomingMessage | null = null;
  try {
    response = await send(request, stop.signal);
    const received = await receive(response, maxBytes);
    stop.signal.throwIfAborted();
    const { statusCode: status = 0, headers } = response;
    const body = decodedBody(received, headers['content-encoding'], maxBytes);
    return { status, headers, body, elapsedMs: performance.now() - startedMs };
  } catch (error) {
    response?.destroy();
    signal.throwIfAborted();
    if (isConnectorError(error, null)) throw error;
    const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
    const isTruncated = response !== null && cause === error && !(error instanceof HttpExchangeError);
    const message = networkMessage(cause);
    const ids = requestIdsOf(response?.headers ?? {}, String);
    throw new HttpExchangeError((isTruncated ? `the response was truncated (${message})` : message) + ids);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Receives the whole body into one growing buffer, however small its chunks are. */
async function receive(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (response.statusCode === 101) throw new HttpExchangeError('status 101, an unexpected protocol upgrade');
  // Node.js reads no more than the declared length
  const declared = response.headers['content-length'];
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let body: Buffer = Buffer.allocUnsafe(Number(declared ?? INITIAL_BYTES));
  let size = 0;
  const append = (chunk: Buffer): void => {
    const needed = size + chunk.length;
    if (needed > maxBytes) throw tooLarge(maxBytes);
    if (needed > body.length)
      body = Buffer.concat([body], Math.max(needed, Math.min(2 * body.length, maxBytes)));
    body.set(chunk, size);
    size = needed;
  };
  // `for await` would cost 5% of the CPU time of a read of small pages on Node.js 20
  await new Promise<void>((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      try {
        append(chunk);
      } catch (error) {
        reject(error);
      }
    });
    const onClose = (): void => reject('the connection was closed');
    response.on('end', resolve).on('error', reject).on('close', onClose);
    // an abort may have come first
    if (response.closed) onClose();
  });
  return size === body.length ? body : Buffer.concat([body], size);
}

/** Decompresses gzip. Throws HttpExchangeError if the body is damaged, too large, or encoded differently. */
export function decodedBody(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip')
    throw new HttpExchangeError(`the response has an unexpected encoding: ${quoteHeader(name, String)}`);
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw new HttpExchangeError(`the response is not valid gzip (${messageOf(error)})`);
  }
}

function tooLarge(maxBytes: number): HttpExchangeError {
  return new HttpExchangeError(`the response is larger than ${maxBytes} bytes`);
}
