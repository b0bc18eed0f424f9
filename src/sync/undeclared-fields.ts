import { haveSameNames, memberNames } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';

/** Fields of rows that the catalog's schema does not declare: many warehouses drop them without a word. */
export interface UndeclaredFields {
  readonly look: (rows: readonly Row[]) => void;
  /** Their names, in the order in which they came. */
  readonly names: () => readonly string[];
}

/** Watches the fields of rows; `declared` is null where nothing is known of a schema, and nothing is looked at. */
export function watchFields(declared: ReadonlySet<string> | null): UndeclaredFields {
  const known = new Set(declared);
  const undeclared: string[] = [];
  let looked: Row | null = null;
  return {
    look: (rows) => {
      if (declared === null) return;
      for (const row of rows) {
        if (looked !== null && haveSameNames(row, looked)) continue;
        looked = row;
        for (const name of memberNames(row))
          if (!known.has(name)) {
            known.add(name);
            undeclared.push(name);
          }
      }
    },
    names: () => undeclared,
  };
}
