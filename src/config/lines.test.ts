import { expect, test } from 'vitest';
import { linesOf } from './lines.ts';

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const tooLong = (): Error => new Error('too long');

async function linesIn(bytes: Buffer, pieceSize: number, maxBytes: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(piecesOf(bytes, pieceSize), maxBytes, tooLong)) lines.push(line);
  return lines;
}

test.each([
  ['', []],
  ['\n', ['']],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\nb\r\n', ['a', '', 'b\r']],
  ['\u2028é🚚\n🚚é', ['\u2028é🚚', '🚚é']],
])('%j is split at its line feeds, in pieces of any size', async (text, lines) => {
  for (let size = 1; size <= 9; size++)
    expect(await linesIn(Buffer.from(text), size, 100), `pieces of ${size}`).toStrictEqual(lines);
});

test('invalid bytes are replaced, within their line', async () => {
  const bytes = Buffer.from([0x61, 0xff, 0x0a, 0xc3, 0x0a, 0x62]);
  for (let size = 1; size <= 6; size++)
    expect(await linesIn(bytes, size, 100)).toStrictEqual(['a\ufffd', '\ufffd', 'b']);
});

test('a line that is too long fails, also without an end', async () => {
  for (const text of ['12345\n', '12345\n6', '1\n12345'])
    expect(await linesIn(Buffer.from(text), 2, 5)).toStrictEqual(text.trim().split('\n'));
  for (const text of ['1234567\n', '1234567', '1\n12345678\n'])
    await expect(linesIn(Buffer.from(text), 2, 5)).rejects.toThrow('too long');
});

async function* tornOff(): AsyncGenerator<Buffer> {
  yield Buffer.from('a\nb');
  throw new Error('torn off');
}

test('a failure of the source ends the lines', async () => {
  const lines: string[] = [];
  const all = (async () => {
    for await (const line of linesOf(tornOff(), 100, tooLong)) lines.push(line);
  })();
  await expect(all).rejects.toThrow('torn off');
});

test('a source is closed as soon as nobody wants more lines', async () => {
  let isClosed = false;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.from('a\n');
    } finally {
      isClosed = true;
    }
  }
  for await (const line of linesOf(pieces(), 100, tooLong)) {
    expect(line).toBe('a');
    break;
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(true);
});

test('a line of 64 MB is split once, however small its pieces are', async () => {
  const bytes = Buffer.alloc(64 * 1024 ** 2, 'x');
  const startedMs = process.cpuUsage().user / 1000;
  const [line] = await linesIn(bytes, 16 * 1024, Infinity);
  expect(line?.length).toBe(bytes.length);
  // split again with each piece, it takes minutes
  expect(process.cpuUsage().user / 1000 - startedMs).toBeLessThan(10_000);
});
