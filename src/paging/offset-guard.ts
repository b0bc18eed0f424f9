import { isDeepStrictEqual } from 'node:util';

import { configError, transientError } from '../errors.ts';
import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';
import type { PageWindow, ScannedList } from './offset-pages.ts';

/** Pages that may bring nothing, and pages allowed for each page that the rows found would fill. */
const MAX_PAGES = { spare: 100, perPage: 16 };
/** How often offset 0 may show no known row; and after how often rows may turn out to be unidentifiable. */
const MAX_UNKNOWN_HEADS = { any: 16, unidentifiable: 3 };
/** Factor by which the offset grows to see whether the server repeats rows at any offset. */
const FAR = 100;
/** Consecutive pages without a new row after which that is checked, and after which it is checked if two are equal. */
const PROBED_AFTER = { any: new Set([8, 32]), equal: 4 };
/** Offsets below the total that show nothing, without a new row in between, that prove that the server limits the list. */
const MAX_CONTRADICTIONS = 2;
/** Rows that must be missing for that: smaller differences come from a list that moves. */
const MIN_GAP = 10;

const SINGLE_ROWS =
  'the server returns only one row per page, and such pages cannot overlap; ask the API provider to allow larger pages.';
const ONE_PAGE =
  'the server returns the first page whatever the offset, so no later page can be read. Check base_url ' +
  'and any proxy on the way (it may drop the query); otherwise the API provider must fix it.';
const unstable = (pages: number): string =>
  `the list changes faster than it can be read: ${pages} pages did not reach its end. Try again when there is less ` +
  'activity, or with a larger page_size.';

/** Returns the message about a list that the server shows only up to an offset. */
export function limitMessage(offset: number, total: number): string {
  const contrary = total > offset ? `it states ${total} rows` : 'the page before it is full';
  return (
    `the server returns no rows from offset ${offset} on, although ${contrary}: it limits how far the list can be ` +
    'read. Ask the API provider to lift this limit. If totalCount counts something other than the rows of this list, ' +
    'set missing_rows to "warn".'
  );
}

/** True if at least a whole page, and not the only one, should follow where the server shows nothing. */
export function isLimit(end: number, total: number, granted: number): boolean {
  return end > granted && total - end >= Math.max(granted, MIN_GAP);
}

/**
 * Returns a function that must be called with every page, and returns true if the page shows nothing at its offset: if it is
 * empty, refused, or repeats rows of another offset. It ends a scan that makes no progress, which only rows after covered ones do.
 *
 * @throws (from the result) transient_error LIST_UNSTABLE if too many pages bring too little, config_error PAGES_UNUSABLE if
 * rows are unidentifiable or the offset is ignored, OFFSET_LIMITED if nothing is shown below the total
 */
export function createScanGuard<R>(list: ScannedList<R>, window: PageWindow<R>) {
  const { describeUnidentifiable, mayBeShort } = list;
  const { showsNothing, isEmptyAt } = createVoidDetector(list, window);
  const watch = createLimitWatch();
  let pages = 0;
  let foundInAll = 0;
  let unknownHeads = 0;
  let furthest = 0;
  let idle = 0; // pages since the scan last reached further down the list
  return async (page: SeenPage<R>, isAfterLast: boolean): Promise<boolean> => {
    const { offset, rows, found, isUnknownHead, granted } = page;
    const end = offset + rows.length;
    pages++;
    if (isUnknownHead) unknownHeads++;
    else foundInAll += found;
    idle = end > furthest ? 0 : idle + 1;
    furthest = Math.max(furthest, end);
    const isSuspect = idle > MAX_PAGES.spare || unknownHeads > MAX_UNKNOWN_HEADS.unidentifiable;
    const problem = isSuspect ? describeUnidentifiable(rows) : null;
    if (problem !== null) throw configError('PAGES_UNUSABLE', problem);
    const isVoid = await showsNothing(page, isAfterLast);
    const limit = watch(page, isVoid);
    const filled = Math.ceil(foundInAll / Math.max(1, granted - 1));
    const isOver =
      pages > MAX_PAGES.spare + MAX_PAGES.perPage * filled || unknownHeads > MAX_UNKNOWN_HEADS.any;
    if (isOver && granted === 1) throw configError('PAGES_UNUSABLE', SINGLE_ROWS);
    const isLimited = limit.contradictions >= MAX_CONTRADICTIONS && !mayBeShort;
    if (isLimited || (isOver && limit.from < Infinity)) {
      const first = await firstEmpty(limit, isEmptyAt);
      // whatever the total: rows follow a full page, and yet nothing is shown where they should be
      const isCutOff = async (): Promise<boolean> =>
        (await window.take(first - 1, null)).rows.length >= granted && (await isEmptyAt(first));
      if (limit.contradictions > 0 || (await isCutOff()))
        throw configError('OFFSET_LIMITED', limitMessage(first, limit.total));
    }
    if (isOver) throw transientError('LIST_UNSTABLE', unstable(pages), null);
    return isVoid;
  };
}

