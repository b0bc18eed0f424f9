import { crc32 } from 'node:zlib';
import { quoted } from '../protocol/messages.ts';
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

/** The WARN about a value that different rows have; `place` is the list in the config, and `isFixed` if its key cannot be configured. */
export function repeatedKeyWarning(value: string, key: string, effect: string, place: string | null): string {
  const [where, cure] =
    place === null
      ? ['', "ask the API's provider for unique values"]
      : [` (${place}.id_field)`, `correct ${place}.id_field; check proposes fields`];
  return (
    `different rows have the value ${quoted(value)} in ${quoted(key)}${where}. ${effect} If they are not versions of one row, ${quoted(key)} does ` +
    `not identify rows: ${cure}.`
  );
}
