import type { Identity } from './identities.ts';
import type { PageWindow, RequestedPage } from './offset-pages.ts';

/** A page of a scan, compared with the rows covered so far. */
export interface SeenPage<R> extends RequestedPage<R> {
  readonly identities: readonly Identity[];
  readonly isTied: boolean; // begins at offset 0 or contains a covered row
  readonly found: number; // rows after the last covered one; 0 on a page that is not tied
  readonly isUnknownHead: boolean; // the first page shows none of the covered rows: all of it may have just been inserted
  readonly granted: number; // rows of the largest tied page so far, this one included
}

/** Minimum number of rows remembered: the rows of a single small page would soon be gone. */
const MIN_ROWS = 256;
/** Requests after which the overlap of neighboring pages is halved. */
const CALM_REQUESTS = 8;
/** Minimum share of prefetching, so that a list that has calmed down is soon read at full speed again. */
const MIN_PREFETCH_FACTOR = 1 / 64;

/** Where a scan is in a changing list, and how the rows of the list move. */
export type Course = Readonly<typeof START>;

export const START = {
  rows: [] as readonly Identity[], // the last covered rows, in the list's order
  end: 0, // offset after the last of them when they were last seen
  request: 0, // number of the request that showed them
  moves: [0, 0, 0] as readonly number[], // rows by which each of the latest requests moved them
  lost: 0, // consecutive tied pages that showed none of `rows`, so that the current movement is unknown
  unknownHeads: 0, // first pages that showed none of the covered rows
  stepBack: 0, // rows of the latest step back; 0 unless the scan has lost the covered rows
  overlap: 1, // rows that neighboring pages share
  prefetchFactor: 1, // share of the allowed prefetch that is used: the calmer the list, the larger
};

/** Returns the course after a page without a tie: the scan steps back, twice as far each time, and pages overlap more. */
export function afterUntiedPage(course: Course, granted: number): Course {
  const { overlap, prefetchFactor, stepBack } = course;
  return {
    ...course,
    overlap: Math.max(overlap, Math.min(overlap * 2, granted >> 1)),
    prefetchFactor: prefetchFactor / 2,
    stepBack: Math.max(stepBack * 2, overlap, granted >> 2),
  };
}

/** Returns the course after a tied page: a row that both contain shows how far the list has moved in between. */
export function afterTiedPage(course: Course, page: SeenPage<unknown>): Course {
  const { offset, request, identities, found, isUnknownHead, granted } = page;
  const { overlap, prefetchFactor } = course;
  const isCalm = found > 0 && !isUnknownHead;
  const now = {
    request,
    end: offset + identities.length,
    overlap: request % CALM_REQUESTS === 0 ? Math.max(1, overlap >> 1) : overlap,
    prefetchFactor: isCalm
      ? Math.min(1, 2 * Math.max(prefetchFactor, MIN_PREFETCH_FACTOR))
      : prefetchFactor / 2,
    unknownHeads: course.unknownHeads + (isUnknownHead ? 1 : 0),
    stepBack: 0,
  };
  const index = lastShown(course.rows, identities);
  if (index === -1) return { ...course, ...now, rows: identities, lost: course.lost + 1 };
  const at = identities.lastIndexOf(course.rows[index] ?? -1);
  const left = course.rows.length - 1 - index;
  const moved = offset + at + 1 + left - course.end;
  const moves = [...course.moves.slice(1), moved / Math.max(1, request - course.request)];
  // a full page without new rows may end before the other rows
  const showsEnd = left === 0 || found > 0 || identities.length < granted || course.stepBack > 0;
  if (!showsEnd) return { ...course, ...now, end: course.end + moved, moves, lost: 0 };
  const rows = [...course.rows.slice(0, index + 1), ...identities.slice(at + 1)];
  return { ...now, rows: rows.slice(-Math.max(MIN_ROWS, identities.length)), moves, lost: 0 };
}

/** Returns the index of the last of these rows that a page shows: in most cases of the very last one. */
function lastShown(rows: readonly Identity[], page: readonly Identity[]): number {
  const last = rows.length - 1;
  if (page.includes(rows[last] ?? -1)) return last;
  const shown = new Set(page);
  return rows.findLastIndex((row) => shown.has(row));
}

/**
 * Returns which offset to request after a tied page, and what to prefetch: at most `maxPages`, fewer the more the list moves,
 * and nothing after a page without new rows, because a busy list moves with every request.
 */
export function planNext(
  course: Course,
  page: SeenPage<unknown>,
  { maxPages, mayBeEnd }: { readonly maxPages: number; readonly mayBeEnd: boolean },
  window: Pick<PageWindow<unknown>, 'next' | 'requests'>,
) {
  const shared = sharedRows(course, page);
  const start = course.end - shared;
  const speed = speedOf(course);
  // a possible end is requested exactly: otherwise, a short page could end there repeatedly
  const slack = mayBeEnd ? 0 : page.granted >> 2;
  const offsetAt = (request: number): number => {
    const move = speed * (request - page.request);
    // begins a few rows early, or within the shared rows: a page that begins too late would not be tied
    const safeMove = move > 0 ? Math.max(0, move - slack) : Math.min(0, move + shared - 1);
    return Math.max(0, Math.floor(start + safeMove));
  };
  const next = offsetAt(page.request + 1);
  const stride = page.granted - course.overlap + next - start;
  const mayPrefetch = page.found > 0 && !page.isUnknownHead && stride > 0;
  return {
    // if it was not prefetched, allow for the movement during the requests sent since
    offset: window.next() === next ? next : offsetAt(window.requests() + 1),
    prefetch: mayPrefetch
      ? { stride, end: page.total ?? Infinity, maxPages: prefetchDepth(course, stride, maxPages) }
      : null,
  };
}

/** Rows of a page that the next one shows again. */
function sharedRows({ unknownHeads, overlap }: Course, { rows, found, isUnknownHead }: SeenPage<unknown>) {
  // either many rows were inserted or all known ones deleted: the next pages start after and within this one alternately
  if (isUnknownHead && unknownHeads % 2 === 0) return rows.length;
  return found > 0 ? Math.min(overlap, rows.length) : 1;
}

/** Rows by which each request moves the list at least; 0 if it does not move steadily in one direction. */
function speedOf({ moves, lost }: Course): number {
  // while the movement is unknown, use the last one only every other time, as it may be wrong
  if (lost % 2 !== 0) return 0;
  return Math.max(0, Math.min(...moves)) + Math.min(0, Math.max(...moves));
}

/** Returns how many pages can be prefetched before the list has moved by half a stride. */
function prefetchDepth({ moves, prefetchFactor }: Course, stride: number, maxPages: number): number {
  const fastest = Math.max(...moves.map(Math.abs));
  const depth = maxPages * prefetchFactor;
  return Math.floor(fastest === 0 ? depth : Math.min(depth, stride / (2 * fastest)));
}
