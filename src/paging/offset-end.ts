import type { Identity } from './identities.ts';

/** What the answers so far say about the end of the list. */
export interface EndEvidence {
  /** How sure it is that nothing lies behind the last covered row. */
  readonly weight: number;
  /** Last row of the tied page before this one, and how many rows that page had. */
  readonly last: Identity | null;
  readonly length: number;
  /** The server has sent a page short though more rows were behind it. */
  readonly cutsPages: boolean;
  /** The server has told of rows that it did not show, so that its total is more than a count of what it shows. */
  readonly tellsOfMore: boolean;
}

/** A page that is tied to what is covered. */
export interface EndPage {
  readonly offset: number;
  readonly identities: readonly Identity[];
  readonly total: number | undefined;
  /** True if it has rows behind the last covered one. */
  readonly isNews: boolean;
}

export const NO_EVIDENCE: EndEvidence = {
  weight: 0,
  last: null,
  length: 0,
  cutsPages: false,
  tellsOfMore: false,
};

/** The end is proven: three strong answers in a row, or six weak ones. */
const PROOF = 6;
const STRONG = 2;
const WEAK = 1;

/**
 * Weighs a tied page. The proof of the end: pages are contiguous slices, so a tied page on which nothing lies behind a
 * covered row shows the end if the list had no more rows behind the page at that instant. That can only be seen from how
 * the page ends, and an answer may end where the list does not:
 *
 * - a page as long as the server grants: it says nothing by its length;
 * - a page that was cut short: it has two rows at least where there are two, so **a covered row alone** is the last one;
 * - a total that is wrong: it agrees with the page's end by chance.
 *
 * One answer may be deceived, several in a row about a list that moves between them are not: three that show a row alone,
 * or whose total agrees behind the same row, or six that are empty, or short and end in the same row as the one before, as long as the server
 * was never seen to cut a page. An answer with rows behind the end of the one before refutes it, and all begins again. In a
 * list at rest the quick ways out are as sure: a row alone where the total agrees, or where the next page is empty.
 */
export function weighed(before: EndEvidence, page: EndPage, granted: number): EndEvidence {
  const { offset, identities, total, isNews } = page;
  const length = identities.length;
  const at = before.last === null ? -1 : identities.indexOf(before.last);
  const goesOn = at !== -1 && at < length - 1;
  const cutsPages = before.cutsPages || (goesOn && before.length < granted);
  const tellsOfMore = before.tellsOfMore || (total ?? 0) > offset + length;
  const agrees = total === offset + length;
  const weigh = (): number => {
    if (isNews || goesOn) return 0;
    if (length <= 1 && agrees) return PROOF;
    if (isAlone(length, granted)) return before.weight + STRONG;
    // a total that agrees by chance does so about another row each time
    if (agrees && tellsOfMore) return (identities.at(-1) === before.last ? before.weight : 0) + STRONG;
    const isSame = at !== -1 && length < granted && !cutsPages;
    return before.weight + (isSame ? WEAK : 0);
  };
  return { weight: weigh(), last: identities.at(-1) ?? before.last, length, cutsPages, tellsOfMore };
}

/** True if a page of one row is less than the server grants. */
function isAlone(length: number, granted: number): boolean {
  return length === 1 && granted > 1;
}

export function isProven({ weight }: EndEvidence): boolean {
  return weight >= PROOF;
}

/**
 * After a page without a tie: an empty one lies behind the end, and counts once however far the scan steps back over
 * nothing; on any other are rows that are not covered.
 */
export function weighedUntied(before: EndEvidence, isEmpty: boolean, isFirst: boolean): EndEvidence {
  return { ...before, weight: isEmpty ? before.weight + (isFirst ? WEAK : 0) : 0 };
}