/** Returns the first offset that shows nothing: after `shown`, which shows rows, and not after `from`, which shows none. */
async function firstEmpty(
  { shown, from }: { readonly shown: number; readonly from: number },
  isEmptyAt: (offset: number) => Promise<boolean>,
): Promise<number> {
  let low = Math.min(shown, from - 1);
  let high = from;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (await isEmptyAt(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Detects pages that show nothing at their offset. Some servers answer offsets beyond the end with their first or their last
 * page: rows that are shown at two offsets far apart are at neither of them.
 */
function createVoidDetector<R>({ identify }: Pick<ScannedList<R>, 'identify'>, window: PageWindow<R>) {
  let head: readonly Identity[] = [];
  let repeated: readonly Identity[] = [];
  /** The latest pages that brought nothing new, right after the last covered row and elsewhere. */
  const latest: Record<'afterLast' | 'elsewhere', readonly Identity[]> = { afterLast: [], elsewhere: [] };
  let barren = 0;
  const identitiesAt = async (offset: number): Promise<readonly Identity[]> =>
    (await window.take(offset, null)).rows.map(identify);
  const isShownAt = async (offset: number, identities: readonly Identity[]): Promise<boolean> =>
    isDeepStrictEqual(await identitiesAt(offset), identities);
  const showsNothing = async (page: SeenPage<R>, isAfterLast: boolean): Promise<boolean> => {
    const { offset, identities, found } = page;
    barren = found > 0 ? 0 : barren + 1;
    if (offset === 0) head = identities;
    if (offset === 0 || identities.length === 0) return offset > 0;
    if (found > 0 || (identities.length === 1 && head.length > 1)) return false;
    const where = isAfterLast ? 'afterLast' : 'elsewhere';
    const known = [head, repeated, ...(barren >= PROBED_AFTER.equal ? [latest[where]] : [])];
    const isSuspect =
      known.some((rows) => isDeepStrictEqual(rows, identities)) || PROBED_AFTER.any.has(barren);
    latest[where] = identities;
    // asked twice: the list may have moved between two answers, and back again
    if (!isSuspect || !(await isShownAt(offset * FAR, identities)) || !(await isShownAt(offset, identities)))
      return false;
    repeated = identities;
    // if the first page were the whole list, its last row would be alone at its own offset
    const isHead = head.length > 1 && isDeepStrictEqual(identities, head);
    if (isHead && (await isShownAt(head.length - 1, head)) && (await isShownAt(0, head)))
      throw configError('PAGES_UNUSABLE', ONE_PAGE);
    return true;
  };
  const isEmptyAt = async (offset: number): Promise<boolean> => {
    const shown = await identitiesAt(offset);
    return shown.length === 0 || isDeepStrictEqual(shown, repeated);
  };
  return { showsNothing, isEmptyAt };
}

/** Counts the offsets that show nothing although the total is larger, since new rows were last found. */
function createLimitWatch() {
  let shown = 0; // the last offset that brought rows
  let from = Infinity; // the first one since then that shows none
  let total = 0;
  let contradictions = 0;
  /** Refusals state no total: they count once the pages before and after them state one that is larger. */
  let refusals: readonly number[] = [];
  return ({ offset, total: stated, found, granted }: SeenPage<unknown>, isVoid: boolean) => {
    const contradicts = (at: number): boolean => isLimit(at, stated ?? total, granted);
    if (found > 0) shown = Math.max(shown, offset);
    // new rows before the first offset that shows nothing prove nothing about the rows from there on
    if (found > 0 && offset >= from) {
      from = Infinity;
      contradictions = 0;
    }
    if (isVoid) from = Math.min(from, offset);
    if (isVoid && stated === undefined) refusals = contradicts(offset) ? [...refusals, offset] : refusals;
    else {
      contradictions += refusals.filter(contradicts).length;
      if (isVoid && contradicts(offset)) contradictions++;
      refusals = [];
    }
    total = stated ?? total;
    return { shown, from, total, contradictions };
  };
}
