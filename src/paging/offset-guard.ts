import { isDeepStrictEqual } from 'node:util';

import { configError, transientError } from '../errors.ts';
import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';
import type { PageWindow, ScannedList } from './offset-pages.ts';

/** Answers that may bring nothing, and answers for each page that the rows found would fill. */
const ANSWERS = { spare: 100, perPage: 16 };
/** Times that the head may show no row that is known; and where rows may be strange to themselves. */
const UNKNOWN_HEADS = { most: 16, ofStrangers: 3 };
/** How many times as far is looked where rows may be repeated at any offset. */
const FAR = 100;
/** Answers in a row without a new row after which that is looked at, and after which it is where two are equal. */
const PROBED_AFTER = { any: new Set([8, 32]), equal: 4 };
/** Offsets below the total that show nothing, with no new row between them, after which the server limits the list. */
const MAX_CONTRADICTIONS = 2;
/** Rows by which a total is at least too large then: smaller differences come from a list that moves. */
const MIN_GAP = 10;

const SINGLE_ROWS =
  'the server grants pages of a single row, which cannot be tied to one another; ask for its page size to be raised.';
const ONE_PAGE =
  'the server shows the first page whatever the offset, so no later page can be read. Check base_url ' +
  'and what stands between (a proxy may drop the query); else whoever runs the API has to fix it.';
const unstable = (answers: number): string =>
  `the list changes faster than it can be read: ${answers} answers did not reach its end. Try again at a quieter ` +
  'time, or with a larger page_size.';

/** What is said of a list that the server shows up to an offset only. */
export function limitWords(offset: number, total: number): string {
  const contrary = total > offset ? `it states ${total} rows` : 'the page before shows that rows follow';
  return (
    `the server shows nothing from offset ${offset} on, although ${contrary}: it limits how far the list can be ` +
    'read. Ask whoever runs the API to lift that limit. If totalCount counts something else than the rows of this list, ' +
    'set missing_rows to "warn".'
  );
}

/** True if at least a whole page, and not the only one, should follow where the server shows nothing. */
export function isLimit(end: number, total: number, granted: number): boolean {
  return end > granted && total - end >= Math.max(granted, MIN_GAP);
}

/**
 * Ends a scan that would not come to an end by itself, and knows answers that show nothing at their offset: empty ones,
 * refusals, and rows that the server repeats wherever there are no others. It is given each answer; only rows found after
 * covered ones are progress, neither a head that keeps growing nor rows that cannot be told apart. Returns true for an answer
 * that shows nothing.
 *
 * @throws (from the result) transient_error LIST_UNSTABLE if there are too many answers for what they bring, config_error
 * PAGES_UNUSABLE if rows cannot be known again or the offset is ignored, OFFSET_LIMITED if nothing is shown below the total
 */
export function createScanGuard<R>(list: ScannedList<R>, window: PageWindow<R>) {
  const { whyStrange, mayBeShort } = list;
  const { showsNothing, isEmptyAt } = createVoidDetector(list, window);
  const watch = createLimitWatch();
  let answers = 0;
  let foundInAll = 0;
  let unknownHeads = 0;
  let furthest = 0;
  /** Answers since the scan came further down the list than before. */
  let idle = 0;
  return async (page: SeenPage<R>, isAfterLast: boolean): Promise<boolean> => {
    const { offset, rows, found, isUnknownHead, granted } = page;
    const end = offset + rows.length;
    answers++;
    if (isUnknownHead) unknownHeads++;
    else foundInAll += found;
    idle = end > furthest ? 0 : idle + 1;
    furthest = Math.max(furthest, end);
    const isSuspect = idle > ANSWERS.spare || unknownHeads > UNKNOWN_HEADS.ofStrangers;
    const why = isSuspect ? whyStrange(rows) : null;
    if (why !== null) throw configError('PAGES_UNUSABLE', why);
    const isVoid = await showsNothing(page, isAfterLast);
    const limit = watch(page, isVoid);
    const pages = Math.ceil(foundInAll / Math.max(1, granted - 1));
    const isOver = answers > ANSWERS.spare + ANSWERS.perPage * pages || unknownHeads > UNKNOWN_HEADS.most;
    if (isOver && granted === 1) throw configError('PAGES_UNUSABLE', SINGLE_ROWS);
    const isLimited = limit.contradictions >= MAX_CONTRADICTIONS && !mayBeShort;
    if (isLimited || (isOver && limit.from < Infinity)) {
      const first = await firstEmpty(limit, isEmptyAt);
      // whatever the total: rows follow a full page, and yet nothing is shown where they stand
      const isCutOff = async (): Promise<boolean> =>
        (await window.take(first - 1, null)).rows.length >= granted && (await isEmptyAt(first));
      if (limit.contradictions > 0 || (await isCutOff()))
        throw configError('OFFSET_LIMITED', limitWords(first, limit.total));
    }
    if (isOver) throw transientError('LIST_UNSTABLE', unstable(answers), null);
    return isVoid;
  };
}

/** The first offset that shows nothing, after one that shows rows, up to one that does not. */
async function firstEmpty(
  { shown, from }: { readonly shown: number; readonly from: number },
  isEmptyAt: (offset: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [Math.min(shown, from - 1), from];
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (await isEmptyAt(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Knows answers that show nothing at their offset. Some servers answer offsets beyond the end with their first page, or with
 * their last one: the same rows at two offsets far apart are at neither of them.
 */
function createVoidDetector<R>({ identify }: Pick<ScannedList<R>, 'identify'>, window: PageWindow<R>) {
  let head: readonly Identity[] = [];
  let repeated: readonly Identity[] = [];
  /** The latest rows that brought nothing new, right after the last covered row and elsewhere. */
  const latest: Record<'afterLast' | 'elsewhere', readonly Identity[]> = { afterLast: [], elsewhere: [] };
  let barren = 0;
  const isShownAt = async (offset: number, identities: readonly Identity[]): Promise<boolean> => {
    const { rows } = await window.take(offset, null);
    return isDeepStrictEqual(rows.map(identify), identities);
  };
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
    // the list may have moved between the two answers, and be where it was again
    if (!isSuspect || !(await isShownAt(offset * FAR, identities)) || !(await isShownAt(offset, identities)))
      return false;
    repeated = identities;
    // the last of the first rows would stand alone there, if they were all
    const isHead = head.length > 1 && isDeepStrictEqual(identities, head);
    if (isHead && (await isShownAt(head.length - 1, head)) && (await isShownAt(0, head)))
      throw configError('PAGES_UNUSABLE', ONE_PAGE);
    return true;
  };
  const isEmptyAt = async (offset: number): Promise<boolean> => {
    const { rows } = await window.take(offset, null);
    return rows.length === 0 || isDeepStrictEqual(rows.map(identify), repeated);
  };
  return { showsNothing, isEmptyAt };
}

/** Counts the offsets that show nothing though the total is larger, since rows were found last. */
function createLimitWatch() {
  /** The last offset that brought rows, and the first one since then that shows none. */
  let [shown, from] = [0, Infinity];
  let total = 0;
  let contradictions = 0;
  /** Refusals state no total: they count once the answers before and after them state one that is larger. */
  let refusals: readonly number[] = [];
  return ({ offset, total: stated, found, granted }: SeenPage<unknown>, isVoid: boolean) => {
    const contradicts = (at: number): boolean => isLimit(at, stated ?? total, granted);
    if (found > 0) shown = Math.max(shown, offset);
    // new rows before the first offset that shows nothing say nothing about what lies from there on
    if (found > 0 && offset >= from) [from, contradictions] = [Infinity, 0];
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
