import { isDeepStrictEqual } from 'node:util';
import { configError, transientError } from '../errors.ts';
import type { Identity } from './identities.ts';
import type { SeenPage } from './offset-course.ts';
import type { PageWindow, ScannedList } from './offset-pages.ts';

/** Pages without new rows that are tolerated, and pages allowed per full page of rows found. */
const MAX_PAGES = { spare: 100, perPage: 16 };
/** How often offset 0 may show no known row, and how often before rows are checked for missing keys. */
const MAX_UNKNOWN_HEADS = { any: 16, unidentifiable: 3 };
/** Factor for a much larger offset, which shows whether the server returns the same rows at any offset. */
const FAR = 100;
/**
 * Consecutive pages without a new row before a probe: in any case, if two are equal, and if they show rows of the head. `moved`: pages
 * with new rows in which a known one has moved with the offset.
 */
const PROBED_AFTER = { any: new Set([8, 32]), equal: 4, head: 4, moved: 4 };
/** Consecutive pages that a far offset repeats, beyond which rows without a key are the cause. */
const MAX_REPEATED = 3;
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
  const { describeUnidentifiable, mayBeShort } = list;
  const { showsNothing, isEmptyAt } = createVoidDetector(list, window);
  const isRepeat = createRepeatDetector(list, window);
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
    const filled = Math.ceil(foundInAll / Math.max(1, granted - 1));
    const isRestless = unknownHeads > MAX_UNKNOWN_HEADS.any;
    const isOver = isRestless || pages > MAX_PAGES.spare + MAX_PAGES.perPage * filled;
    const isLost = isOver || idle > MAX_PAGES.spare;
    const isSuspect = (await isRepeat(page)) || isLost || unknownHeads > MAX_UNKNOWN_HEADS.unidentifiable;
    const problem = isSuspect ? describeUnidentifiable(rows) : null;
    if (problem !== null) throw configError('PAGES_UNUSABLE', problem);
    const isVoid = await showsNothing(page, isAfterLast);
    const limit = watch(page, isVoid);
    // a list of one row that is always another one is not a limit of the server
    if (isOver && !isRestless && granted === 1) throw configError('PAGES_UNUSABLE', SINGLE_ROWS);
    const isLimited = limit.contradictions >= MAX_CONTRADICTIONS && !mayBeShort;
    if (isLimited || isOver) {
      const from = await firstHidden({ ...limit, furthest, granted }, window, isEmptyAt);
      if (from !== null) throw configError('OFFSET_LIMITED', limitMessage(from, limit.total));
    }
    if (isOver) throw transientError('LIST_UNSTABLE', unstable(pages), null);
    return isVoid;
  };
}

interface SuspectedLimit extends ReturnType<ReturnType<typeof createLimitWatch>> {
  readonly furthest: number; // offset after the last row shown
  readonly granted: number;
}

/** Returns the first offset from which the server shows nothing although rows should follow; null if there is none. */
async function firstHidden<R>(
  { shown, from, total, contradictions, furthest, granted }: SuspectedLimit,
  window: PageWindow<R>,
  isEmptyAt: (offset: number) => Promise<boolean>,
): Promise<number | null> {
  if (from < Infinity) {
    const first = await firstEmpty({ shown, from }, isEmptyAt);
    if (contradictions > 0) return first;
    // whatever the total: rows should follow a full page, but the server returns none
    const isFull = (await window.take(first - 1, null)).rows.length >= granted;
    if (isFull && (await isEmptyAt(first))) return first;
  }
  // while the list moves, no tied page proves that nothing follows it
  const middle = furthest + Math.floor((total - furthest) / 2);
  return total - furthest >= MIN_GAP && (await isEmptyAt(middle)) ? furthest : null;
}

/** Returns the first offset without rows, between `shown`, which has rows, and `from`, which has none (binary search). */
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
 * Detects offsets without rows, even if the server returns its first or last page there: rows that are returned at two distant
 * offsets are at neither of them.
 */
