import { isDeepStrictEqual } from 'node:util';

import { configError, transientError } from '../errors.ts';
import type { Identity, IdentitySet } from './identities.ts';
import { START, aim, movedOn, steppedBack } from './offset-course.ts';
import type { SeenPage } from './offset-course.ts';
import { createPageWindow } from './offset-pages.ts';
import type { AskedPage, FetchOffsetPage, PageWindow } from './offset-pages.ts';

export interface ScannedList<R> {
  readonly fetchPage: FetchOffsetPage<R>;
  readonly identify: (row: R) => Identity;
  readonly concurrency: number;
  readonly maxAheadBytes: number; // of pages asked for ahead, as far as the pages so far show how large they are
  /** Why rows cannot be known again in another answer, in words for a person; null if they can. */
  readonly whyStrange: (rows: readonly R[]) => string | null;
  readonly signal: AbortSignal;
}

/** A page that is tied to what is covered: no row that exists throughout can be missing up to its last row. */
export interface TiedPage<R> extends SeenPage<R> {
  /** Which of the rows were not covered before. */
  readonly fresh: readonly boolean[];
}

/**
 * Scans an offset list that moves: newest first, rows inserted and deleted anywhere between any two requests.
 *
 * Neighbouring pages overlap, and a page counts only if it is tied: it is at offset 0 or holds a row that is `covered`, by a
 * tied page or before the scan. Pages are contiguous slices, so no row that exists from start to end can lie between the two.
 * Where the tie is missing, rows vanished ahead: the page is not used, and the scan steps back, doubling, until there is one.
 *
 * @throws what `fetchPage` throws, and what `createScanGuard` throws where the list cannot be read
 */
export async function* scanTiedPages<R>(
  list: ScannedList<R>,
  start: AskedPage<R> | null,
  covered: IdentitySet,
): AsyncGenerator<TiedPage<R>> {
  const window = createPageWindow(list.fetchPage, list.concurrency, list.signal);
  const check = createScanGuard(list, window);
  let course = START;
  let end = NO_EVIDENCE;
  let granted = 0;
  let mostBytes = 0;
  try {
    let page = start ?? (await window.take(0, null));
    for (;;) {
      const { offset, rows } = page;
      const { length } = rows;
      mostBytes = Math.max(mostBytes, page.bytes);
      const identities = rows.map(list.identify);
      const behind = identities.findLastIndex((identity) => covered.has(identity)) + 1;
      const isTied = offset === 0 || behind > 0;
      const isUnknownHead = offset === 0 && behind === 0 && covered.size() > 0;
      if (isTied) granted = Math.max(granted, length);
      const seen = { ...page, identities, found: isTied ? length - behind : 0, isUnknownHead, granted };
      await check(seen);
      if (!isTied) {
        // an empty page lies behind the end, and counts once however far the scan steps back; on others are rows not covered
        end = { ...end, weight: length > 0 ? 0 : end.weight + (course.stepBack === 0 ? WEAK : 0) };
        course = steppedBack(course, granted);
        page = await window.take(Math.max(0, offset - course.stepBack), null);
        continue;
      }
      yield { ...seen, fresh: identities.map((identity) => covered.add(identity)) };
      end = weighed(end, seen);
      if (end.weight >= PROOF) return;
      course = movedOn(course, seen);
      const isAlone = seen.found === 0 && length <= 1;
      // where it may be the end, its last row is aimed at: a page that is cut short could end there again and again
      const slack = end.weight > 0 ? 0 : granted >> 2;
      const most = Math.min(2 * list.concurrency, list.maxAheadBytes / mostBytes);
      const next = aim(course, seen, { most, slack }, window);
      page = await (isAlone ? window.take(offset + length, null) : window.take(next.offset, next.ahead));
      if (isAlone && page.rows.length === 0) return;
    }
  } finally {
    window.close();
  }
}

/** What the answers so far say about the end of the list. */
const NO_EVIDENCE = {
  /** How sure it is that nothing lies behind the last covered row. */
  weight: 0,
  /** Last row of the tied page before this one, and how many rows that page had. */
  last: null as Identity | null,
  length: 0,
  /** The server has sent a page short though more rows were behind it. */
  cutsPages: false,
  /** The server has told of rows that it did not show, so that its total is more than a count of what it shows. */
  tellsOfMore: false,
};

/** The end is proven: by three strong answers in a row, or six weak ones. */
const PROOF = 6;
const STRONG = 2;
const WEAK = 1;

