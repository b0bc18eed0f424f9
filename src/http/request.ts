import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { duration } from '../clock.ts';
import { isConnectorError, messageOf } from '../errors.ts';
import { HttpExchangeError, expectsTls, networkMessage, notAskedFor } from './exchange-error.ts';
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
 * What follows a failed attempt: the same request at once (`resend`) or after a wait, or the error (`fail`). The reason for a wait is an
 * outage (`retry`), a token that may not be valid yet (`settle`), or an answer that may be an accident (`confirm`) or come from a
 * version that is being deployed (`last`): if it stays the same, it is the answer.
 */
export type NextStep = 'resend' | 'retry' | 'settle' | 'confirm' | 'last' | 'fail';

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
  if (status === 101) throw notAskedFor('status 101, a change of the protocol that was not asked for');
  let received: Buffer = Buffer.alloc(0);
  try {
    const { body, cut } = await receive(response, maxBytes);
    received = body;
    stop.throwIfAborted();
    const decoded = inUtf8(
      decodedBody(received, headers['content-encoding'], maxBytes),
      headers['content-type'],
    );
    // whether a text is whole although its end is missing, its JSON tells
    if (cut !== null && !mayBeWhole(decoded)) throw cut;
    return decoded;
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

/** Receives a body into one growing buffer, however small its chunks are; `cut` is the reason if its end is missing. */
async function receive(response: IncomingMessage, maxBytes: number) {
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
  const received = new Promise<null>((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      try {
        append(chunk);
      } catch (error) {
        reject(error);
      }
    });
    const onClose = (): void => reject('the connection was closed');
    response.on('end', () => resolve(null));
    response.on('error', reject).on('close', onClose);
    // an abort or an error may have come first
    if (response.closed) reject(response.errored ?? 'the connection was closed');
  });
  const cut = await received.catch((error: unknown) => {
    if (error instanceof HttpExchangeError) throw error;
    return brokenBody(error);
  });
  return { body: size === body.length ? body : Buffer.concat([body], size), cut };
}

const GZIP = Buffer.from([0x1f, 0x8b]); // the first bytes of each gzip
const MAX_CODINGS = 3; // more are no accident of a gateway

/**
 * Decodes a body. Its bytes decide, because some servers label a body wrongly: JSON is no coding, nor is a text labeled gzip or with an
 * unknown label, and gzip is gzip, even if it is labeled otherwise or applied twice. A body whose compressed text ends early is decoded as
 * far as it goes: whether it is whole, its JSON tells. Throws HttpExchangeError if it is damaged or too large, or neither JSON nor in a known coding.
 */
export function decodedBody(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  let decoded = body;
  for (const name of [...names.toReversed(), ...UNLABELED].slice(0, MAX_CODINGS)) {
    const coding = isGzip(decoded) ? 'gzip' : name;
    if (coding === '' || coding === 'identity' || isJson(decoded)) continue;
    const known = CODINGS[coding];
    const isMislabeled = known === undefined || (known === GUNZIP && decoded.length > 0 && !isGzip(decoded));
    if (isMislabeled && isUtf8(decoded)) continue;
    if (known === undefined)
      throw notAskedFor(
        `the response has an encoding that was not asked for: ${quoteHeader(coding, String)}`,
      );
    decoded = decompressed(decoded, coding, known, maxBytes);
  }
  return decoded;
}

/**
 * Returns a body in UTF-8 if it is in another encoding. Its bytes decide, because many servers label texts wrongly or not at all: JSON in
 * UTF-16 has a zero byte or a mark among its first two, and a text with any character in UTF-8 is not in another encoding, but damaged.
 */
function inUtf8(body: Buffer, type: string | undefined): Buffer {
  const [, label] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type ?? '') ?? [];
  const wide = UTF_16.find(([start]) => start.test(body.toString('latin1', 0, 2)))?.[1];
  const isNarrow = wide === undefined && (isUtf8(body) || UTF_8.test(body.toString('latin1')));
  const encoding = isNarrow ? undefined : (wide ?? label);
  if (encoding === undefined) return body;
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(body));
  } catch {
    // an unknown label, or other bytes
    return body;
  }
}

/** How a JSON text in UTF-16 begins. */
const UTF_16: readonly [start: RegExp, encoding: string][] = [
  [/^(\xff\xfe|[^\0]\0)/, 'utf-16le'],
  [/^(\xfe\xff|\0[^\0])/, 'utf-16be'],
];
/** Two bytes of a character in UTF-8. */
const UTF_8 = /[\xc2-\xf4][\x80-\xbf]/;

/** Applied after the labels. */
const UNLABELED = Array.from({ length: MAX_CODINGS }, () => 'identity');

const isGzip = (body: Buffer): boolean => body.subarray(0, GZIP.length).equals(GZIP);
const SPACE_BYTES = 1024; // before the first character of a JSON text
const isJson = (body: Buffer): boolean => /^(\ufeff)?\s*[[{"]/.test(body.toString('utf8', 0, SPACE_BYTES));

type Decode = (
  body: Buffer,
  options: { readonly maxOutputLength: number; readonly finishFlush?: number },
) => Buffer;

interface Coding {
  readonly decode: Decode;
  readonly flush: number; // as `finishFlush`, decodes a text that ends early as far as it goes
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
const GUNZIP: Coding = { decode: gunzipSync, flush: Z_SYNC_FLUSH };
/** The codings that clients decode whatever they asked for. */
const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: GUNZIP,
  'x-gzip': GUNZIP,
  deflate: { decode: inflated, flush: Z_SYNC_FLUSH },
  br: { decode: brotliDecompressSync, flush: BROTLI_OPERATION_FLUSH },
};

/** Some servers send deflate without the header that the standard requires. */
function inflated(...[body, options]: Parameters<Decode>): Buffer {
  const hasHeader = body.length > 1 && (body[0] ?? 0) % 16 === 8 && body.readUInt16BE(0) % 31 === 0;
  return hasHeader ? inflateSync(body, options) : inflateRawSync(body, options);
}

function decompressed(body: Buffer, name: string, { decode, flush }: Coding, maxBytes: number): Buffer {
  try {
    return decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    const text = endsEarly(error) ? decode(body, { maxOutputLength: maxBytes, finishFlush: flush }) : null;
    if (text !== null && mayBeWhole(text)) return text;
    throw broken(`the response is not valid ${name} (${messageOf(error)})`);
  }
}

/** False for a text whose end cannot be that of JSON. */
function mayBeWhole(text: Buffer): boolean {
  return /[\]}"]\s*$/.test(text.toString('latin1', Math.max(0, text.length - SPACE_BYTES)));
}

const endsEarly = (error: unknown): boolean => messageOf(error) === 'unexpected end of file';

function tooLarge(maxBytes: number): HttpExchangeError {
  return broken(`the response is larger than ${maxBytes} bytes`);
}
