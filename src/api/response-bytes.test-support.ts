// responses as they are on the wire
import { deflateRawSync, gzipSync } from 'node:zlib';

export const PAGE = '{"items":[{"assetId":"a","n":1.10}],"metadata":{"pagination":{"totalCount":1}}}';
export const EMPTY = '{"items":[],"metadata":{"pagination":{"totalCount":0}}}';
export const NULL = '{"items":null,"metadata":{"pagination":{"totalCount":0}}}';
export const gzip = gzipSync(PAGE);
export const CRLF = '\r\n';

/** A response that says how long it is. */
export function whole(status: string, headers: readonly string[], body: string | Buffer): Buffer {
  return close(status, [...headers, `content-length: ${Buffer.byteLength(body)}`], body);
}

/** A response that ends with the connection. */
export function close(status: string, headers: readonly string[], body: string | Buffer): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, 'connection: close', '', ''].join(CRLF);
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** A response in chunks, which may lack their end. */
export function chunked(headers: readonly string[], chunks: readonly string[], end: string): Buffer {
  const body = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}${CRLF}${chunk}${CRLF}`);
  return close('200 OK', [...headers, 'transfer-encoding: chunked'], body.join('') + end);
}

export const json = (body: string | Buffer): Buffer =>
  whole('200 OK', ['content-type: application/json'], body);
export const coded = (coding: string, body: string | Buffer): Buffer =>
  whole('200 OK', [`content-encoding: ${coding}`], body);
export const labeled = (charset: string, mark: string, encoding: BufferEncoding): Buffer =>
  whole(
    '200 OK',
    [`content-type: application/json; charset=${charset}`],
    Buffer.from(`${mark}${PAGE.replace('"a"', '"\xe9"')}`, encoding),
  );
export const half = PAGE.slice(0, 40);

/** A page in UTF-16. */
export function wide(label: string, mark: string, isBigEndian: boolean): Buffer {
  const body = Buffer.from(mark + PAGE, 'utf16le');
  return whole('200 OK', [`content-type: application/json${label}`], isBigEndian ? body.swap16() : body);
}

export function ofHttp10(): string {
  return `HTTP/1.0 200 OK${CRLF}${CRLF}${PAGE}`;
}

/** As a framework and the application that it runs do together. */
export function chunkedTwice(): Buffer {
  return chunked(['transfer-encoding: chunked'], [PAGE], `0${CRLF}${CRLF}`);
}

export function chunkOfSize(size: string): Buffer {
  return close('200 OK', ['transfer-encoding: chunked'], `${size}${CRLF}${PAGE}${CRLF}0${CRLF}${CRLF}`);
}

/** The text up to a flush, without the block that ends it. */
export function flushedGzip(): Buffer {
  const body = deflateRawSync(PAGE, { finishFlush: 2 });
  return Buffer.concat([gzip.subarray(0, 10), body]);
}

/** The start of a text in zstd, which is in no encoding of texts. */
export const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 0, 0]);
