import { isUtf8 } from 'node:buffer';

/** What is wrong with an input file, and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const HEAD_BYTES = 4;
const UTF_16 = 'is encoded in UTF-16, as the > of Windows PowerShell writes it; save it as UTF-8';
const UTF_32 = 'is encoded in UTF-32; save it as UTF-8';
const compressed = (form: string): string => `is compressed (${form}); decompress it first`;

/** By the bytes with which a file begins; `?` stands for any byte but zero. JSON and JSON lines begin with ASCII characters. */
const FORMS: readonly (readonly [beginning: string, problem: string])[] = [
  ['ff fe 00 00', UTF_32],
  ['00 00 fe ff', UTF_32],
  ['? 00 00 00', UTF_32],
  ['00 00 00 ?', UTF_32],
  ['ff fe', UTF_16],
  ['fe ff', UTF_16],
  ['? 00', UTF_16],
  ['00 ?', UTF_16],
  ['1f 8b', compressed('gzip')],
  ['28 b5 2f fd', compressed('zstd')],
  ['42 5a 68', compressed('bzip2')],
  ['fd 37 7a 58', compressed('xz')],
  ['50 4b 03 04', compressed('zip')],
];

/** Yields a file as it is; throws an InputError if it begins like a file in another encoding, or compressed. */
export async function* inUtf8(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (head === null) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < HEAD_BYTES) continue;
    expectUtf8Head(head);
    yield head;
    head = null;
  }
  if (head === null) return;
  expectUtf8Head(head);
  yield head;
}

function expectUtf8Head(head: Buffer): void {
  const [, problem] = FORMS.find(([beginning]) => hasBeginning(head, beginning.split(' '))) ?? [];
  if (problem !== undefined) throw new InputError(problem);
}

function hasBeginning(head: Buffer, pattern: readonly string[]): boolean {
  if (head.length < pattern.length) return false;
  return pattern.every((byte, at) =>
    byte === '?' ? head[at] !== 0 : head[at] === Number.parseInt(byte, 16),
  );
}

/** Returns the text of a whole file, without its byte order mark; throws an InputError if it is not UTF-8. */
export function utf8Text(bytes: Buffer): string {
  const text = bytes.toString();
  if (isUtf8(bytes)) return text.replace(/^\uFEFF/, '');
  const decoded = Buffer.from(text);
  const wrong = bytes.findIndex((byte, at) => byte !== decoded[at]);
  const line = bytes.subarray(0, wrong).toString('latin1').split('\n').length;
  throw new InputError(`is not valid UTF-8 in line ${line}; save it in that encoding`);
}
