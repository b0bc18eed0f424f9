import { expect, test } from 'vitest';
import { InputError, inUtf8, utf8Text } from './encoding.ts';

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, pieceSize: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of inUtf8(piecesOf(bytes, pieceSize))) pieces.push(piece);
  return Buffer.concat(pieces);
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf32 = (text: string): Buffer => Buffer.concat(Array.from(text, (sign) => utf16(`${sign}\0`)));
const bigEndian = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

test.each<[what: string, bytes: Buffer, words: RegExp]>([
  [
    'UTF-16',
    utf16('\ufeff{"a":1}'),
    /^is encoded in UTF-16, as the > of Windows PowerShell writes it; save it/,
  ],
  ['UTF-16 in big endian', bigEndian(utf16('\ufeff{}')), /^is encoded in UTF-16/],
  ['UTF-16 without a mark', utf16('{}'), /^is encoded in UTF-16/],
  ['UTF-16 in big endian without a mark', bigEndian(utf16('[]')), /^is encoded in UTF-16/],
  ['an empty text in UTF-16', utf16('\ufeff'), /^is encoded in UTF-16/],
  ['UTF-32', utf32('\ufeff{}'), /^is encoded in UTF-32/],
  ['UTF-32 without a mark', utf32('{}'), /^is encoded in UTF-32/],
  ['UTF-32 in big endian', Buffer.from(utf32('\ufeff{}')).swap32(), /^is encoded in UTF-32/],
  ['gzip', Buffer.from('1f8b0800', 'hex'), /^is compressed \(gzip\); decompress it first$/],
  ['zip', Buffer.from('PK\u0003\u0004…'), /^is compressed \(zip\)/],
])('%s is named, in pieces of any size', async (_, bytes, words) => {
  for (let size = 1; size <= 5; size++) {
    const reading = read(bytes, size);
    await expect(reading).rejects.toThrow(InputError);
    await expect(reading).rejects.toThrow(words);
  }
});

test.each(['', '{', '{}', '\ufeff{}', '{"type":"LOG"}\n', ' \n\t', 'é', '🚚🚚'])(
  'the text %j in UTF-8 is passed on as it is',
  async (text) => {
    for (let size = 1; size <= 5; size++)
      expect(await read(Buffer.from(text), size)).toStrictEqual(Buffer.from(text));
    expect(utf8Text(Buffer.from(text))).toBe(text.replace('\ufeff', ''));
  },
);

test.each([
  ['gehe\u00efm', 1],
  ['{\n "a": 1,\r\n "b": "\u00e9"}', 3],
  ['"\u00c3', 1],
])('%j in another encoding than UTF-8 is refused with its line, and not quoted', (text, line) => {
  expect(() => utf8Text(Buffer.from(text, 'latin1'))).toThrow(
    new InputError(`is not valid UTF-8 in line ${line}; save it in that encoding`),
  );
});
