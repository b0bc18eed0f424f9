import type { RowList } from '../data/row-list.ts';
import type { LogEntry } from '../request-log.ts';

/** Cells that a page can show; what stands further down the list is left out. */
export const cellsShown = 4000;
/** Rows that are gone and still shown, the last ones. */
export const goneShown = 1000;
/** A pause of this length between two requests separates two reads. */
export const pauseMs = 10_000;

/** A row that lives, or lived, in the list: it came in with the mark `birth` and went with `death` (infinite: it is there). */
export interface Cell {
  readonly row: number;
  readonly birth: number;
  readonly death: number;
}

/** The list, newest row first, with the rows that are gone since the mark `from` left standing where they stood. */
export type ListHistory = ReturnType<typeof listHistory>;

/** The head of a list, and what has gone from it since a mark; the mark is a later one if too much has happened since. */
export function listHistory(list: RowList, since: number) {
  const size = list.size();
  const living = Array.from({ length: Math.min(size, cellsShown) }, (_, position): Cell => {
    const index = size - 1 - position;
    return { row: list.row(index), birth: list.birth(index), death: Number.POSITIVE_INFINITY };
  });
  const gone = list.dead().filter(({ death }) => death > since);
  const from = gone.at(-goneShown - 1)?.death ?? since;
  // rows come in at the head alone, so their numbers tell where each of them stood
  const cells = [...living, ...gone.slice(-goneShown)].toSorted((a, b) => b.row - a.row);
  return { from, cells: cells.slice(0, cellsShown) };
}

/** A request with its number: 0 for the first one since the log was cleared. */
export interface Numbered extends LogEntry {
  readonly number: number;
}

/** First index, and the one after the last. */
export type Range = readonly [number, number];

/**
 * Lays the pages of the last read (`requests` of one list) over the cells: each page covers the rows that it held when it was
 * answered, wherever they stand by now, as ranges of cells. Requests of before the mark are left out, since the list of
 * that time is not known. `reads`: for each cell, how many pages held its row.
 */
export function coverage({ cells, from }: ListHistory, requests: readonly Numbered[]) {
  const reads = cells.map(() => 0);
  const pages = lastRead(requests)
    .map((request) => ({ ...request, offset: Number(request.query['offset'] ?? 0) }))
    .filter(({ mark, rows, offset }) => mark >= from && rows > 0 && offset < cells.length)
    .map(({ number, offset, rows, mark }) => {
      const then = indexesOf(cells, ({ birth, death }) => birth <= mark && death > mark);
      const held = then.slice(offset, offset + rows);
      for (const index of held) reads[index] = (reads[index] ?? 0) + 1;
      return { number, offset, rows, ranges: rangesOf(held) };
    });
  return { reads, pages };
}

/** The requests since the last pause. */
function lastRead(requests: readonly Numbered[]): readonly Numbered[] {
  const pause = requests.findLastIndex(({ at }, index) => {
    const before = requests[index - 1];
    return before !== undefined && Date.parse(at) - Date.parse(before.at) - before.ms > pauseMs;
  });
  return requests.slice(Math.max(0, pause));
}

/** The indexes of the cells that are as wanted, ascending. */
export function indexesOf(cells: readonly Cell[], isWanted: (cell: Cell) => boolean): number[] {
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
