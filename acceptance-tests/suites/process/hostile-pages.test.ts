import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fastWaits } from '../../support/fast-time.ts';
import { measured, outline, start, useRowApi } from './process-fixture.ts';

const MIB = 1024 * 1024;
const SIZE = 64 * MIB - 1000; // slightly less than the limit of a response
const MAX_MEMORY = 8 * 64 * MIB; // in bytes: Node.js itself (50 MiB), two pages, the scanner's copy of one, and its lines

const PAGINATION = '"pagination":{"offset":0,"totalCount":1}';
const HEAD = '{"items":[';
const TAIL = `],"metadata":{${PAGINATION}}}`;
const ROW = '{"assetId":"a"}';
const PAGE = `${HEAD}${ROW}${TAIL}`;
const METADATA = `${HEAD}${ROW}],"metadata":{${PAGINATION},"a":[`;
const gzipped = (mib: number): Buffer => gzipSync(Buffer.alloc(mib * MIB));

/** A text in which one piece is repeated up to the size limit. */
function filled(before: string, piece: string | Buffer, after: string): Buffer {
  const length = Buffer.byteLength(piece);
  const filling = Buffer.alloc(Math.floor(SIZE / length) * length, piece);
  return Buffer.concat([Buffer.from(before), filling, Buffer.from(after)]);
}

/** Responds in this encoding, or in chunks of one byte, which end the connection. */
function send(response: ServerResponse, body: Buffer, encoding: string): void {
  if (encoding !== 'byte by byte') {
    const coded = encoding === 'plain' ? {} : { 'content-encoding': encoding };
    response.writeHead(200, { ...coded, 'content-length': body.length }).end(body);
    return;
  }
  const chunks = Buffer.alloc(6 * body.length, '1\r\n \r\n');
  for (const [index, byte] of body.entries()) chunks[6 * index + 3] = byte;
  response.socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  response.socket?.end(Buffer.concat([chunks, Buffer.from('0\r\n\r\n')]));
}

test.each<[what: string, encoding: string, why: string, body: () => Buffer]>([
  ['nothing but newlines', 'plain', 'the body is not valid JSON', () => filled('', '\n', '')],
  ['newlines in a row', 'plain', '', () => filled(`${HEAD}{"assetId":"a"`, '\n', `}${TAIL}`)],
  ['line separators', 'plain', '', () => filled(`${HEAD}{"assetId":"a","b":"`, '\u2028', `"}${TAIL}`)],
  ['items that are numbers', 'plain', 'items[0] is not an object', () => filled(HEAD, '1,', `1${TAIL}`)],
  ['tiny items', 'plain', 'more than 1048576 items', () => filled(HEAD, '{"a":1},', `${ROW}${TAIL}`)],
  ['much in metadata', '', '', () => filled(METADATA, '[],', '[]]}}')],
  ['members next to items', 'plain', '', () => filled(PAGE.slice(0, -1), ',"":1', '}')],
  ['2 MiB', 'byte by byte', '', () => Buffer.from(PAGE.padEnd(2 * MIB))],
  ['all of its size', 'gzip', '', () => gzipSync(filled('', '\n', PAGE))],
  ['a GiB', 'gzip', 'larger than 67108864 bytes', () => gzipped(1024)],
  ['millions of gzips of nothing', 'gzip', 'the body is empty', () => filled('', gzipSync(''), '')],
  ['gzip in gzip', 'gzip, gzip', 'the body is not valid JSON', () => gzipSync(gzipped(64))],
  ['half of it', 'gzip', 'not valid gzip', () => gzipSync(filled('', '\n', PAGE)).subarray(0, 30_000)],
])('a page with %s (%s) needs only a few times its size', async (_, encoding, why, make) => {
  const body = make();
  const { config } = await useRowApi(1, 0, {
    assets: (_before, response) => {
      const isFirst = response.req.url?.includes('offset=0') === true;
      if (isFirst) send(response, body, encoding);
      // the next page is empty
      return isFirst;
    },
  });
  const { env, peakMemory } = measured(fastWaits(50));
  const { code, signal, stderr, messages } = await (await start('read', config, { env })).ended();
  // a whole page that stays unreadable is the answer of the list, and no outage
  const isLasting = why.startsWith('items[0]');
  const failed = isLasting ? 1 : 75;
  expect([code, signal, stderr]).toStrictEqual([why === '' ? 0 : failed, null, '']);
  const words = outline(messages);
  // the number of states depends on time
  if (why === '') expect(new Set(words)).toStrictEqual(new Set(['STARTED', 'RUNNING', 'STATE', 'COMPLETE']));
  else {
    const beginning = isLasting
      ? /^config_error: assets: /
      : /^transient_error: assets: no usable response after \d+ attempts/;
    expect(words[1]).toMatch(beginning);
    expect(words[1]).toContain(why);
  }
  expect(peakMemory()).toBeLessThan(MAX_MEMORY);
});
