import type { FirstPage, PageNote, Pass } from './pass.ts';
import { isBeyondReach } from './requests.ts';

/** Pages that must agree, and pages that are enough before a pass is spent. */
const MIN_PAGES = 3;
const MAX_REPEATS = 8;

/** Why the end of a list is not proven. If nothing is shown beyond an offset, or rows are left out, the rows before it are still read. */
export type Cause =
  | 'the offset is ignored'
  | 'rows cannot be recognized'
  | 'one row per page'
  | 'multiples of small pages'
  | 'nothing is shown beyond an offset'
  | 'rows are left out of pages'
  | 'pages do not continue'
  | 'the list changes too fast';

/** What was seen of a list whose end is not reached. */
export interface Stop {
  readonly cause: Cause;
  readonly hiddenFrom: number | null; // the first offset at which the server shows nothing, or always the same rows
  readonly hasCursor: boolean; // the first page has a `nextCursor`
  readonly granted: number; // rows of the largest page
  readonly pages: number; // taken in the pass
  readonly size: number; // rows that it has covered at most
  readonly total: number | null; // the latest one
  readonly offsets: readonly number[]; // of the latest pages
}

/**
 * Returns why a pass cannot reach the end of a list, with pages at multiples of at most `multiples` rows; null if the page that the server
 * always returns is the whole list, or if its end has been shown often enough.
 */
export function explain(first: FirstPage | null, multiples: number | null, pass: Pass): Stop | null {
  const cause = causeOf(first, multiples, pass);
  if (cause === null) return null;
  const { notes, granted, pages, mostCovered, reached } = pass;
  const hidden = hiddenFrom(pass);
  return {
    cause,
    // where a large page was refused, a smaller one may have shown rows
    hiddenFrom: hidden === null ? null : Math.max(hidden, Math.min(reached, mostCovered)),
    hasCursor: first?.hasCursor ?? false,
    granted,
    pages,
    size: mostCovered,
    total: totalsOf(notes).at(-1) ?? null,
    offsets: notes.map(({ offset }) => offset),
  };
}

function causeOf(first: FirstPage | null, multiples: number | null, pass: Pass): Cause | null {
  const { notes, granted, reached } = pass;
  const late = lateOf(notes);
  if (late.some(({ isKeyless }) => isKeyless) && lookNew(late)) return 'rows cannot be recognized';
  if (first !== null && areFirst(late, first) && late.length >= MIN_PAGES) {
    const isWhole = first.count !== first.limit && notes.every(({ total }) => total === first.count);
    return isWhole ? null : 'the offset is ignored';
  }
  if (multiples !== null && isBeyondReach(multiples, reached)) return 'multiples of small pages';
  const heads = new Set(notes.filter(({ offset }) => offset === 0).map((page) => page.first));
  if (granted === 1 && heads.size <= 1) return 'one row per page';
  const hidden = hiddenFrom(pass);
  if (hidden === null && hasEnded(notes)) return null;
  if (hidden === null) return isAtRest(notes) ? 'pages do not continue' : 'the list changes too fast';
  // the last rows, too, are left out of a page that was cut
  const isNearEnd = Math.max(...totalsOf(notes)) - hidden < granted;
  return pass.cutsPages && isNearEnd ? 'rows are left out of pages' : 'nothing is shown beyond an offset';
}

/**
 * True if the server has returned its first page often enough at other offsets. A pass does not spend its budget on that: the page may
 * be a whole list, however long.
 */
export function repeatsFirstPage(first: FirstPage | null, { notes, idle }: Pass): boolean {
  if (first === null || first.count < 2 || idle < MAX_REPEATS) return false;
  const late = lateOf(notes);
  return late.length >= MAX_REPEATS && areFirst(late, first);
}

const lateOf = (notes: readonly PageNote[]): readonly PageNote[] => notes.filter(({ offset }) => offset > 0);

function totalsOf(notes: readonly PageNote[]): readonly number[] {
  return notes.flatMap(({ total }) => (total === undefined ? [] : [total]));
}

/** True if pages show the first page, or as much of it as was requested, and not only past its end, where some servers do. */
function areFirst(pages: readonly PageNote[], { first, count: most }: FirstPage): boolean {
  const isFirst = ({ first: row, count, limit }: PageNote): boolean =>
    row === first && (count === most || count === Math.min(most, limit));
  return pages.every(isFirst) && pages.some(({ offset }) => offset < most);
}

/**
 * True if the latest pages have shown the end of the list again and again, and new rows only there; or, of a list at rest that states a total,
 * nothing but covered rows.
 */
function hasEnded(notes: readonly PageNote[]): boolean {
  const late = lateOf(notes);
  const showsNoMore = late.every(({ count, found, isTied, isRepeated, isEnd }) => {
    return isEnd || count === 0 || (found === 0 && (isTied || isRepeated));
  });
  const areCovered = totalsOf(late).length > 0 && late.filter(({ isTied }) => isTied).length > MIN_PAGES;
  const ends = late.filter(({ isEnd }) => isEnd).length;
  return showsNoMore && (ends > MIN_PAGES || (areCovered && isAtRest(notes)));
}

/** True if each offset that was requested again with the same limit showed the same, and several were: such a list does not change. */
function isAtRest(notes: readonly PageNote[]): boolean {
  const shown = new Map<string, PageNote>();
  let again = 0;
  for (const note of notes) {
    const place = `${note.offset} ${note.limit}`;
    const before = shown.get(place);
    shown.set(place, note);
    if (before === undefined) continue;
    again++;
    if (before.first !== note.first || before.count !== note.count || before.total !== note.total)
      return false;
  }
  return again >= MIN_PAGES;
}

/** True if pages have no covered row, or rows that were covered look new. */
function lookNew(late: readonly PageNote[]): boolean {
  const tied = late.filter(({ isTied, count }) => isTied && count > 1);
  return tied.length === 0 || tied.filter(({ found }) => found > 0).length >= MIN_PAGES;
}

/**
 * Returns the first offset below the total, or before the rows that were seen if there is none, at which the server shows nothing, or
 * always the same rows; null if there is none.
 */
function hiddenFrom({ notes, granted, reached }: Pass): number | null {
  const totals = totalsOf(notes);
  const stated = Math.max(0, ...totals);
  // less than a page may be missing while a list changes; one whose total stays does not move
  const emptyGap = new Set(totals).size === 1 ? 1 : granted;
  const hidden = lateOf(notes).filter(({ offset, count, isRefused, isRepeated, total = stated }) => {
    if (isRefused && totals.length === 0) return offset + 1 < reached;
    if (count === 0) return offset + emptyGap <= total;
    // in a list that moves, pages of two are repeated too
    return isRepeated && granted > 2 && offset + granted <= total;
  });
  const from = Math.min(...hidden.map(({ offset }) => offset));
  const isAlways = new Set(hidden.map(({ first }) => first)).size === 1;
  const showsMore = notes.some(({ found, offset }) => found > 0 && offset >= from);
  return hidden.length > MIN_PAGES && isAlways && !showsMore ? from : null;
}

/** True if a whole page is missing after the last row of a pass that was longer than a page. */
export function isCutOff({ reached, hidden, granted }: Pick<Pass, 'reached' | 'hidden' | 'granted'>) {
  return reached > granted && hidden >= granted;
}
