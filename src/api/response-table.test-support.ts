import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

/** A page of JSON with a success status; anything else is an error. Some depend on the version. */
type Client = 'page' | 'error' | 'varies';
/** `again`: the request is repeated for minutes; otherwise the code of a config_error. */
export type Connector =
  'page' | 'empty page' | 'again' | 'PAGES_UNUSABLE' | 'REDIRECTED' | 'INVALID_HTTP' | 'FORBIDDEN';
/** Why the connector differs from clients that take the response for a page. */
type Row = [what: string, response: string | Buffer, curl: Client, fetch: Client, Connector, why: string];

const PAGE = '{"items":[{"assetId":"a","n":1.10}],"metadata":{"pagination":{"totalCount":1}}}';
const EMPTY = '{"items":[],"metadata":{"pagination":{"totalCount":0}}}';
const NULL = '{"items":null,"metadata":{"pagination":{"totalCount":0}}}';
const gzip = gzipSync(PAGE);
const CRLF = '\r\n';

/** A response that says how long it is. */
function whole(status: string, headers: readonly string[], body: string | Buffer): Buffer {
  return close(status, [...headers, `content-length: ${Buffer.byteLength(body)}`], body);
}

/** A response that ends with the connection. */
function close(status: string, headers: readonly string[], body: string | Buffer): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, 'connection: close', '', ''].join(CRLF);
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** A response in chunks, which may lack their end. */
function chunked(headers: readonly string[], chunks: readonly string[], end: string): Buffer {
  const body = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}${CRLF}${chunk}${CRLF}`);
  return close('200 OK', [...headers, 'transfer-encoding: chunked'], body.join('') + end);
}

const json = (body: string | Buffer): Buffer => whole('200 OK', ['content-type: application/json'], body);
const coded = (coding: string, body: string | Buffer): Buffer =>
  whole('200 OK', [`content-encoding: ${coding}`], body);
const labeled = (charset: string, mark: string, encoding: BufferEncoding): Buffer =>
  whole(
    '200 OK',
    [`content-type: application/json; charset=${charset}`],
    Buffer.from(`${mark}${PAGE.replace('"a"', '"\xe9"')}`, encoding),
  );
const half = PAGE.slice(0, 40);

/** What curl, fetch and the connector make of a response. */
export const ROWS: readonly Row[] = [
  // statuses
  ['200', json(PAGE), 'page', 'page', 'page', ''],
  ['200 without a reason', whole('200', [], PAGE), 'page', 'page', 'page', ''],
  ['HTTP/1.0', ofHttp10(), 'page', 'page', 'page', ''],
  [
    '100 before it',
    Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), json(PAGE)]),
    'page',
    'varies',
    'page',
    '',
  ],
  [
    '103 before it',
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), json(PAGE)]),
    'page',
    'page',
    'page',
    '',
  ],
  [
    '203, from a proxy that transforms',
    whole('203 Non-Authoritative Information', [], PAGE),
    'page',
    'page',
    'page',
    '',
  ],
  ['201', whole('201 Created', [], PAGE), 'page', 'page', 'again', 'nothing is created by a GET'],
  ['202', whole('202 Accepted', [], PAGE), 'page', 'page', 'again', 'the result may not be complete yet'],
  ['204', close('204 No Content', [], ''), 'error', 'error', 'again', ''],
  [
    '206',
    whole('206 Partial Content', [], PAGE),
    'page',
    'page',
    'again',
    'no part was requested, so rows may be missing',
  ],
  [
    '206, of the whole',
    whole('206 Partial Content', [`content-range: bytes 0-${PAGE.length - 1}/${PAGE.length}`], PAGE),
    'page',
    'page',
    'page',
    '',
  ],
  [
    '206, of a part',
    whole('206 Partial Content', [`content-range: bytes 0-${PAGE.length - 1}/9999`], PAGE),
    'page',
    'page',
    'again',
    'rows may be missing',
  ],
  [
    '302',
    whole('302 Found', ['location: http://127.0.0.1:9/'], PAGE),
    'page',
    'error',
    'REDIRECTED',
    'the token must not be sent elsewhere',
  ],
  ['304', close('304 Not Modified', [], ''), 'error', 'error', 'again', ''],
  ['403', whole('403 Forbidden', [], '{}'), 'error', 'error', 'FORBIDDEN', ''],
  ['429', whole('429 Too Many Requests', [], PAGE), 'error', 'error', 'again', ''],
  ['500', whole('500 Internal Server Error', [], PAGE), 'error', 'error', 'again', ''],
  ['503', whole('503 Service Unavailable', [], '<html>'), 'error', 'error', 'again', ''],
  // ends of bodies
  ['a body that ends with the connection', close('200 OK', [], PAGE), 'page', 'page', 'page', ''],
  ['chunks', chunked([], [PAGE.slice(0, 9), PAGE.slice(9)], `0${CRLF}${CRLF}`), 'page', 'page', 'page', ''],
  [
    'chunks with an extension and a trailer',
    close(
      '200 OK',
      ['transfer-encoding: chunked'],
      `${PAGE.length.toString(16)};a=b${CRLF}${PAGE}${CRLF}0${CRLF}x: y${CRLF}${CRLF}`,
    ),
    'page',
    'page',
    'page',
    '',
  ],
  ['chunks without their end', chunked([], [PAGE], ''), 'error', 'varies', 'page', ''],
  ['a size of a chunk that is none', chunkOfSize('zz'), 'error', 'error', 'INVALID_HTTP', ''],
  ['a blank within what follows the size', chunkOfSize('4f ; a'), 'page', 'error', 'INVALID_HTTP', ''],
  ['fewer bytes than stated', close('200 OK', ['content-length: 999'], PAGE), 'error', 'error', 'again', ''],
  [
    'more bytes than stated',
    close('200 OK', [`content-length: ${PAGE.length}`], `${PAGE}xx`),
    'page',
    'page',
    'page',
    '',
  ],
  ['half a page', json(half), 'error', 'error', 'again', ''],
  ['no body', json(''), 'error', 'error', 'again', ''],
  // codings
  ['gzip', coded('gzip', gzip), 'page', 'page', 'page', ''],
  ['x-gzip', coded('x-gzip', gzip), 'page', 'page', 'page', ''],
  [
    'gzip in chunks of the connection',
    close('200 OK', ['content-encoding: gzip'], gzip),
    'page',
    'page',
    'page',
    '',
  ],
  ['gzip without its trailer', coded('gzip', gzip.subarray(0, -8)), 'page', 'page', 'page', ''],
  ['gzip without half of its trailer', coded('gzip', gzip.subarray(0, -4)), 'page', 'page', 'page', ''],
  ['gzip without its last block', coded('gzip', flushedGzip()), 'page', 'page', 'page', ''],
  ['gzip that is cut in a row', coded('gzip', gzip.subarray(0, 40)), 'error', 'error', 'again', ''],
  ['deflate', coded('deflate', deflateSync(PAGE)), 'page', 'page', 'page', ''],
  ['deflate without a header', coded('deflate', deflateRawSync(PAGE)), 'page', 'page', 'page', ''],
  ['br', coded('br', brotliCompressSync(PAGE)), 'page', 'page', 'page', ''],
  ['gzip twice', coded('gzip, gzip', gzipSync(gzip)), 'page', 'page', 'page', ''],
  ['JSON labeled identity', coded('identity', PAGE), 'page', 'page', 'page', ''],
  ['JSON labeled gzip', coded('gzip', PAGE), 'error', 'error', 'page', 'no JSON begins like gzip'],
  ['gzip without a label', json(gzip), 'error', 'error', 'page', 'no JSON begins like gzip'],
  ['JSON in an unknown coding', coded('utf-8', PAGE), 'error', 'page', 'page', ''],
  // texts
  ['a byte order mark', json(`\ufeff${PAGE}`), 'error', 'page', 'page', ''],
  ['line breaks around it', json(`\r\n\n${PAGE}\n\n`), 'page', 'page', 'page', ''],
  ['zero bytes after it', json(`${PAGE}\0\0`), 'error', 'error', 'again', ''],
  ['labeled as HTML', whole('200 OK', ['content-type: text/html'], PAGE), 'page', 'page', 'page', ''],
  [
    'HTML',
    whole('200 OK', ['content-type: text/html'], '<html>Sign in</html>'),
    'error',
    'error',
    'again',
    '',
  ],
  [
    'invalid UTF-8',
    json(Buffer.from(PAGE.replace('"a"', '"\xe9"'), 'latin1')),
    'page',
    'page',
    'again',
    'clients replace such bytes, and rows must leave as they were sent',
  ],
  ['UTF-16 that is labeled so', labeled('utf-16', '\ufeff', 'utf16le'), 'error', 'error', 'page', ''],
  ['Latin-1 that is labeled so', labeled('ISO-8859-1', '', 'latin1'), 'page', 'page', 'page', ''],
  ['UTF-8 that is labeled Latin-1', labeled('ISO-8859-1', '', 'utf8'), 'page', 'page', 'page', ''],
  [
    'UTF-8 that is damaged and labeled Latin-1',
    whole(
      '200 OK',
      ['content-type: application/json; charset=ISO-8859-1'],
      Buffer.from(PAGE.replace('"a"', '"\xc3\xa9\xe9"'), 'latin1'),
    ),
    'page',
    'page',
    'again',
    'the other characters would be read wrongly',
  ],
  ['NaN', json(PAGE.replace('1.10', 'NaN')), 'error', 'error', 'again', ''],
  ['a member twice', json(`{"items":[],${PAGE.slice(1)}`), 'page', 'page', 'page', ''],
  ['a lone surrogate', json(PAGE.replace('"a"', String.raw`"\ud800"`)), 'page', 'page', 'page', ''],
  [
    'an integer with 19 digits',
    json(PAGE.replace('1.10', '9007199254740993123')),
    'page',
    'page',
    'page',
    '',
  ],
  // pages
  ['no rows', json(EMPTY), 'page', 'page', 'empty page', ''],
  ['an empty object instead of rows', json(NULL.replace('null', '{ }')), 'page', 'page', 'empty page', ''],
  ['null instead of rows', json(NULL), 'page', 'page', 'empty page', ''],
  [
    'null without pagination',
    json('{"items":null}'),
    'page',
    'page',
    'PAGES_UNUSABLE',
    'this is another shape',
  ],
  [
    'rows without pagination',
    json('{"items":[{"a":1}]}'),
    'page',
    'page',
    'PAGES_UNUSABLE',
    'this is another shape',
  ],
  ['an array', json('[{"a":1}]'), 'page', 'page', 'PAGES_UNUSABLE', 'this is another shape'],
  ['an error', json('{"error":"busy"}'), 'page', 'page', 'again', 'it reports a failure'],
  [
    'an empty row',
    json('{"items":[{}],"metadata":{"pagination":{}}}'),
    'page',
    'page',
    'again',
    'platforms drop records without fields',
  ],
  // headers
  ['a header of 60 KiB', whole('200 OK', [`x: ${'y'.repeat(60_000)}`], PAGE), 'page', 'error', 'page', ''],
  ['Retry-After on a page', whole('200 OK', ['retry-after: 60'], PAGE), 'page', 'page', 'page', ''],
  [
    'two equal lengths',
    close('200 OK', [`content-length: ${PAGE.length}`, `content-length: ${PAGE.length}`], PAGE),
    'page',
    'error',
    'INVALID_HTTP',
    '',
  ],
  [
    'two different lengths',
    close('200 OK', [`content-length: ${PAGE.length}`, 'content-length: 3'], PAGE),
    'error',
    'error',
    'INVALID_HTTP',
    '',
  ],
  [
    'a length with chunks',
    chunked(['content-length: 3'], [PAGE], `0${CRLF}${CRLF}`),
    'page',
    'error',
    'page',
    '',
  ],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'error', 'error', 'INVALID_HTTP', ''],
  ['nothing', '', 'error', 'error', 'again', ''],
];

function ofHttp10(): string {
  return `HTTP/1.0 200 OK${CRLF}${CRLF}${PAGE}`;
}

function chunkOfSize(size: string): Buffer {
  return close('200 OK', ['transfer-encoding: chunked'], `${size}${CRLF}${PAGE}${CRLF}0${CRLF}${CRLF}`);
}

/** The text up to a flush, without the block that ends it. */
function flushedGzip(): Buffer {
  const body = deflateRawSync(PAGE, { finishFlush: 2 });
  return Buffer.concat([gzip.subarray(0, 10), body]);
}
