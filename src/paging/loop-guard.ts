import { transientError } from '../errors.ts';
import { counted } from '../protocol/messages.ts';

/** Consecutive empty pages, or repetitions of the same page, after which a chain is considered endless. */
const MAX_ROUNDS = 50;
/** Number of latest cursors that are remembered: a return to one of them is detected at once. */
const MAX_REMEMBERED = 1000;

/**
 * Detects chains that never end, in constant memory: a cursor that recurs within 1,000 pages, or at any distance (Brent's algorithm:
 * each cursor is compared with the one at the last power of two), pages that recur under new cursors (recognized by their number of
 * rows, first row and last row), and endless empty pages. The chain of the list starts at `from`.
 */
export function createLoopGuard<R>(list: string, from: string | null, isSame: (one: R, other: R) => boolean) {
  const latest = new Set<string>(from === null ? [] : [from]);
  let saved: { readonly cursor: string | null; readonly rows: readonly R[] } = { cursor: null, rows: [] };
  let pages = 0;
  let milestone = 1;
  let rounds = 0;
  let empty = 0;
  const isSaved = (rows: readonly R[]): boolean =>
    rows.length > 0 &&
    rows.length === saved.rows.length &&
    [0, -1].every((end) => isSame(rows.at(end) as R, saved.rows.at(end) as R));
  /** Must be called with each page and the cursor after it; throws transient_error CURSOR_LOOP if the chain is endless. */
  const page = (next: string, rows: readonly R[]): void => {
    if (next === saved.cursor || latest.has(next))
      throw loopError(list, `returns to an earlier cursor after ${counted(pages + 1, 'page', 'pages')}`);
    latest.add(next);
    const [oldest = next] = latest;
    if (latest.size > MAX_REMEMBERED) latest.delete(oldest);
    empty = rows.length === 0 ? empty + 1 : 0;
    if (empty >= MAX_ROUNDS) throw loopError(list, `has ${MAX_ROUNDS} empty pages in a row`);
    if (isSaved(rows)) rounds++;
    if (rounds >= MAX_ROUNDS) throw loopError(list, `has repeated the same page ${MAX_ROUNDS} times`);
    pages++;
    if (pages < milestone) return;
    milestone *= 2;
    saved = { cursor: next, rows };
    rounds = 0;
  };
  return { page };
}

export function loopError(list: string, problem: string): Error {
  const advice =
    "Run again later. The state remains valid; if this happens again, the API's provider must fix it.";
  const message = `${list}: the chain of pages ${problem}, so its end cannot be reached. ${advice}`;
  return transientError('CURSOR_LOOP', message, null);
}
