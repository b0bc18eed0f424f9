import type { heldBy, LogEntry } from '../request-log.ts';
import { byPlace, type Row, type Rows } from '../rows.ts';

/** The maximum number of cells; older rows are omitted. */
export const maxCells = 4000;
/** The maximum number of deleted rows among them. */
export const maxDeleted = 1000;
/** A longer pause between two requests separates two clients. */
export const pauseMs = 10_000;
/** So does a longer time without a connection: a process takes longer to start, a loop of curl reconnects sooner. */
export const idleMs = 100;

/** The first index, and the one after the last. */
export type Range = readonly [number, number];

/**
 * Returns the part of a list that is shown, newest row first, including rows deleted since a mark at their former positions. It is
 * the head of a short list; in a longer one it contains the row with the number `near`, and moves in steps of half its length.
 */
export function listHistory(rows: Rows, since: number, near: number | undefined): readonly Row[] {
  const present = rows.present();
  const index = near === undefined ? -1 : present.findLastIndex(({ number }) => number === near);
  const half = maxCells / 2;
  const newer = index === -1 ? 0 : Math.floor((present.length - 1 - index) / half) * half;
  const end = Math.max(present.length - newer, Math.min(maxCells, present.length));
  const shown = present.slice(Math.max(0, end - maxCells), end);
  const [oldest, after] = [shown[0], present[end]];
  const isWithin = (row: Row): boolean =>
    (end <= maxCells || oldest === undefined || byPlace(row, oldest) > 0) &&
    (after === undefined || byPlace(row, after) < 0);
  const deleted = rows.deleted().filter((row) => row.until > since && isWithin(row));
  return [...shown, ...deleted.slice(-maxDeleted)].toSorted((a, b) => byPlace(b, a)).slice(0, maxCells);
}

/** Returns the requests of the last client, such as one run of a command, by the order in which they began. */
export function ofLastClient(requests: readonly LogEntry[]): readonly LogEntry[] {
  const sorted = requests.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const first = sorted.findLastIndex((request, index) => {
    const before = sorted[index - 1];
    if (before === undefined || request.idleMs > idleMs) return true;
    return Date.parse(request.at) - Date.parse(before.at) - before.ms > pauseMs;
  });
  return sorted.slice(Math.max(0, first));
}

/**
 * Maps pages to cells: each page covers ranges of cells, those of the rows that it contained, wherever
 * these are now. `reads` is the number of pages that contained the row of each cell.
 */
export function coverage(cells: readonly Row[], requests: readonly LogEntry[], rowsOf: typeof heldBy) {
  const reads = cells.map(() => 0);
  const indexes = new Map(cells.map(({ number }, index) => [number, index]));
  const pages = requests.flatMap((request) => {
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
