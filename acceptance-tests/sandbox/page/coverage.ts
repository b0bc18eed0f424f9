import type { RowList } from '../data/row-list.ts';
import type { LogEntry } from '../request-log.ts';

/** Cells that a page can show; what stands further down the list is left out. */
export const cellsShown = 4000;
/** Changes that took rows away and that are still shown, at most. */
const removalsShown = 200;
/** A pause of this length between two requests separates two reads. */
export const pauseMs = 10_000;

/** A row that lives, or lived, in the list: it came in with the mark `birth` and went with `death` (infinite: it is there). */
export interface Cell {
  readonly birth: number;
  readonly death: number;
}

/** The list, newest row first, with the rows that are gone since the mark `from` left standing where they stood. */
export type ListHistory = ReturnType<typeof listHistory>;

/** The head of a list, and what has gone from it since a mark; the mark is a later one if too much has happened since. */
export function listHistory(list: RowList, since: number) {
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

/** The removals after a mark, the last one first; within each one the newest row first. */
function removalsSince(list: RowList, since: number) {
  const removals: { mark: number; rows: { birth: number; newer: number }[] }[] = [];
  for (const { birth, death, newer } of list.dead().toReversed()) {
    if (death <= since) break;
    const last = removals.at(-1);
    if (last?.mark === death) last.rows.push({ birth, newer });
    else removals.push({ mark: death, rows: [{ birth, newer }] });
  }
  return removals;
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
      const then = [...cells.keys()].filter((index) => isAlive(cells[index], mark));
      const held = then.slice(offset, offset + rows);
      for (const index of held) reads[index] = (reads[index] ?? 0) + 1;
      return { number, offset, rows, ranges: rangesOf(held) };
    });
  return { reads, pages };
}

function isAlive(cell: Cell | undefined, mark: number): boolean {
  return cell !== undefined && cell.birth <= mark && cell.death > mark;
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

/** The requests since the last pause. */
function lastRead(requests: readonly Numbered[]): readonly Numbered[] {
  const pause = requests.findLastIndex(
    ({ at }, index) => Date.parse(at) - endOf(requests[index - 1]) > pauseMs,
  );
  return requests.slice(Math.max(0, pause));
}

function endOf(request: LogEntry | undefined): number {
  return request === undefined ? Number.POSITIVE_INFINITY : Date.parse(request.at) + request.ms;
}
