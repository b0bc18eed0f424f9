import type { createLog, LogEntry } from '../request-log.ts';
import type { Row, Rows } from '../rows.ts';

/** Cells that a page can show; what stands further down the list is left out. */
export const cellsShown = 4000;
/** Rows that are gone and still shown, the last ones. */
export const goneShown = 1000;
/** A pause of this length between two requests separates two reads. */
export const pauseMs = 10_000;

type HeldBy = ReturnType<typeof createLog>['heldBy'];
/** First index, and the one after the last. */
export type Range = readonly [number, number];

/** The head of a list, newest row first, with the rows that are gone since a mark left standing where they stood. */
export function listHistory(rows: Rows, since: number): readonly Row[] {
  const gone = rows.dead().filter(({ death }) => death > since);
  // rows come in at the head alone, so their numbers tell where each of them stood
  return [...rows.living().slice(-cellsShown), ...gone.slice(-goneShown)]
    .toSorted((a, b) => b.number - a.number)
    .slice(0, cellsShown);
}

/**
 * Lays the pages of the last read (`requests` of one list) over the cells: each page covers the rows that it held, wherever
 * they stand by now, as ranges of cells. `reads`: for each cell, how many pages held its row.
 */
export function coverage(cells: readonly Row[], requests: readonly LogEntry[], heldBy: HeldBy) {
  const reads = cells.map(() => 0);
  const indexes = new Map(cells.map(({ number }, index) => [number, index]));
  const pause = requests.findLastIndex(({ at }, index) => {
    const before = requests[index - 1];
    return before !== undefined && Date.parse(at) - Date.parse(before.at) - before.ms > pauseMs;
  });
  const pages = requests.slice(Math.max(0, pause)).flatMap((request) => {
    const { number, query, rows } = request;
    const covered = heldBy(request)
      .flatMap((row) => indexes.get(row) ?? [])
      .toSorted((a, b) => a - b);
    for (const index of covered) reads[index] = (reads[index] ?? 0) + 1;
    const page = { number, offset: Number(query['offset'] ?? 0), rows, ranges: rangesOf(covered) };
    return covered.length === 0 ? [] : [page];
  });
  return { reads, pages };
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
