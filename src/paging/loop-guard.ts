import { transientError } from '../errors.ts';

/** Empty pages in a row, or rounds over the same page, after which a chain counts as going nowhere. */
const PATIENCE = 50;
/** The latest cursors of a chain, all of which are known: a single step back among them is found at once. */
const REMEMBERED = 1000;

/**
 * Finds chains that never end, in constant memory: a cursor that comes back among the last 1,000, or over and over at
 * whatever distance (Brent's method: each is compared with the one at the last power of two), pages that come back under
 * new cursors (known by their number of rows, the first and the last), and endless empty pages. The chain starts at `from`.
 */
export function createLoopGuard<R>(from: string | null, isSame: (one: R, other: R) => boolean) {
  const latest = new Set<string>(from === null ? [] : [from]);
  let saved: { readonly cursor: string | null; readonly rows: readonly R[] } = { cursor: null, rows: [] };
  let [pages, milestone, rounds, empty] = [0, 1, 0, 0];
  /** True for a cursor that the chain has had, as far as that is known. */
  const hasHad = (cursor: string): boolean => cursor === saved.cursor || latest.has(cursor);
  const isSaved = (rows: readonly R[]): boolean =>
    rows.length > 0 &&
    rows.length === saved.rows.length &&
    [0, -1].every((end) => isSame(rows.at(end) as R, saved.rows.at(end) as R));
  /** Told of each page, and the cursor behind it; throws transient_error CURSOR_LOOP if the chain gets nowhere. */
  const page = (next: string, rows: readonly R[]): void => {
    if (hasHad(next)) throw loopError('comes back to a cursor that it has had');
    latest.add(next);
    const [oldest = next] = latest;
    if (latest.size > REMEMBERED) latest.delete(oldest);
    empty = rows.length === 0 ? empty + 1 : 0;
    if (empty >= PATIENCE) throw loopError(`gave ${PATIENCE} empty pages in a row`);
    if (isSaved(rows) && ++rounds >= PATIENCE) throw loopError(`gave the same page ${PATIENCE} times`);
    if (++pages < milestone) return;
    milestone *= 2;
    saved = { cursor: next, rows };
    rounds = 0;
  };
  return { hasHad, page };
}

export function loopError(words: string): Error {
  const advice = 'The state stays where it was; if it happens again, the API has to be fixed.';
  const message = `the chain of pages ${words}, so its end cannot be reached. ${advice}`;
  return transientError('CURSOR_LOOP', message, null);
}
