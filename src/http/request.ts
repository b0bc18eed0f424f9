import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { duration } from '../clock.ts';
import { isConnectorError, messageOf } from '../errors.ts';
import { HttpExchangeError, expectsTls, networkMessage } from './exchange-error.ts';
import { quoteHeader, requestIdsOf, type HttpResponse } from './response.ts';
import { send, type HttpRequest } from './route.ts';

/** A wait before another attempt; `isRateLimited` if the API limits the rate. */
export type Waiting = Readonly<{ reason: string; isRateLimited: boolean; waitMs: number }>;

/** What a caller passes along with each request. */
export interface RequestContext {
  readonly signal: AbortSignal; // aborts the request and every wait for it
  readonly onWait: (waiting: Waiting) => Promise<void>; // called before each wait
}

/**
 * What follows a failed attempt: the same request at once, the same request after a wait if the budget allows, the same for a token
 * that may not be valid yet, or the error.
 */
export type NextStep = 'resend' | 'retry' | 'settle' | 'fail';

const INITIAL_BYTES = 256 * 1024; // allocated for a body of unknown size; doubled whenever it is full

export type Exchange = typeof exchange;

/**
 * Sends a request and receives the response. Redirects are returned, not followed: a 307 could send the secret to another host. A
 * status other than 2xx counts even if its body is incomplete or damaged: then the body is what can be read of it. Throws HttpExchangeError if there
 * is no complete response within the deadline, or a config_error PROXY (see `send`).
 */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { signal, deadlineMs, maxBytes, url } = request;
  signal.throwIfAborted();
  const startedMs = performance.now();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const onDeadline = (): void => stop.abort(`no complete response within ${duration(deadlineMs)}`);
  const timer = setTimeout(onDeadline, deadlineMs);
  let response: IncomingMessage | null = null;
  try {
    response = await send(request, stop.signal);
    const { statusCode: status = 0, headers } = response;
    const body = await bodyOf(response, maxBytes, stop.signal);
    signal.throwIfAborted();
    if (status === 400 && url.protocol === 'http:' && EXPECTS_TLS.test(body.toString('latin1', 0, 1024)))
      throw expectsTls(url, 'status 400');
    return { status, headers, body, elapsedMs: performance.now() - startedMs };
  } catch (error) {
    response?.destroy();
    signal.throwIfAborted();
    if (isConnectorError(error, null)) throw error;
    const { message, fault, advice } = error instanceof HttpExchangeError ? error : brokenBody(error);
    throw new HttpExchangeError(message + requestIdsOf(response?.headers ?? {}, String), fault, advice);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** What nginx, Apache and Go respond to http on a port for https. */
const EXPECTS_TLS =
  /plain HTTP request was sent to HTTPS|speaking plain HTTP to an SSL|HTTP request to an HTTPS/;

/** Returns the decoded body; of a response with an error, its text as received if it cannot be decoded, else nothing. */
async function bodyOf(response: IncomingMessage, maxBytes: number, stop: AbortSignal): Promise<Buffer> {
  const { statusCode: status = 0, headers } = response;
  if (status === 101) throw broken('status 101, an unexpected protocol upgrade');
  let received: Buffer = Buffer.alloc(0);
  try {
    received = await receive(response, maxBytes);
    stop.throwIfAborted();
    return decodedBody(received, headers['content-encoding'], maxBytes);
  } catch (error) {
    if (status < 300) throw stop.aborted ? broken(String(stop.reason)) : error;
    response.destroy();
    return isUtf8(received) ? received : Buffer.alloc(0);
  }
}

/** The error for a body that did not arrive completely. */
function brokenBody(cause: unknown): HttpExchangeError {
  return broken(`the response was truncated (${networkMessage(cause)})`);
}

function broken(message: string): HttpExchangeError {
  return new HttpExchangeError(message, 'broken', '');
}

/** Receives the whole body into one growing buffer, however small its chunks are. */
async function receive(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
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

const GZIP = Buffer.from([0x1f, 0x8b]); // the first bytes of each gzip

/**
 * Decompresses gzip. The bytes decide, because some servers label a body wrongly: no JSON begins like gzip. Throws
 * HttpExchangeError if the body is damaged, too large, or neither gzip nor JSON under a label that it contradicts.
 */
export function decodedBody(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (body.subarray(0, GZIP.length).equals(GZIP)) return unzipped(body, maxBytes);
  if (name === '' || name === 'identity' || /^\s*[[{"]/.test(body.toString('latin1', 0, SPACE_BYTES)))
    return body;
  if (name === 'gzip' || name === 'x-gzip') throw broken('the response is not valid gzip');
  throw broken(`the response has an unexpected encoding: ${quoteHeader(name, String)}`);
}

const SPACE_BYTES = 1024; // before the first character of a JSON text

function unzipped(body: Buffer, maxBytes: number): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw broken(`the response is not valid gzip (${messageOf(error)})`);
  }
}

function tooLarge(maxBytes: number): HttpExchangeError {
  return broken(`the response is larger than ${maxBytes} bytes`);
}