function createVoidDetector<R>({ identify }: Pick<ScannedList<R>, 'identify'>, window: PageWindow<R>) {
  let head: readonly Identity[] = [];
  let repeated: Identity | undefined; // first row of the latest page that is shown at any offset
  /** The first rows of the latest pages without a new row, right after the last covered row and elsewhere. */
  const latest: { afterLast?: Identity; elsewhere?: Identity } = {};
  let barren = 0;
  const identitiesAt = async (offset: number): Promise<readonly Identity[]> =>
    (await window.take(offset, null)).rows.map(identify);
  const isShownAt = async (offset: number, identities: readonly Identity[]): Promise<boolean> =>
    isDeepStrictEqual(await identitiesAt(offset), identities);
  const firstPage = createHeadDetector(identitiesAt);
  const firstAt = async (offset: number): Promise<Identity | undefined> => (await identitiesAt(offset))[0];
  const showsNothing = async (page: SeenPage<R>, isAfterLast: boolean): Promise<boolean> => {
    const { offset, identities, found } = page;
    barren = found > 0 ? 0 : barren + 1;
    if (offset === 0) {
      head = identities;
      firstPage.note(identities);
      return false;
    }
    if (identities.length === 0) return true;
    if (found > 0 || (identities.length === 1 && head.length > 1)) return false;
    const where = isAfterLast ? 'afterLast' : 'elsewhere';
    // pages with the same first row count as equal: either may be cut short
    const [first = -1] = identities;
    const isEqual = barren >= PROBED_AFTER.equal && latest[where] === first;
    const isSuspect = [head[0], repeated].includes(first) || isEqual || PROBED_AFTER.any.has(barren);
    latest[where] = first;
    // this offset is requested again: the list may have changed in between
    if (!isSuspect || (await firstAt(offset * FAR)) !== first || (await firstAt(offset)) !== first)
      return firstPage.isShown(page, barren);
    repeated = first;
    // if the first page were the whole list, its last row would be alone at its own offset
    const isHead = head.length > 1 && isDeepStrictEqual(identities, head);
    if (isHead && (await isShownAt(head.length - 1, head)) && (await isShownAt(0, head)))
      throw configError('PAGES_UNUSABLE', ONE_PAGE);
    return true;
  };
  const isEmptyAt = async (offset: number): Promise<boolean> => {
    const first = await firstAt(offset);
    return first === undefined || first === repeated;
  };
  return { showsNothing, isEmptyAt };
}

/**
 * Detects a first page that is returned far down a growing list: rows inserted since then make it differ from the one read
 * before.
 */
function createHeadDetector(identitiesAt: (offset: number) => Promise<readonly Identity[]>) {
  const known = new Set<Identity>(); // rows of first pages, and of pages that seem to be one
  let repeatsPages = true; // until a page far past the end is empty
  const note = (identities: readonly Identity[]): void => {
    for (const row of identities) known.add(row);
  };
  const isShown = async (page: SeenPage<unknown>, barren: number): Promise<boolean> => {
    const { offset, identities, granted } = page;
    if (offset < 2 * granted || !isShared(identities, known)) return false;
    note(identities);
    // checked rarely: if the rows really moved this far, each request moves the list again
    if (barren < PROBED_AFTER.head || !repeatsPages) return false;
    const far = new Set(await identitiesAt(offset * FAR));
    repeatsPages = far.size > 0;
    return isShared(identities, far) && isShared(await identitiesAt(0), far);
  };
  return { note, isShown };
}

/**
 * Detects that the server returns the same page at any offset, although some of its rows look new in each response: those that have no
 * key, and whose text changes. Known rows then move with the offset, and are shown far down the list as well.
 */
function createRepeatDetector<R>({ identify }: Pick<ScannedList<R>, 'identify'>, window: PageWindow<R>) {
  let previous: Pick<SeenPage<unknown>, 'offset' | 'identities'> = { offset: 0, identities: [] };
  let moved = 0; // pages in which a known row has moved, since the last negative probe
  let repeated = 0; // consecutive positive probes: a single one may just be the last page of the list
  return async ({ offset, identities, found, granted }: SeenPage<R>): Promise<boolean> => {
    const last = identities.length - found - 1; // index of the last row that is not new
    const before = previous.identities.lastIndexOf(identities[last] ?? -1);
    // a row that stays where it is comes earlier in a page that starts further down
    const hasMoved = found > 0 && offset > previous.offset && before !== -1 && before <= last;
    if (found > 0) previous = { offset, identities };
    if (!hasMoved || offset < 2 * granted) return false;
    moved++;
    if (moved < PROBED_AFTER.moved) return false;
    const far = await window.take(offset * FAR, null);
    const isShown = isShared(identities, new Set(far.rows.map(identify)));
    repeated = isShown ? repeated + 1 : 0;
    if (!isShown) moved = 0;
    return repeated >= MAX_REPEATED;
  };
}

function isShared(some: readonly Identity[], others: ReadonlySet<Identity>): boolean {
  return some.some((row) => others.has(row));
}

/** Counts offsets below the total without rows since the last new row was found. */
function createLimitWatch() {
  let shown = 0; // the last offset with new rows
  let from = Infinity; // the first one since then that shows none
  let total = 0;
  let contradictions = 0;
  /** Refusals state no total, so they count only once the pages before and after them state a larger one. */
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
