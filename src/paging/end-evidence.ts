import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';

/** What the pages so far show about the end of the list. */
export type EndEvidence = Readonly<typeof NO_EVIDENCE>;

export const NO_EVIDENCE = {
  weight: 0, // how certain it is that no row follows the last covered one
  last: null as Identity | null, // last row of the previous tied page
  length: 0, // number of rows of that page
  cutsPages: false, // the server has returned a short page although more rows followed
  statesMore: false, // the server has stated more rows than it showed, so its total does not just count what it shows
};

/** The end is proven by three strong answers in a row, or six weak ones. */
export const PROOF = 6;
export const STRONG = 2;
export const WEAK = 1;

/**
 * Lemma: a tied page without a row after the last covered one shows the end of the list if no row followed the page at that
 * time, since pages are contiguous slices. Only the way in which the page ends shows whether a row followed, and a single page
 * may be misleading:
 *
 * - the length of a page as long as the server grants proves nothing;
 * - a page that is cut short shows at least two rows if there are two, so a covered row alone is the last one (strong);
 * - a total that agrees may do so by chance, but not about the same row each time (strong, if totals mean something); one
 *   that lags behind a list which grows as fast as the scan advances agrees on full pages (so strong only once);
 * - empty, or short and ending with the same row again (weak), as long as the server was never seen to cut a page.
 *
 * Several in a row about a list that moves are reliable: rows after the end of the previous page, even covered ones, refute it,
 * and the count starts again. A single row is enough if the total agrees, or if the next page is empty.
 */
export function weighEvidence(before: EndEvidence, page: SeenPage<unknown>): EndEvidence {
  const { identities, total, granted } = page;
  const { length } = identities;
  const end = page.offset + length;
  const at = before.last === null ? -1 : identities.indexOf(before.last);
  const continues = at !== -1 && at < length - 1;
  const isSame = at === length - 1 && length > 0;
  const isShort = length < granted;
  const agrees = total === end;
  const cutsPages = before.cutsPages || (continues && before.length < granted);
  const statesMore = before.statesMore || (total ?? 0) > end;
  const last = identities.at(-1) ?? before.last;
  const withWeight = (weight: number): EndEvidence => ({ weight, last, length, cutsPages, statesMore });

  if (page.found > 0 || continues) return withWeight(0);
  if (length <= 1 && agrees) return withWeight(PROOF);
  if (length === 1 && isShort) return withWeight(before.weight + STRONG);
  if (agrees && statesMore && !isSame) return withWeight(STRONG);
  if (agrees && statesMore) return withWeight(before.weight + (isShort ? STRONG : 0));
  return withWeight(before.weight + (isSame && isShort && !cutsPages ? WEAK : 0));
}
