import { crc32 } from 'node:zlib';
import { rowBytes, type Row } from '../rows/row.ts';
import { keyIdentity, keyOf } from './row-key.ts';

/** Rows of a read that are watched: a wrong key repeats among the first ones, and watching all would cost a twentieth of a read. */
const MAX_WATCHED = 1_000;

/**
 * Watches rows of which none is taken twice, such as those that are emitted. Keeps a key and a checksum of each. Returns a function that
 * takes rows, and returns the value of the key that two different rows have, once, otherwise null.
 */
export function watchRows(key: string): (rows: readonly Row[]) => string | null {
  const checksums = new Map<string, number>();
  let isOver = false;
  return (rows) => {
    if (isOver) return null;
    for (const row of rows) {
      const value = keyOf(row, key);
      if (value === undefined) continue;
      const id = keyIdentity(value);
      const checksum = crc32(rowBytes(row));
      if ((checksums.get(id) ?? checksum) !== checksum) {
        isOver = true;
        checksums.clear();
        return value.text;
      }
      checksums.set(id, checksum);
    }
    isOver = checksums.size >= MAX_WATCHED;
    if (isOver) checksums.clear();
    return null;
  };
}
