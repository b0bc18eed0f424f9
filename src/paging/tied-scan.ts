import { transientError } from '../errors.ts';
import type { Identity } from './identities.ts';
import type { IdentitySet } from './identity-set.ts';
import { createPageWindow } from './page-window.ts';

/** A page of an offset list as paging sees it. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  /** `totalCount` where it is a count; a hint and a witness, never the guide (API document 2.6). */
  readonly total: number | undefined;
}

export type FetchOffsetPage<R> = (offset: number, signal: AbortSignal) => Promise<OffsetPage<R>>;

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

/** Requests that may be spent beyond what the rows need, four times over, before the list counts as too restless. */
const SPARE_REQUESTS = 50;
/** Tied pages in a row after which a widened overlap is narrowed again. */
const CALM_PAGES = 8;

/**
 * Scans an offset list that moves: newest first, rows inserted and deleted anywhere between any two requests
 * (API document 4.1).
 *
 * Neighbouring pages overlap, and a page counts only if it is at offset 0 or holds a row that is already covered
 * (it is tied): pages are contiguous slices, so no row that exists from start to end can lie between the two. Where
 * the tie is missing, rows vanished ahead, and the scan steps back, doubling, until there is one. What an untied page
 * shows is not used at all. The end is proven, not guessed from a short page: a tied page on which the last covered row
 * is the last row, and either `totalCount` in the same answer agrees or the next offset is empty.
 *
 * @throws transient_error LIST_UNSTABLE if the list changes faster than it can be read
 */
export async function* scanTiedPages<R>(options: ScanOptions<R>): AsyncGenerator<TiedPage<R>> {
  const { covered, identify } = options;
  const window = createPageWindow(options.fetchPage, options.concurrency, options.signal);
  let offset = options.start;
  let granted = 0;
  let overlap = 1;
  let stepBack = 0;
  let calm = 0;
  let requests = 0;
  let proving = false;
  let given = options.startPage;
  let total: number | undefined;
  try {
    for (;;) {
      if (++requests > SPARE_REQUESTS + 4 * pagesFor(covered.size(), granted - overlap))
        throw restless(requests, granted);
      const stride = granted - overlap;
      const ahead = stride > 0 && !proving ? { stride, end: total ?? Number.POSITIVE_INFINITY } : null;
      const page = given ?? (await window.take(offset, ahead));
      given = null;
      total = page.total ?? total;
      if (proving && page.rows.length === 0) return;
      proving = false;
      const identities = page.rows.map(identify);
      if (offset > 0 && !identities.some((identity) => covered.has(identity))) {
        stepBack = Math.max(stepBack * 2, overlap);
        overlap = Math.min(Math.max(1, granted >> 1), overlap * 2);
        calm = 0;
        offset = Math.max(0, offset - stepBack);
        continue;
      }
      stepBack = 0;
      if (++calm % CALM_PAGES === 0) overlap = Math.max(1, overlap >> 1);
      granted = Math.max(granted, identities.length);
      const fresh = identities.map((identity) => covered.add(identity));
      yield { offset, rows: page.rows, identities, fresh, total: page.total };
      const found = fresh.includes(true);
      const behind = offset + identities.length;
      if (!found && identities.length <= 1) {
        if (page.total === behind) return;
        proving = true;
        offset = behind;
      } else {
        // advance by rows received, never by rows asked for: the server may grant fewer
        offset = behind - Math.max(1, found ? Math.min(overlap, identities.length - 1) : 1);
      }
    }
  } finally {
    window.close();
  }
}

function pagesFor(rows: number, stride: number): number {
  return Math.ceil(rows / Math.max(1, stride));
}

function restless(requests: number, granted: number): Error {
  return transientError(
    'LIST_UNSTABLE',
    granted === 1
      ? 'the server grants pages of a single row, which cannot be tied to one another; ask for its page size to be raised.'
      : `the list changes faster than it can be read: ${requests} requests did not reach its end. Try again at a quieter ` +
          `time, or with a larger page_size.`,
    null,
  );
}
