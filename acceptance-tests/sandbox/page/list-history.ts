import type { RowList } from '../data/row-list.ts';

/** Cells that a page can show; what stands further down the list is left out. */
export const cellsShown = 4000;

/** Changes that took rows away and that are still shown, at most. */
const removalsShown = 200;

/** A row that lives, or lived, in the list: it came in with the mark `birth` and went with `death` (infinite: it is there). */
export interface Cell {
  readonly birth: number;
  readonly death: number;
}

/** The list with the rows that are gone left standing where they stood. */
export interface ListHistory {
  /** The mark from which on the rows that went are shown. */
  readonly from: number;
  /** Newest row first, as the API lists them. */
  readonly cells: readonly Cell[];
}

/** The head of a list, and what has gone from it since a mark; the mark is a later one if too much has happened since. */
export function listHistory(list: RowList, since: number): ListHistory {
  const size = list.size();
  let cells: Cell[] = Array.from({ length: Math.min(size, cellsShown) }, (_, position) => ({
    birth: list.birth(size - 1 - position),
    death: Number.POSITIVE_INFINITY,
  }));
  const removals = removalsSince(list, since);
  const shown = removals.slice(0, removalsShown);
  const from = removals.length > removalsShown ? (shown.at(-1)?.mark ?? since) : since;
  // From the last removal back to the first: each row goes in where it stood in the list of its time.
  for (const { mark, rows } of shown) {
    const before: Cell[] = [];
    let newer = 0;
    let next = 0;
    const putBack = (): void => {
      for (; rows[next]?.newer === newer; next += 1, newer += 1)
        before.push({ birth: rows[next]?.birth ?? 0, death: mark });
    };
    for (const cell of cells) {
      if (cell.birth < mark) putBack();
      before.push(cell);
      if (cell.birth < mark) newer += 1;
    }
    putBack();
    cells = before.slice(0, cellsShown);
  }
  return { from, cells };
}

interface Removal {
  mark: number;
  rows: { birth: number; newer: number }[];
}

/** The removals after a mark, the last one first; within each one the newest row first. */
function removalsSince(list: RowList, since: number): Removal[] {
  const removals: Removal[] = [];
  for (const { birth, death, newer } of list.dead().toReversed()) {
    if (death <= since) break;
    const last = removals.at(-1);
    if (last?.mark === death) last.rows.push({ birth, newer });
    else removals.push({ mark: death, rows: [{ birth, newer }] });
  }
  return removals;
}
