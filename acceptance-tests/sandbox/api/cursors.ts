import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { Instant } from '../data/instant.ts';

/** The row that a chain of pages has come to. */
export interface RowKey {
  createdMicros: number;
  row: number;
}

/** What a cursor stands for. */
export interface CursorContent extends RowKey {
  /** The bound of the request that it was made for. */
  since: Instant | undefined;
  issuedMicros: number;
  /** How many empty pages the chain has had at this place. */
  emptyPages: number;
}

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Writes and reads the cursors of one scenario: a keyset cursor holds its content, sealed; a random one is a key to it. */
export function createCursors(seed: number) {
  const kept = new Map<string, CursorContent>();
  const key = hash('sha256', `cursors of ${seed}`, 'buffer');

  function seal(content: CursorContent): string {
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, key, iv);
    const sealed = sealing.update(JSON.stringify(content));
    sealing.final();
    return `k${Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString('base64url')}`;
  }

  function unseal(cursor: string): CursorContent | undefined {
    const bytes = Buffer.from(cursor.slice(1), 'base64url');
    const tagEnd = ivBytes + tagBytes;
    if (bytes.length < tagEnd) return undefined;
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    opening.setAuthTag(bytes.subarray(ivBytes, tagEnd));
    const content = opening.update(bytes.subarray(tagEnd)).toString();
    try {
      opening.final();
    } catch {
      return undefined;
    }
    return JSON.parse(content) as CursorContent;
  }

  return {
    write: (content: CursorContent, kind: 'keyset' | 'random'): string => {
      if (kind === 'keyset') return seal(content);
      const cursor = `r${randomBytes(18).toString('base64url')}`;
      kept.set(cursor, content);
      return cursor;
    },
    /** Undefined if this scenario has written no such cursor. */
    read: (cursor: string): CursorContent | undefined =>
      cursor.startsWith('k') ? unseal(cursor) : kept.get(cursor),
  };
}
