import { isDeepStrictEqual } from 'node:util';
import { configError, transientError } from '../errors.ts';
import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';
import type { PageWindow, ScannedList } from './offset-pages.ts';

/** Pages without new rows that are tolerated, and pages allowed per full page of rows found. */
const MAX_PAGES = { spare: 100, perPage: 16 };
/** Rows that may be found up to the furthest offset, since some are deleted: if there are more, the same rows seem new repeatedly. */
const MAX_FOUND = { perOffset: 1.25, spare: 50 };
/** How often offset 0 may show no known row, and how often before rows are checked for missing keys. */
const MAX_UNKNOWN_HEADS = { any: 16, unidentifiable: 3 };
/** Factor for a much larger offset, which shows whether the server returns the same rows at any offset. */
const FAR = 100;
/** Consecutive pages without progress after which such a probe is sent. */
const PROBE_EVERY = 4;
/** Empty offsets below the total, with no new rows in between, that prove that the server limits the list. */
const MAX_CONTRADICTIONS = 2;
/** Minimum number of missing rows for a limit: smaller gaps occur while a list changes. */
const MIN_GAP = 10;

const SINGLE_ROWS =
  "the server returns only one row per page, and such pages cannot overlap; ask the API's provider to allow larger pages.";
const ONE_PAGE =
  'the server returns the first page whatever the offset, so no later page can be read. Check base_url ' +
  "and any proxy on the way (it may drop the query); otherwise the API's provider must fix it.";
const unstable = (pages: number): string =>
  `the list changes faster than it can be read: ${pages} pages did not reach its end. Try again when there is less ` +
  'activity, or with a larger page_size.';

/** Returns the message about a list that the server returns only up to an offset. */
export function limitMessage(offset: number, total: number): string {
  const contrary = total > offset ? `it states ${total} rows` : 'the page before it is full';
  return (
    `the server returns no rows from offset ${offset} on, although ${contrary}: it limits how far the list can be ` +
    "read. Ask the API's provider to lift this limit. If totalCount counts something other than the rows of this list, " +
    'set missing_rows to "warn".'
  );
}

/** True if, after the first page, the total promises at least one more whole page. */
export function isLimit(end: number, total: number, granted: number): boolean {
  return end > granted && total - end >= Math.max(granted, MIN_GAP);
}

/**
 * Returns a function that must be called with every page, and returns true if there are no rows at its offset: if the page is empty,
 * refused, or repeats rows of another offset. It throws if the scan makes no progress: only rows after covered ones are progress.
 *
 * @throws (when the result is called) transient_error LIST_UNSTABLE if too many pages yield too few rows, config_error PAGES_UNUSABLE
 * if rows have no key or the offset is ignored, OFFSET_LIMITED if nothing is shown below the total
 */
export function createScanGuard<R>(list: ScannedList<R>, window: PageWindow<R>) {
  const { isVoidPage, isVoidAt } = createVoidDetector(list, window);
  const { watch, describeLimit } = createLimitDetector(window, isVoidAt);
  let pages = 0;
  let foundInAll = 0;
  let unknownHeads = 0;
  return async (page: SeenPage<R>): Promise<boolean> => {
    pages++;
    if (page.isUnknownHead) unknownHeads++;
    else foundInAll += page.found;
    const isVoid = await isVoidPage(page);
    const { furthest, contradictions } = watch(page, isVoid);
    const filled = Math.ceil(foundInAll / Math.max(1, page.granted - 1));
    const isRestless = unknownHeads > MAX_UNKNOWN_HEADS.any;
    const isOver = isRestless || pages > MAX_PAGES.spare + MAX_PAGES.perPage * filled;
    // rows that cannot be recognized seem new each time
    const isCrowded = foundInAll > MAX_FOUND.perOffset * furthest + MAX_FOUND.spare;
    const isSuspect = isOver || isCrowded || unknownHeads > MAX_UNKNOWN_HEADS.unidentifiable;
    const problem = isSuspect ? list.describeUnidentifiable(page.rows) : null;
    if (problem !== null) throw configError('PAGES_UNUSABLE', problem);
    // a list whose only row keeps changing is not limited by the server
    if (isOver && !isRestless && page.granted === 1) throw configError('PAGES_UNUSABLE', SINGLE_ROWS);
    const isLimited = contradictions >= MAX_CONTRADICTIONS && !list.mayBeShort;
    const limit = isLimited || isOver ? await describeLimit(page.granted) : null;
    if (limit !== null) throw configError('OFFSET_LIMITED', limit);
    if (isOver) throw transientError('LIST_UNSTABLE', unstable(pages), null);
    return isVoid;
  };
}

/**
 * Detects offsets without rows, even if the server returns its first or last page there: rows that are returned at two distant
 * offsets are at neither of them.
 */
