import { inTurns, mapInSlices, type Sliced } from '../rows/slices.ts';
import { NO_EVIDENCE, PROOF, WEAK, weighEvidence } from './end-evidence.ts';
import type { Identity, IdentitySet } from './identities.ts';
import { START, afterTiedPage, afterUntiedPage, planNext, type SeenPage } from './offset-course.ts';
import { createScanGuard, isLimit } from './offset-guard.ts';
import { createPageWindow, type RequestedPage, type ScannedList } from './offset-pages.ts';

/** A page that is tied to the covered rows: up to its last row, no row that exists throughout the scan is missing. */
export interface TiedPage<R> extends SeenPage<R> {
  readonly fresh: readonly boolean[]; // which of the rows were not covered before
}

/**
 * Scans an offset list while it changes: newest first, with rows inserted and deleted anywhere between two requests.
 *
 * Neighboring pages overlap, and a page is accepted only if it is tied: it begins at offset 0 or contains a row that is `covered`, by
 * an accepted page or before the scan. Pages are contiguous slices, so no row that exists throughout can be between two tied pages.
 * If there is no tie, rows before the page were deleted: the scan steps back, twice as far each time, until a page is tied.
 *
 * @throws what `fetchPage` throws, and what `createScanGuard` throws if the list cannot be read
 */
export async function* scanTiedPages<R>(
  list: ScannedList<R>,
  start: RequestedPage<R> | null,
  covered: IdentitySet,
): AsyncGenerator<TiedPage<R>> {
  const window = createPageWindow(list.fetchPage, list.concurrency, list.signal);
  const isVoid = createScanGuard(list, window);
  let course = START;
  let end = NO_EVIDENCE;
  let granted = 0;
  let maxBytes = 1;
  let isAfterLast = false; // true if this page was requested right after one that showed only the last covered row
  try {
    let page = start ?? (await window.take(0, null));
    for (;;) {
      maxBytes = Math.max(maxBytes, page.bytes);
      const compared = await inTurns(compareWithCovered(page, list.identify, covered, granted), list.signal);
      const seen: SeenPage<R> = (await isVoid(compared, isAfterLast)) ? withoutRows(compared) : compared;
      const { offset, identities } = seen;
      if (isAfterLast && identities.length === 0) return;
      isAfterLast = false;
      if (!seen.isTied) {
        // an empty page is beyond the end, and counts once, however far the scan steps back
        end = { ...end, weight: identities.length > 0 ? 0 : end.weight + (course.stepBack === 0 ? WEAK : 0) };
        course = afterUntiedPage(course, granted);
        page = await window.take(Math.max(0, offset - course.stepBack), null);
        continue;
      }
      granted = seen.granted;
      yield { ...seen, fresh: identities.map((identity) => covered.add(identity)) };
      end = weighEvidence(end, seen);
      if (end.weight >= PROOF) return;
      course = afterTiedPage(course, seen);
      isAfterLast = seen.found === 0 && identities.length <= 1 && !(mayHide(seen) && !list.mayBeShort);
      const maxPages = Math.min(2 * list.concurrency, list.maxAheadBytes / maxBytes);
      const next = isAfterLast
        ? { offset: offset + identities.length, prefetch: null }
        : planNext(course, seen, { maxPages, mayBeEnd: end.weight > 0 }, window);
      page = await window.take(next.offset, next.prefetch);
    }
  } finally {
    window.close();
  }
}

/** Compares a page with the covered rows. `before` is the number of rows of the largest tied page so far. */
function* compareWithCovered<R>(
  page: RequestedPage<R>,
  identify: (row: R) => Identity,
  covered: IdentitySet,
  before: number,
): Sliced<SeenPage<R>> {
  const { offset, rows } = page;
  const { length } = rows;
  const identities = yield* mapInSlices(rows, identify);
  const known = identities.findLastIndex((identity) => covered.has(identity)) + 1;
  const isTied = offset === 0 || known > 0;
  const isUnknownHead = offset === 0 && known === 0 && covered.size() > 0;
  const granted = isTied ? Math.max(before, length) : before;
  return { ...page, identities, isTied, found: isTied ? length - known : 0, isUnknownHead, granted };
}

/** True if the total states a few more rows after a single one: they may be hidden, or have just moved into view. */
function mayHide({ offset, identities: { length }, total = 0, granted }: SeenPage<unknown>): boolean {
  const end = offset + length;
  return length === 1 && granted > 1 && total > end && !isLimit(end, total, granted);
}

/** The page as one that shows nothing at its offset. */
function withoutRows<R>(page: SeenPage<R>): SeenPage<R> {
  return { ...page, rows: [], identities: [], isTied: false, found: 0 };
}
