import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';

/** What the pages read so far show about the end of the list. */
export type EndEvidence = Readonly<typeof NO_EVIDENCE>;

export const NO_EVIDENCE = {
  weight: 0, // of the evidence that no row follows the last covered one
  last: null as Identity | null, // last row of the previous tied page
  length: 0, // number of rows of that page
  cutsPages: false, // the server has returned a short page although more rows followed
  statesMore: false, // the total once exceeded the rows returned, so it does not just count them
};

/** The end is proven by three strong pages in a row, or six weak ones. */
export const PROOF = 6;
export const STRONG = 2;
export const WEAK = 1;

/**
 * Lemma: pages are contiguous slices, so a tied page without a row after the last covered one shows the end of the list, provided
 * that no row followed the page at that time. Only the end of the page shows whether a row followed, and a single page may be
 * misleading:
 *
 * - a full page alone proves nothing;
 * - servers that return short pages return at least two rows if there are two, so a covered row alone is the last one (strong);
 * - a total may agree by chance, but not with the same row each time (strong, if totals are meaningful); a total that lags behind a
 *   list that grows as fast as the scan advances agrees on full pages (strong only once);
 * - an empty page, or a short one that ends with the same row again (weak), unless the server has returned short pages before.
 *
 * Several such pages in a row are reliable even if the list changes: rows after the end of the previous page, even covered ones,
 * refute the evidence and reset the count. A page with a single row is sufficient if the total agrees or the next page is empty.
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