function createVoidDetector<R>({ identify, describeUnidentifiable }: ScannedList<R>, window: PageWindow<R>) {
  let head: readonly Identity[] = [];
  let previous: readonly Identity[] = [];
  let barren = 0; // pages without progress since the last one that made some
  let repeatsPages = false; // true once the server has returned rows far past the end
  const identitiesAt = async (offset: number): Promise<readonly Identity[]> =>
    (await window.take(offset, null)).rows.map(identify);
  const hasNoKey = (row: R): boolean => describeUnidentifiable([row]) !== null;
  const isVoidAt = async (offset: number): Promise<boolean> => {
    const shown = await identitiesAt(offset);
    if (shown.length === 0 || !repeatsPages) return shown.length === 0;
    return isAligned(shown, await identitiesAt(offset * FAR));
  };
  const isVoidPage = async (page: SeenPage<R>): Promise<boolean> => {
    const { offset, identities, found } = page;
    // rows without a key whose text changes look new each time, among others that stay in place
    const mayRepeat = isAligned(identities, previous) && page.rows.slice(-found).every(hasNoKey);
    const isProgress = found > 0 && !mayRepeat;
    previous = identities;
    if (isProgress) barren = 0;
    if (offset === 0) head = identities;
    if (offset === 0 || identities.length === 0) return offset > 0;
    // the last row is alone at its own offset
    if (isProgress || (identities.length === 1 && head.length > 1)) return false;
    barren++;
    const isHead = identities[0] === head[0];
    if (!isHead && !repeatsPages && barren % PROBE_EVERY > 0) return false;
    const far = await identitiesAt(offset * FAR);
    repeatsPages = far.length > 0;
    // this offset is requested again: the list may have changed in between
    if (!isAligned(identities, far) || !isAligned(await identitiesAt(offset), far)) return false;
    // if the first page were the whole list, its last row would be alone at its own offset
    if (isHead && head.length > 1 && isDeepStrictEqual(await identitiesAt(head.length - 1), head))
      throw configError('PAGES_UNUSABLE', ONE_PAGE);
    return true;
  };
  return { isVoidPage, isVoidAt };
}

/** True if a row has the same place in both pages. */
function isAligned(page: readonly Identity[], other: readonly Identity[]): boolean {
  return page.some((identity, index) => identity === other[index]);
}

/** Detects a server that limits the list: it shows nothing from some offset on, although more rows follow. */
function createLimitDetector<R>(window: PageWindow<R>, isVoidAt: (offset: number) => Promise<boolean>) {
  let furthest = 0; // offset after the last row shown
  let shown = 0; // the last offset with new rows
  let from = Infinity; // the first offset since then that shows none
  let total = 0;
  let suspects: readonly number[] = []; // offsets since then that show none although the total was larger
  let contradictions = 0; // those of them at which the total is still larger
  /** Must be called with every page. */
  const watch = (page: SeenPage<R>, isVoid: boolean) => {
    const { offset, rows, total: stated, found, granted } = page;
    const isBelowTotal = (at: number): boolean => isLimit(at, total, granted);
    furthest = Math.max(furthest, offset + rows.length);
    total = stated ?? total;
    if (found > 0) shown = Math.max(shown, offset);
    // new rows before the first offset that shows nothing prove nothing about the rows from there on
    if (found > 0 && offset >= from) {
      from = Infinity;
      suspects = [];
    }
    if (isVoid) from = Math.min(from, offset);
    if (isVoid && isBelowTotal(offset)) suspects = [...suspects, offset];
    // refusals state no total, so they count only once the next page states one
    contradictions = stated === undefined ? 0 : suspects.filter(isBelowTotal).length;
    return { furthest, contradictions };
  };
  /** Describes the limit; returns null if there is none. */
  const describeLimit = async (granted: number): Promise<string | null> => {
    const first = from < Infinity ? await firstEmpty(shown, from, isVoidAt) : 0;
    if (contradictions > 0) return limitMessage(first, total);
    // whatever the total: rows should follow a full page, but the server returns none
    const isFull = first > 0 && (await window.take(first - 1, null)).rows.length >= granted;
    if (isFull && (await isVoidAt(first))) return limitMessage(first, total);
    // while the list moves, no tied page proves that nothing follows it
    const middle = furthest + Math.floor((total - furthest) / 2);
    const isLimited = total - furthest >= MIN_GAP && (await isVoidAt(middle));
    return isLimited ? limitMessage(furthest, total) : null;
  };
  return { watch, describeLimit };
}

/** Returns the first offset without rows, between `shown`, which has rows, and `from`, which has none (binary search). */
async function firstEmpty(shown: number, from: number, isVoidAt: (offset: number) => Promise<boolean>) {
  let low = Math.min(shown, from - 1);
  let high = from;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (await isVoidAt(middle)) high = middle;
    else low = middle;
  }
  return high;
}
