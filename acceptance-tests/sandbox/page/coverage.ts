import type { LogEntry } from '../request-log.ts';
import type { Row, Rows } from '../rows.ts';

/** Cells that a page can show; what stands further down the list is left out. */
export const cellsShown = 4000;
/** Rows that are gone and still shown, the last ones. */
export const goneShown = 1000;
/** A pause of this length between two requests separates two reads. */
export const pauseMs = 10_000;

/** A list, newest row first, with the rows that are gone since the mark `from` left standing where they stood. */
export type ListHistory = ReturnType<typeof listHistory>;

/** The head of a list, and what has gone from it since a mark; the mark is a later one if too much has happened since. */
export function listHistory(rows: Rows, since: number) {
  const gone = rows.dead().filter(({ death }) => death > since);
  const from = gone.at(-goneShown - 1)?.death ?? since;
  // rows come in at the head alone, so their numbers tell where each of them stood
  const cells = [...rows.living().slice(-cellsShown), ...gone.slice(-goneShown)].toSorted(
    (a, b) => b.number - a.number,
  );
  return { from, cells: cells.slice(0, cellsShown) };
}

/** A request with its number: 0 for the first one since the log was cleared. */
export type Numbered = LogEntry & { readonly number: number };
/** First index, and the one after the last. */
export type Range = readonly [number, number];

/**
 * Lays the pages of the last read (`requests` of one list) over the cells: each page covers the rows that it held when it was
 * answered, wherever they stand by now, as ranges of cells. Requests of before the mark are left out, since the list of
 * that time is not known. `reads`: for each cell, how many pages held its row.
 */
export function coverage({ cells, from }: ListHistory, requests: readonly Numbered[]) {
  const reads = cells.map(() => 0);
  const pause = requests.findLastIndex(({ at }, index) => {
    const before = requests[index - 1];
    return before !== undefined && Date.parse(at) - Date.parse(before.at) - before.ms > pauseMs;
  });
  const pages = requests.slice(Math.max(0, pause)).flatMap(({ number, query, rows, mark }) => {
    const offset = Number(query['offset'] ?? 0);
    if (mark < from || rows === 0 || !(offset < cells.length)) return [];
    const then = indexesOf(cells, ({ birth, death }) => birth <= mark && death > mark);
    const held = then.slice(offset, offset + rows);
    for (const index of held) reads[index] = (reads[index] ?? 0) + 1;
    return [{ number, offset, rows, ranges: rangesOf(held) }];
  });
  return { reads, pages };
}

/** The indexes of the cells that are as wanted, ascending. */
export function indexesOf(cells: readonly Row[], isWanted: (cell: Row) => boolean): number[] {
  return cells.flatMap((cell, index) => (isWanted(cell) ? [index] : []));
}

/** Ascending indexes as ranges. */
export function rangesOf(indexes: readonly number[]): Range[] {
  const found: [number, number][] = [];
  for (const index of indexes) {
    const last = found.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}
