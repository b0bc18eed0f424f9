import type { Identity, IdentitySet } from './identities.ts';
import { PAGE } from '../limits.ts';
import { NO_EVIDENCE, isProven, weighed, weighedUntied } from './offset-end.ts';
import { NO_TRAIL, aimAt, followed, pagesInReach } from './offset-trail.ts';
import type { FetchOffsetPage, OffsetPage, WhyStrange } from './offset-page.ts';
import { createPageWindow } from './page-window.ts';
import type { Ahead } from './page-window.ts';
import { FAR, createScanGuard } from './scan-guard.ts';
import { firstPace, steppedBack, steppedOn } from './scan-pace.ts';

export interface ScanOptions<R> {
  readonly fetchPage: FetchOffsetPage<R>;
  readonly identify: (row: R) => Identity;
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** Where to begin, and the page there if it has been fetched already. */
  readonly start: number;
  readonly startPage: OffsetPage<R> | null;
  /** Rows of pages that are tied, or known to be covered before; the scan adds to it. */
  readonly covered: IdentitySet;
  readonly whyStrange: WhyStrange<R>;
  /** Ends the scan, and what is in flight with it. */
  readonly signal: AbortSignal;
}

/** A page that is tied to what is covered: no row that exists throughout can be missing up to its last row. */
export interface TiedPage<R> {
  readonly offset: number;
  readonly rows: readonly R[];
  readonly identities: readonly Identity[];
  /** Which of the rows were not covered before. */
  readonly fresh: readonly boolean[];
  readonly total: number | undefined;
}

interface NumberedPage<R> extends OffsetPage<R> {
  /** Which request of the scan it answers, in the order of asking. */
  readonly request: number;
}

/**
 * Scans an offset list that moves: newest first, rows inserted and deleted anywhere between any two requests
 * (API document 4.1).
 *
 * Neighbouring pages overlap, and a page counts only if it is at offset 0 or holds a row that is already covered
 * (it is tied): pages are contiguous slices, so no row that exists from start to end can lie between the two. Where
 * the tie is missing, rows vanished ahead, and the scan steps back, doubling, until there is one. What an untied page
 * shows is not used at all. A list that moves steadily is followed (`aimAt`); its end is proven, not guessed from a short
 * page (`weighed`); the number of answers is bounded by the rows found (`createScanGuard`).
 *
 * @throws what `createScanGuard` throws where the list cannot be read
 */
export async function* scanTiedPages<R>(options: ScanOptions<R>): AsyncGenerator<TiedPage<R>> {
  const { covered, identify } = options;
  const guard = createScanGuard(options.whyStrange);
  const deepest = 2 * options.concurrency;
  const { fetchNumbered, asked } = numbered(options.fetchPage);
  const window = createPageWindow(fetchNumbered, options.concurrency, options.signal);
  let given = options.startPage === null ? null : { ...options.startPage, request: 0 };
  let { start: offset } = options;
  let ahead: Ahead = null;
  let granted = 0;
  let mostBytes = 0;
  let total: number | undefined;
  let pace = firstPace(deepest);
  let trail = NO_TRAIL;
  let end = NO_EVIDENCE;
  /** The last covered row stood alone on the page before: if this one is empty, it is the last. */
  let isProving = false;
  try {
    for (;;) {
      const page: NumberedPage<R> = given ?? (await window.take(offset, ahead));
      given = null;
      if (isProving && page.rows.length === 0) return;
      const { rows, request } = page;
      const { length } = rows;
      total = page.total ?? total;
      mostBytes = Math.max(mostBytes, page.bytes);
      const identities = rows.map(identify);
      const behind = identities.findLastIndex((identity) => covered.has(identity)) + 1;
      const isTied = offset === 0 || behind > 0;
      const isUnknownHead = offset === 0 && behind === 0 && covered.size() > 0;
      const isNews = isTied && behind < length;
      const isProgress = isNews && !isUnknownHead;
      granted = Math.max(granted, isTied ? length : 0);
      const found = isProgress ? length - behind : 0;
      if (guard.isDoubtful({ offset, rows, identities, found, isUnknownHead, granted }))
        guard.far((await window.take(offset * FAR, null)).rows.map(identify));
      if (!isTied) {
        end = weighedUntied(end, length === 0, pace.stepBack === 0);
        pace = steppedBack(pace, granted);
        [offset, ahead, isProving] = [Math.max(0, offset - pace.stepBack), null, false];
        continue;
      }
      const fresh = identities.map((identity) => covered.add(identity));
      yield { offset, rows, identities, fresh, total: page.total };
      end = weighed(end, { offset, identities, total: page.total, isNews }, granted);
      if (isProven(end)) return;
      const showsEnd = isNews || length < granted || pace.stepBack > 0;
      trail = followed(trail, { offset, request, identities, showsEnd });
      pace = steppedOn(pace, isProgress, isUnknownHead ? length : 0, deepest);
      isProving = !isNews && length <= 1;
      if (isProving) {
        [offset, ahead] = [offset + length, null];
        continue;
      }
      const back = isNews ? Math.min(pace.overlap, length) : 1;
      // what may be the end is looked at from its last row on: a page that is cut short could end there again and again
      const slack = end.weight > 0 ? 0 : granted >> 2;
      const aim = (at: number): number => aimAt(trail, at, back, slack);
      const next = aim(request + 1);
      const stride = granted - pace.overlap + next - (trail.end - back);
      const most = Math.min(
        pace.depth,
        pagesInReach(trail, stride),
        Math.floor(PAGE.mostAheadBytes / mostBytes),
      );
      ahead = isProgress && stride > 0 ? { stride, end: total ?? Number.POSITIVE_INFINITY, most } : null;
      // what has been asked for ahead was asked for in time; else the list moves on with every request that was
      offset = window.next() === next ? next : aim(asked() + 1);
    }
  } finally {
    window.close();
  }
}

/** Numbers the requests in the order of asking. */
function numbered<R>(fetchPage: FetchOffsetPage<R>): {
  readonly fetchNumbered: (offset: number, signal: AbortSignal) => Promise<NumberedPage<R>>;
  readonly asked: () => number;
} {
  let asked = 0;
  return {
    fetchNumbered: async (offset, signal) => {
      const request = ++asked;
      return { ...(await fetchPage(offset, signal)), request };
    },
    asked: () => asked,
  };
}
