import type { PageNote, Pass } from './pass.ts';
import { mayShowMore } from './window.ts';

/** Minimum number of missing rows for a limit: smaller gaps occur while a list changes. */
const MIN_GAP = 10;
/** Pages that must agree. */
const MIN_PAGES = 3;
/** Pages without progress that are enough to see that the server always returns its first page: it may be a whole list, however long. */
const MAX_REPEATS = 8;
/** Pages without progress, and all pages: a fixed number, and more for each full page of rows found. */
const BUDGET = { idle: 64, spare: 100, perPage: 8 };

/** Why the end of a list was not reached. */
export type Cause =
  | 'the offset is ignored'
  | 'rows cannot be recognized'
  | 'one row per page'
  | 'offsets are multiples of small pages'
  | 'nothing is shown beyond an offset'
  | 'the list changes too fast';

/** The first page of a read. */
export interface FirstPage extends Pick<PageNote, 'first' | 'count' | 'limit'> {
  readonly hasCursor: boolean; // it has a `nextCursor`
}

/** The pages of a read so far. */
export interface Spent {
  pages: number; // of all passes
  found: number; // the most rows that a pass has covered
  granted: number; // rows of the largest page
  first: FirstPage | null;
  readonly read: { readonly limit: number }; // rows to request
}

/** Returns whether a read has taken too many pages for the rows that it has found. */
export function isSpent({ pages, found, granted, first }: Spent, pass: Pass): boolean {
  const { idle, log } = pass;
  const late = lateOf(log);
  const isWhole = idle >= MAX_REPEATS && late.length >= MIN_PAGES && showFirst(pass, first);
  const isOver = pages > BUDGET.spare + BUDGET.perPage * Math.ceil(found / Math.max(1, granted - 1));
  return isWhole || isOver || idle > BUDGET.idle;
}

/** True if no page can show two rows around the end of the covered ones, from where changes may have moved it by up to a page. */
function isStuck(pass: Pass, limit: number): boolean {
  const { isAligned, granted, lastEnd } = pass;
  const near = Array.from({ length: 2 * granted }, (_, index) => Math.max(1, lastEnd - granted + index));
  return isAligned && !near.every((offset) => mayShowMore({ ...pass, offset }, limit));
}

/** Returns why a pass cannot reach the end of a list; null if the page that the server always returns is the whole list. */
export function explain({ first, read: { limit } }: Spent, pass: Pass): Cause | null {
  const { log, idle, granted, hasSingles } = pass;
  const late = lateOf(log);
  if (isStuck(pass, limit)) return 'offsets are multiples of small pages';
  if (late.some(({ isKeyless }) => isKeyless) && lookNew(late)) return 'rows cannot be recognized';
  if (late.length >= MIN_PAGES && showFirst(pass, first)) {
    const isWhole = first?.count !== first?.limit && log.every(({ total }) => total === first?.count);
    return isWhole ? null : 'the offset is ignored';
  }
  const heads = new Set(log.filter(({ offset }) => offset === 0).map((page) => page.first));
  if (granted === 1 && hasSingles && heads.size <= 1) return 'one row per page';
  // a list whose total stays does not move, and its pages have shown nothing new for long
  const isAtRest = totalsOf(log).size === 1 && idle > MAX_REPEATS;
  const isLimited = hiddenFrom(log, granted) !== null || (isAtRest && isCutOff(pass));
  return isLimited ? 'nothing is shown beyond an offset' : 'the list changes too fast';
}

/** True if pages show no covered row, or rows that were covered look new. */
function lookNew(late: readonly PageNote[]): boolean {
  const tied = late.filter(({ isTied, count }) => isTied && count > 1);
  return tied.length === 0 || tied.some(({ found, isKeyless }) => found > 0 && isKeyless);
}

function totalsOf(log: readonly PageNote[]): ReadonlySet<number> {
  return new Set(log.flatMap(({ total }) => (total === undefined ? [] : [total])));
}

const lateOf = (log: readonly PageNote[]): readonly PageNote[] => log.filter(({ offset }) => offset > 0);

/** True if the latest pages show the first page of the list, and no page has shown more. */
function showFirst({ end, granted, log }: Pass, first: FirstPage | null): boolean {
  const isFirst = (page: PageNote): boolean => page.count === first?.count && page.first === first.first;
  // pages of a list that grows may look alike
  const isAtRest = totalsOf(log).size <= 1;
  return first !== null && first.count > 0 && isAtRest && end <= granted && lateOf(log).every(isFirst);
}

/** Returns the first offset below the total at which the server shows nothing, or always the same rows; null if there is none. */
export function hiddenFrom(log: readonly PageNote[], granted: number): number | null {
  const totals = totalsOf(log);
  const stated = Math.max(0, ...totals);
  const gap = Math.max(MIN_GAP, granted);
  const emptyGap = totals.size === 1 ? 1 : gap;
  const hidden = lateOf(log).filter(
    ({ offset, count, isStray, total = stated }) =>
      (count === 0 && offset + emptyGap <= total) || (isStray && offset + gap <= total),
  );
  const from = Math.min(...hidden.map(({ offset }) => offset));
  const isAlways = new Set(hidden.map(({ first }) => first)).size === 1;
  const showsMore = log.some(({ found, offset }) => found > 0 && offset >= from);
  return hidden.length > MIN_PAGES && isAlways && !showsMore ? from : null;
}

/**
 * True if a whole page is missing after the last row of a pass that was longer than a page: rows that were emitted and then deleted do not
 * make up for it.
 */
export function isCutOff({ end, minTotal, granted }: Pick<Pass, 'end' | 'minTotal' | 'granted'>): boolean {
  return minTotal < Infinity && end > granted && minTotal - end >= Math.max(granted, MIN_GAP);
}
