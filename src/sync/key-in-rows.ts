import { counted, listed, quoted } from '../protocol/messages.ts';
import { scalarMember, type Row } from '../rows/row.ts';

const MAX_ROWS = 1000; // looked at

/** Watches whether the key in a catalog, by which a destination merges, is in the rows of a stream. */
export function watchCatalogKey(stream: string, fields: readonly string[]) {
  const unseen = new Set(fields);
  let rows = 0;
  return {
    /** Looks at rows that are emitted. */
    look: (emitted: readonly Row[]): void => {
      if (unseen.size === 0 || rows >= MAX_ROWS) return;
      rows += emitted.length;
      for (const field of unseen)
        if (emitted.some((row) => scalarMember(row, field) !== undefined)) unseen.delete(field);
    },
    /** Returns a warning; null if there are no rows, or if some have each field. */
    warning: (): string | null => {
      if (unseen.size === 0 || rows === 0) return null;
      const key = `the primary key in the catalog, ${listed([...unseen], quoted)}, is in none of ${counted(rows, 'row', 'rows')} looked at`;
      return `${stream}: ${key}. A destination that merges by it keeps one row, or fails. Choose a field that each row has.`;
    },
  };
}
