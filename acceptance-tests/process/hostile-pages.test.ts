import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { fastWaits } from '../support/fast-time.ts';
import { outline, readOutput, start, useFolder } from './process-rig.ts';

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

function head(rest: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}\r\n\r\n`;
}

/** Answers the first page with this body, in the pieces given, and every later one with an empty page. */
async function useApi(body: Buffer, chunkBytes: number | null): Promise<object> {
  const plain = (text: Buffer): Buffer =>
    Buffer.concat([Buffer.from(head(`content-length: ${text.length}`)), text]);
  const first =
    chunkBytes === null
      ? plain(body)
      : Buffer.concat([Buffer.from(head('transfer-encoding: chunked')), chunked(body, chunkBytes)]);
  const empty = plain(Buffer.from(`{"items":[],"metadata":{${PAGINATION}}}`));
  const token = plain(Buffer.from('{"accessToken":"hostile-token","expiresIn":3600}'));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const line = bytes.toString('latin1').split('\r\n')[0] ?? '';
      if (line.startsWith('POST')) socket.write(token);
      else if (line.startsWith('GET')) socket.write(line.includes('offset=0') ? first : empty);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    auth_url: `${base_url}/token`,
    client_id: 'me',
    client_secret: 'hostile-secret',
    assets: { base_url },
  };
}

function chunked(body: Buffer, bytes: number): Buffer {
  const size = Buffer.from(`${bytes.toString(16)}\r\n`);
  const result = Buffer.alloc((body.length / bytes) * (size.length + bytes + 2) + 5);
  let at = 0;
  for (let from = 0; from < body.length; from += bytes) {
    at += size.copy(result, at);
    at += body.copy(result, at, from, from + bytes);
    at += result.write('\r\n', at);
  }
  result.write('0\r\n\r\n', at);
  return result;
}

const REFUSED = 'transient_error: assets: the API gave no usable answer in 6 attempts';
/** However many states there are: that depends on time. */
const READ = new Set(['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);

test.each<[what: string, body: () => Buffer, chunkBytes: number | null, end: string]>([
  ['nothing but newlines', () => filled('', '\n', ''), null, 'the body is not valid JSON'],
  ['newlines before a row', () => filled('', '\n', `{"items":[${ROW}${TAIL}`), null, ''],
  ['newlines in a row', () => filled('{"items":[{"assetId":"a"', '\n', `}${TAIL}`), null, ''],
  [
    'line separators in a text',
    () => filled('{"items":[{"assetId":"a","b":"', '\u2028', `"}${TAIL}`),
    null,
    '',
  ],
  ['items that are numbers', () => filled('{"items":[', '1,', `1${TAIL}`), null, 'items[0] is not an object'],
  [
    'items that are tiny',
    () => filled('{"items":[', '{"a":1},', `${ROW}${TAIL}`),
    null,
    'more than 1048576 items',
  ],
  [
    'arrays beside pagination',
    () => filled(`{"items":[${ROW}],"metadata":{${PAGINATION},"a":[`, '[],', '[]]}}'),
    null,
    '',
  ],
  ['members beside items', () => filled(`{"items":[${ROW}${TAIL.slice(0, -1)}`, ',"":1', '}'), null, ''],
  ['4 MiB byte by byte', () => Buffer.from(`{"items":[${ROW}${TAIL}`.padEnd(4 * MIB)), 1, ''],
])(
  'a page with %s takes a few times its size, and not a word on stderr',
  async (_, body, chunkBytes, why) => {
    const config = await useApi(body(), chunkBytes);
    const peakFile = join(await useFolder(), 'peak');
    const time = fastWaits(50);
    const preload = pathToFileURL(join(import.meta.dirname, '../support/peak-memory.mjs')).href;
    const env = { ...time, NODE_OPTIONS: `${time['NODE_OPTIONS']} --import=${preload}`, PEAK_FILE: peakFile };
    const started = await start('read', { config }, env);
    const { code, signal, stderr, messages } = await readOutput(started).ended();
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
  },
);
