import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesOf } from './lines.ts';

async function split(bytes: Buffer, size: number): Promise<[bytes: string, isWhole: boolean][]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const lines: [string, boolean][] = [];
  for await (const line of linesOf(Readable.from(pieces)))
    lines.push([line.bytes.toString('hex'), line.isWhole]);
  return lines;
}

test.each<[bytes: number[], lines: [string, boolean][]]>([
  [[], []],
  [[10], [['', true]]],
  [
    [0x61, 10, 0xc3, 0xa9, 10],
    [
      ['61', true],
      ['c3a9', true],
    ],
  ],
  [
    [0xff, 10, 0xc3],
    [
      ['ff', true],
      ['c3', false],
    ],
  ],
])('the bytes %j are split exactly, in chunks of any size', async (bytes, lines) => {
  for (let size = 1; size <= 6; size++) expect(await split(Buffer.from(bytes), size)).toStrictEqual(lines);
});
