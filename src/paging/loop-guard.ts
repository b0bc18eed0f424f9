import { transientError } from '../errors.ts';

/** Empty pages in a row, or rounds over the same page, after which a chain counts as going nowhere. */
const PATIENCE = 50;
/** The latest cursors of a chain, all of which are known: a single step back among them is found at once. */
const REMEMBERED = 1000;

export interface LoopGuard {
  /**
   * Told of each page of a chain: the cursor that it ends with, and a text that stands for its rows (empty for none).
   *
   * @throws transient_error CURSOR_LOOP if the chain does not get anywhere
   */
  readonly page: (next: string, content: string) => void;
  /** True for a cursor that the chain has had, as far as that is known: see `createLoopGuard`. */
  readonly hasHad: (cursor: string) => boolean;
}

/**
 * Finds chains that never end, in constant memory: a cursor that comes back among the last 1,000, or over and over at
 * whatever distance (Brent's method: each one is compared with the one at the last power of two), pages that come back
 * under ever new cursors, and endless empty pages. `from` is the cursor that the chain starts behind.
 */
export function createLoopGuard(from: string | null): LoopGuard {
  const latest = new Set<string>(from === null ? [] : [from]);
  let pages = 0;
  let milestone = 1;
  let savedCursor: string | null = null;
  let savedContent = '';
  let rounds = 0;
  let empty = 0;
  const hasHad = (cursor: string): boolean => cursor === savedCursor || latest.has(cursor);
  return {
    hasHad,
    page: (next, content) => {
      if (hasHad(next)) throw loop('comes back to a cursor that it has had');
      latest.add(next);
      const [oldest = next] = latest;
      if (latest.size > REMEMBERED) latest.delete(oldest);
      empty = content === '' ? empty + 1 : 0;
      if (empty >= PATIENCE) throw loop(`gave ${PATIENCE} empty pages in a row`);
      if (content !== '' && content === savedContent && ++rounds >= PATIENCE)
        throw loop(`gave the same page ${PATIENCE} times`);
      if (++pages === milestone) {
        milestone *= 2;
        savedCursor = next;
        savedContent = content;
        rounds = 0;
      }
    },
  };
}

/** A text that stands for the rows of a page, without the cost of reading them all: their number, the first and the last. */
export function contentOf<R>(rows: readonly R[], textOf: (row: R) => string): string {
  const [first, last] = [rows[0], rows.at(-1)];
  return first === undefined || last === undefined ? '' : `${rows.length} ${textOf(first)} ${textOf(last)}`;
}

function loop(words: string): Error {
  return transientError(
    'CURSOR_LOOP',
    `the chain of pages ${words}, so its end cannot be reached. The state stays where it was; ` +
      `if it happens again, the API has to be mended.`,
    null,
  );
}
