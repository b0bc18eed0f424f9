import type { heldBy, LogEntry } from '../request-log.ts';
import { byPlace, type Row, type Rows } from '../rows.ts';

/** The maximum number of cells; older rows are omitted. */
export const maxCells = 4000;
/** The maximum number of deleted rows among them. */
export const maxDeleted = 1000;
/** A longer pause between two requests separates two reads. */
export const pauseMs = 10_000;

/** The first index, and the one after the last. */
export type Range = readonly [number, number];

/** Returns the head of a list, newest row first, including rows deleted since a mark at their former positions. */
export function listHistory(rows: Rows, since: number): readonly Row[] {
  const deleted = rows.deleted().filter(({ deletedAt }) => deletedAt > since);
  return [...rows.present().slice(-maxCells), ...deleted.slice(-maxDeleted)]
    .toSorted((a, b) => byPlace(b, a))
    .slice(0, maxCells);
}

/**
 * Maps the pages of the last read to cells: each page covers ranges of cells, those of the rows that it contained, wherever
 * these are now. `reads` is the number of pages that contained the row of each cell.
 */
export function coverage(cells: readonly Row[], requests: readonly LogEntry[], rowsOf: typeof heldBy) {
  const reads = cells.map(() => 0);
  const indexes = new Map(cells.map(({ number }, index) => [number, index]));
  const pause = requests.findLastIndex(({ at }, index) => {
    const before = requests[index - 1];
    return before !== undefined && Date.parse(at) - Date.parse(before.at) - before.ms > pauseMs;
  });
  const pages = requests.slice(Math.max(0, pause)).flatMap((request) => {
    const { number, query, rows } = request;
    const covered = rowsOf(request)
      .flatMap((row) => indexes.get(row) ?? [])
      .toSorted((a, b) => a - b);
    for (const index of covered) reads[index] = (reads[index] ?? 0) + 1;
    const offset = query['offset'] === undefined ? null : Number(query['offset']);
    const page = { number, offset, rows, ranges: rangesOf(covered) };
    return covered.length === 0 ? [] : [page];
  });
  return { reads, pages };
}

/** Converts ascending indexes to ranges. */
export function rangesOf(indexes: readonly number[]): Range[] {
  const found: [number, number][] = [];
  for (const index of indexes) {
    const last = found.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}
