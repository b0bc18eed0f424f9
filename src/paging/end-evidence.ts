import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';

/** What the answers so far say about the end of the list. */
export type EndEvidence = Readonly<typeof NO_EVIDENCE>;

export const NO_EVIDENCE = {
  /** How sure it is that no row follows the last covered one. */
  weight: 0,
  /** Last row of the tied page before this one, and how many rows that page had. */
  last: null as Identity | null,
  length: 0,
  /** The server has cut a page short though more rows followed it. */
  cutsPages: false,
  /** The server has stated more rows than it showed, so that its total is more than a count of what it shows. */
  statesMore: false,
};

/** The end is proven: by three strong answers in a row, or six weak ones. */
export const PROOF = 6;
export const STRONG = 2;
export const WEAK = 1;

/**
 * Lemma: a tied page without a row after the last covered one shows the end of the list, if no row followed the page then:
 * pages are contiguous slices. Whether any did can only be told by how the page ends, and one answer may deceive:
 *
 * - a page as long as the server grants says nothing by its length;
 * - one that was cut short shows two rows at least, if there are two: a covered row alone is the last (strong);
 * - a total that agrees may do so by chance, but not about the same row each time (strong, if totals mean something); one
 *   that lags behind a list that grows as fast as the scan advances does, on full pages (strong only once);
 * - empty, or short and ending in the same row again (weak), as long as the server was never seen to cut a page.
 *
 * Several in a row about a list that moves do not: rows after the end of the one before refute it, even if they are covered,
 * and all begins again. A row alone is enough where the total agrees, or where the next page is empty.
 */
export function weighed(before: EndEvidence, page: SeenPage<unknown>): EndEvidence {
  const { identities, total, granted } = page;
  const { length } = identities;
  const end = page.offset + length;
  const at = before.last === null ? -1 : identities.indexOf(before.last);
  const goesOn = at !== -1 && at < length - 1;
  const isSame = at === length - 1 && length > 0;
  const isShort = length < granted;
  const agrees = total === end;
  const cutsPages = before.cutsPages || (goesOn && before.length < granted);
  const statesMore = before.statesMore || (total ?? 0) > end;
  const last = identities.at(-1) ?? before.last;
  const weighing = (weight: number): EndEvidence => ({ weight, last, length, cutsPages, statesMore });

  if (page.found > 0 || goesOn) return weighing(0);
  if (length <= 1 && agrees) return weighing(PROOF);
  if (length === 1 && isShort) return weighing(before.weight + STRONG);
  if (agrees && statesMore && !isSame) return weighing(STRONG);
  if (agrees && statesMore) return weighing(before.weight + (isShort ? STRONG : 0));
  return weighing(before.weight + (isSame && isShort && !cutsPages ? WEAK : 0));
}
