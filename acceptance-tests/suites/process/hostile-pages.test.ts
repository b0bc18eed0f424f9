import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Answer } from '../../support/fixed-api.ts';
import { fastWaits } from '../../support/fast-time.ts';
import { outline, start, useFolder, useRowApi } from './process-rig.ts';

const MIB = 1024 * 1024;
/** A little less than an answer may have. */
const SIZE = 64 * MIB - 1000;
/** Bytes of memory, of which Node.js itself takes 50 MiB: two pages, the scanner's copy of one, and lines made of it. */
const MOST_MEMORY = 8 * 64 * MIB;

const PAGINATION = '"pagination":{"offset":0,"totalCount":1}';
const TAIL = `],"metadata":{${PAGINATION}}}`;
const ROW = '{"assetId":"a"}';

/** A text with one piece of it repeated until it is as large as an answer may be. */
function filled(before: string, piece: string, behind: string): Buffer {
  const times = Math.floor(SIZE / Buffer.byteLength(piece));
  return Buffer.concat([
    Buffer.from(before),
    Buffer.alloc(times * Buffer.byteLength(piece), piece),
    Buffer.from(behind),
  ]);
}

/** An answer with this body, and the name of its encoding. */
function answer(body: Buffer, ...encoding: string[]): Answer {
  const coded = encoding.length === 0 ? {} : { 'content-encoding': encoding[0] };
  return (_, response) => {
    response.writeHead(200, { ...coded, 'content-type': 'application/json', 'content-length': body.length });
    return response.end(body).writableEnded;
  };
}

/** The same in chunks of a byte each, the last answer of its connection. */
function byteByByte(body: Buffer): Answer {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunks = Buffer.alloc(6 * body.length, '1\r\n \r\n');
  for (const [index, byte] of body.entries()) chunks[6 * index + 3] = byte;
  const bytes = Buffer.concat([Buffer.from(head), chunks, Buffer.from('0\r\n\r\n')]);
  return (_, response) => response.socket?.end(bytes) !== undefined;
}

/** The page behind it is empty. */
function isFirst({ req }: ServerResponse): boolean {
  return req.url?.includes('offset=0') === true;
}

const REFUSED = 'transient_error: assets: the API gave no usable answer in 6 attempts';
/** However many states there are: that depends on time. */
const READ = new Set(['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);

/** Gzips of nothing in a row, which is a gzip too. */
function manyGzips(): Buffer {
  const one = gzipSync('');
  return Buffer.alloc(Math.floor(SIZE / one.length) * one.length, one);
}

const GZIP = 'gzip';

test.each<[what: string, first: () => Answer, end: string]>([
  ['nothing but newlines', () => answer(filled('', '\n', '')), 'the body is not valid JSON'],
  ['newlines before a row', () => answer(filled('', '\n', `{"items":[${ROW}${TAIL}`)), ''],
  ['newlines in a row', () => answer(filled('{"items":[{"assetId":"a"', '\n', `}${TAIL}`)), ''],
  [
    'line separators in a text',
    () => answer(filled('{"items":[{"assetId":"a","b":"', '\u2028', `"}${TAIL}`)),
    '',
  ],
  [
    'items that are numbers',
    () => answer(filled('{"items":[', '1,', `1${TAIL}`)),
    'items[0] is not an object',
  ],
  [
    'items that are tiny',
    () => answer(filled('{"items":[', '{"a":1},', `${ROW}${TAIL}`)),
    'more than 1048576 items',
  ],
  [
    'arrays beside pagination',
    () => answer(filled(`{"items":[${ROW}],"metadata":{${PAGINATION},"a":[`, '[],', '[]]}}')),
    '',
  ],
  ['members beside items', () => answer(filled(`{"items":[${ROW}${TAIL.slice(0, -1)}`, ',"":1', '}')), ''],
  ['2 MiB byte by byte', () => byteByByte(Buffer.from(`{"items":[${ROW}${TAIL}`.padEnd(2 * MIB))), ''],
  ['all of its size in gzip', () => answer(gzipSync(filled('', '\n', `{"items":[${ROW}${TAIL}`)), GZIP), ''],
  ['a GiB in gzip', () => answer(gzipSync(Buffer.alloc(1024 * MIB)), GZIP), 'larger than 67108864 bytes'],
  ['millions of gzips of nothing', () => answer(manyGzips(), GZIP), 'the body is empty'],
  [
    'gzip in gzip',
    () => answer(gzipSync(gzipSync(Buffer.alloc(64 * MIB))), 'gzip, gzip'),
    'encoded as gzip, gzip, which was not asked for',
  ],
  [
    'half of its gzip',
    () => answer(gzipSync(filled('', '\n', `{"items":[${ROW}${TAIL}`)).subarray(0, 30_000), GZIP),
    'the answer is not valid gzip',
  ],
])('a page with %s takes a few times its size, and not a word on stderr', async (_, first, why) => {
  const hostile = first();
  const { config } = await useRowApi(1, 0, {
    assets: (before, response) => isFirst(response) && hostile(before, response),
  });
  const peakFile = join(await useFolder(), 'peak');
  const time = fastWaits(50);
  const preload = pathToFileURL(join(import.meta.dirname, '../../support/peak-memory.mjs')).href;
  const env = { ...time, NODE_OPTIONS: `${time['NODE_OPTIONS']} --import=${preload}`, PEAK_FILE: peakFile };
  const { code, signal, stderr, messages } = await (await start('read', { config }, env)).ended();
  const peak = Number(await readFile(peakFile, 'utf8')) * 1024;
  console.log(`peak memory ${Math.round(peak / MIB)} MiB`);
  expect([code, signal, stderr]).toStrictEqual([why === '' ? 0 : 1, null, '']);
  const ends = outline(messages);
  if (why === '') expect(new Set(ends)).toStrictEqual(READ);
  else {
    expect(ends.join()).toContain(REFUSED);
    expect(ends.join()).toContain(why);
  }
  expect(peak).toBeLessThan(MOST_MEMORY);
});