/**
 * Lemma: a tied page with no row behind a covered one shows the end of the list, if no row was behind the page then: pages
 * are contiguous slices. Whether any was can only be told by how the page ends, and one answer may deceive:
 *
 * - a page as long as the server grants says nothing by its length;
 * - one that was cut short shows two rows at least, if there are two: a covered row alone is the last (strong);
 * - a total that agrees may do so by chance, but not about the same row each time (strong, if totals mean something); one
 *   that lags behind a list that grows as fast as the scan goes on does, on full pages (strong only once);
 * - empty, or short and ending in the same row again (weak), as long as the server was never seen to cut a page.
 *
 * Several in a row about a list that moves do not: rows behind the end of the one before refute it, and all begins again.
 * A row alone is enough where the total agrees, or where the next page is empty.
 */
function weighed(before: typeof NO_EVIDENCE, page: SeenPage<unknown>): typeof NO_EVIDENCE {
  const { offset, identities, total, found, granted } = page;
  const { length } = identities;
  const at = before.last === null ? -1 : identities.indexOf(before.last);
  const goesOn = at !== -1 && at < length - 1;
  const isShort = length < granted;
  const cutsPages = before.cutsPages || (goesOn && before.length < granted);
  const tellsOfMore = before.tellsOfMore || (total ?? 0) > offset + length;
  const agrees = total === offset + length;
  const last = identities.at(-1) ?? before.last;
  const weigh = (): number => {
    if (found > 0 || goesOn) return 0;
    if (length <= 1 && agrees) return PROOF;
    if (length === 1 && isShort) return before.weight + STRONG;
    if (agrees && tellsOfMore && last !== before.last) return STRONG;
    if (agrees && tellsOfMore) return before.weight + (isShort ? STRONG : 0);
    return before.weight + (at !== -1 && isShort && !cutsPages ? WEAK : 0);
  };
  return { weight: weigh(), last, length, cutsPages, tellsOfMore };
}

/** Answers that may bring nothing, and answers for each page that the rows found would fill. */
const ANSWERS = { spare: 100, perPage: 16 };
/** Times that the head may show no row that is known; and where rows may be strange to themselves. */
const UNKNOWN_HEADS = { most: 16, ofStrangers: 3 };
/** How many times as far is looked where the first page comes again further on. */
const FAR = 100;

const SINGLE_ROWS =
  'the server grants pages of a single row, which cannot be tied to one another; ask for its page size to be raised.';
const ONE_PAGE =
  'the server shows the first page whatever the offset, so that nothing behind it can be read. Check base_url ' +
  'and what stands between (a proxy may drop the query); else whoever runs the API has to fix it.';
const unstable = (answers: number): string =>
  `the list changes faster than it can be read: ${answers} answers did not reach its end. Try again at a quieter ` +
  'time, or with a larger page_size.';

/**
 * Ends a scan that would not come to an end by itself. It is told of each answer; only rows found behind covered ones are
 * progress, neither a head that keeps growing nor rows that cannot be told apart.
 *
 * @throws (from the result) transient_error LIST_UNSTABLE if there are too many answers for what they bring, config_error
 * PAGES_UNUSABLE if rows cannot be known again, or the offset is ignored
 */
function createScanGuard<R>({ identify, whyStrange }: ScannedList<R>, window: PageWindow<R>) {
  let head: readonly Identity[] = [];
  let answers = 0;
  let foundInAll = 0;
  let unknownHeads = 0;
  let furthest = 0;
  /** Answers since the scan came further down the list than before. */
  let idle = 0;
  return async ({ offset, rows, identities, found, isUnknownHead, granted }: SeenPage<R>): Promise<void> => {
    const end = offset + rows.length;
    answers++;
    if (isUnknownHead) unknownHeads++;
    else foundInAll += found;
    if (end > furthest) [furthest, idle] = [end, 0];
    else idle++;
    const isSuspect = idle > ANSWERS.spare || unknownHeads > UNKNOWN_HEADS.ofStrangers;
    const why = isSuspect ? whyStrange(rows) : null;
    if (why !== null) throw configError('PAGES_UNUSABLE', why);
    const pages = Math.ceil(foundInAll / Math.max(1, granted - 1));
    if (answers > ANSWERS.spare + ANSWERS.perPage * pages || unknownHeads > UNKNOWN_HEADS.most) {
      if (granted === 1) throw configError('PAGES_UNUSABLE', SINGLE_ROWS);
      throw transientError('LIST_UNSTABLE', unstable(answers), null);
    }
    if (offset === 0) head = identities;
    else if (end > offset && isDeepStrictEqual(identities, head)) {
      const far = await window.take(offset * FAR, null);
      if (isDeepStrictEqual(far.rows.map(identify), head)) throw configError('PAGES_UNUSABLE', ONE_PAGE);
    }
  };
}
