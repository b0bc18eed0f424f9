/** Why the end of a chain of pages cannot be reached. */
export type Endless =
  | { readonly cause: 'only empty pages'; readonly ms: number }
  | { readonly cause: 'an earlier cursor'; readonly pages: number } // after so many
  | { readonly cause: 'the same page'; readonly times: number }
  | {
      readonly cause: 'cursors expire';
      readonly isParallel: boolean; // several chains read
      readonly refusal: unknown; // the error of the last cursor; null if it was only old
    };

/** How endless chains are reported, and how rows are compared. */
interface GuardedList<R> {
  readonly endlessError: (endless: Endless) => Error;
  readonly isSame: (one: R, other: R) => boolean;
}

/** Repetitions of the same page after which a chain is considered endless. */
const MAX_ROUNDS = 50;
/** Number of latest cursors that are remembered: a return to one of them is detected at once. */
const MAX_REMEMBERED = 1000;
/** ms of empty pages in a row, waits excluded, after which a chain is considered endless: some servers filter rows after cutting pages. */
const MAX_EMPTY_MS = 15 * 60_000;
/** ms between two requests that are no wait. */
const MAX_PAUSE_MS = 1000;

/** What a page shows of its chain; the times are local, in ms since the epoch. */
interface GuardedPage<R> {
  readonly rows: readonly R[];
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/**
 * Detects chains that never end, in constant memory: a cursor that recurs within 1,000 pages, or at any distance (Brent's algorithm:
 * each cursor is compared with the one at the last power of two), pages that recur under new cursors (recognized by their number of
 * rows, first row and last row), and fifteen minutes of empty pages. The chain of the list starts at `from`.
 */
export function createLoopGuard<R>({ endlessError, isSame }: GuardedList<R>, from: string | null) {
  const latest = new Set<string>(from === null ? [] : [from]);
  let saved: { readonly cursor: string | null; readonly rows: readonly R[] } = { cursor: null, rows: [] };
  let pages = 0;
  let milestone = 1;
  let rounds = 0;
  let receivedMs: number | null = null;
  let emptyMs = 0;
  const isSaved = (rows: readonly R[]): boolean =>
    rows.length > 0 &&
    rows.length === saved.rows.length &&
    [0, -1].every((end) => isSame(rows.at(end) as R, saved.rows.at(end) as R));
  const noteEmpty = ({ rows, sentAtMs, receivedAtMs }: GuardedPage<R>): void => {
    const pause = Math.min(Math.max(0, sentAtMs - (receivedMs ?? sentAtMs)), MAX_PAUSE_MS);
    emptyMs = rows.length > 0 ? 0 : emptyMs + pause + Math.max(0, receivedAtMs - sentAtMs);
    receivedMs = receivedAtMs;
    if (emptyMs >= MAX_EMPTY_MS) throw endlessError({ cause: 'only empty pages', ms: MAX_EMPTY_MS });
  };
  /** Must be called with each page and the cursor after it; throws `endlessError` if the chain is endless. */
  const page = (next: string, { rows, ...times }: GuardedPage<R>): void => {
    if (next === saved.cursor || latest.has(next))
      throw endlessError({ cause: 'an earlier cursor', pages: pages + 1 });
    latest.add(next);
    const [oldest = next] = latest;
    if (latest.size > MAX_REMEMBERED) latest.delete(oldest);
    noteEmpty({ rows, ...times });
    if (isSaved(rows)) rounds++;
    if (rounds >= MAX_ROUNDS) throw endlessError({ cause: 'the same page', times: MAX_ROUNDS });
    pages++;
    if (pages < milestone) return;
    milestone *= 2;
    saved = { cursor: next, rows };
    rounds = 0;
  };
  return { page };
}
