import { NO_EVIDENCE, PROOF, WEAK, weighed } from './end-evidence.ts';
import type { Identity, IdentitySet } from './identities.ts';
import { START, aim, movedOn, steppedBack } from './offset-course.ts';
import type { SeenPage } from './offset-course.ts';
import { createScanGuard } from './offset-guard.ts';
import { createPageWindow } from './offset-pages.ts';
import type { AskedPage, ScannedList } from './offset-pages.ts';

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
  const isVoid = createScanGuard(list, window);
  let course = START;
  let end = NO_EVIDENCE;
  let granted = 0;
  let mostBytes = 0;
  /** The tied page before this one showed the last covered row alone, and this one was requested right after it. */
  let isAfterLast = false;
  try {
    let page = start ?? (await window.take(0, null));
    for (;;) {
      mostBytes = Math.max(mostBytes, page.bytes);
      const met = meet(page, list.identify, covered, granted);
      const seen: SeenPage<R> = (await isVoid(met, isAfterLast)) ? withoutRows(met) : met;
      const { offset, identities } = seen;
      const { length } = identities;
      if (isAfterLast && length === 0) return;
      isAfterLast = false;
      if (!seen.isTied) {
        // an empty page lies beyond the end, and counts once however far the scan steps back; on others are rows not covered
        end = { ...end, weight: length > 0 ? 0 : end.weight + (course.stepBack === 0 ? WEAK : 0) };
        course = steppedBack(course, granted);
        page = await window.take(Math.max(0, offset - course.stepBack), null);
        continue;
      }
      granted = seen.granted;
      yield { ...seen, fresh: identities.map((identity) => covered.add(identity)) };
      end = weighed(end, seen);
      if (end.weight >= PROOF) return;
      course = movedOn(course, seen);
      isAfterLast = seen.found === 0 && length <= 1;
      if (isAfterLast) {
        page = await window.take(offset + length, null);
        continue;
      }
      // where it may be the end, its last row is aimed at: a page that is cut short could end there again and again
      const slack = end.weight > 0 ? 0 : granted >> 2;
      const most = Math.min(2 * list.concurrency, list.maxAheadBytes / mostBytes);
      const next = aim(course, seen, { most, slack }, window);
      page = await window.take(next.offset, next.ahead);
    }
  } finally {
    window.close();
  }
}

/** An answer, compared with what is covered. `before`: most rows that a tied page has had so far. */
function meet<R>(
  page: AskedPage<R>,
  identify: (row: R) => Identity,
  covered: IdentitySet,
  before: number,
): SeenPage<R> {
  const { offset, rows } = page;
  const { length } = rows;
  const identities = rows.map(identify);
  const behind = identities.findLastIndex((identity) => covered.has(identity)) + 1;
  const isTied = offset === 0 || behind > 0;
  const isUnknownHead = offset === 0 && behind === 0 && covered.size() > 0;
  const granted = isTied ? Math.max(before, length) : before;
  return { ...page, identities, isTied, found: isTied ? length - behind : 0, isUnknownHead, granted };
}

/** The answer as one that shows nothing at its offset. */
function withoutRows<R>(page: SeenPage<R>): SeenPage<R> {
  return { ...page, rows: [], identities: [], isTied: false, found: 0 };
}
