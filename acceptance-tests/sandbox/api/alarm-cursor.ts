import { randomBytes } from 'node:crypto';
import { createRandom, mix } from '../data/random.ts';
import type { Instant } from '../data/instant.ts';
import type { RowKey } from './alarm-order.ts';

/** What a cursor stands for. */
export interface CursorContent extends RowKey {
  /** The bound of the request that it was made for. */
  since: Instant | undefined;
  issuedMicros: number;
  /** How many empty pages the chain has had at this place. */
  emptyPages: number;
}

/** Writes and reads the cursors of one world (opaque to clients). */
export interface Cursors {
  write(content: CursorContent, kind: 'keyset' | 'random'): string;
  /** Undefined if this world has written no such cursor. */
  read(cursor: string): CursorContent | undefined;
}

const contentBytes = 40;
const randomPrefix = 'r';
const keysetPrefix = 'k';

/** The cursors of a world. A keyset cursor holds its content, scrambled; a random one is a key to what is kept here. */
export function createCursors(seed: number): Cursors {
  const kept = new Map<string, CursorContent>();

  function scramble(bytes: Buffer, tag: number): void {
    const stream = createRandom(mix(seed, tag, 12));
    for (let at = 0; at < bytes.length; at += 4)
      bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ stream.bits()) >>> 0, at);
  }

  function tagOf(bytes: Buffer): number {
    const words = Array.from({ length: contentBytes / 4 }, (_, word) => bytes.readUInt32LE(word * 4));
    return mix(seed, 13, ...words);
  }

  function writeKeyset(content: CursorContent): string {
    const cursor = Buffer.alloc(contentBytes + 4);
    const bytes = cursor.subarray(4);
    bytes.writeDoubleLE(content.createdMicros, 0);
    bytes.writeDoubleLE(content.since?.micros ?? Number.NaN, 8);
    bytes.writeDoubleLE(content.issuedMicros, 16);
    bytes.writeUInt32LE(content.row, 24);
    bytes.writeUInt32LE(content.since?.nanos ?? 0, 28);
    bytes.writeUInt32LE(content.emptyPages, 32);
    const tag = tagOf(bytes);
    cursor.writeUInt32LE(tag, 0);
    scramble(bytes, tag);
    return keysetPrefix + cursor.toString('base64url');
  }

  function readKeyset(cursor: string): CursorContent | undefined {
    const all = Buffer.from(cursor.slice(1), 'base64url');
    if (all.length !== contentBytes + 4 || keysetPrefix + all.toString('base64url') !== cursor)
      return undefined;
    const bytes = all.subarray(4);
    scramble(bytes, all.readUInt32LE(0));
    if (tagOf(bytes) !== all.readUInt32LE(0)) return undefined;
    const sinceMicros = bytes.readDoubleLE(8);
    return {
      createdMicros: bytes.readDoubleLE(0),
      since: Number.isNaN(sinceMicros) ? undefined : { micros: sinceMicros, nanos: bytes.readUInt32LE(28) },
      issuedMicros: bytes.readDoubleLE(16),
      row: bytes.readUInt32LE(24),
      emptyPages: bytes.readUInt32LE(32),
    };
  }

  return {
    write: (content, kind) => {
      if (kind === 'keyset') return writeKeyset(content);
      const cursor = randomPrefix + randomBytes(18).toString('base64url');
      kept.set(cursor, content);
      return cursor;
    },
    read: (cursor) => (cursor.startsWith(keysetPrefix) ? readKeyset(cursor) : kept.get(cursor)),
  };
}
