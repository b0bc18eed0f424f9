import { CURSOR_STATE } from '../limits.ts';
import { mapInSlices, type Sliced } from '../rows/slices.ts';
import type { Fingerprint } from './identities.ts';
import { MAX_INSTANT, MIN_INSTANT, MINUTE } from './instant.ts';
import { dstShiftOf, floorTo, instantOf, later, resolutionOf, writeTime } from './instant.ts';
import type { Instant, TimeFormat, WrittenTime } from './instant.ts';
import { createLoopGuard } from './loop-guard.ts';
import { isIn, type ChainHint, type ChainStart, type ClockTime, type WorkingRange } from './open-ranges.ts';
import type { SeenEntry } from './seen-rows.ts';

/** When a page was requested and received: local times, ms since the epoch. */
interface ExchangeTimes {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** A page of a cursor list. */
export interface TimedPage<R> extends ExchangeTimes {
  readonly rows: readonly R[];
  readonly next: string | null; // the cursor of the next page, null on the last one
  /** Not later than the request: derived from the `Date` header, or else the local time of the request. */
  readonly time: ClockTime;
}

/** A page whose created times have been read. */
export interface DatedPage<R> extends TimedPage<R> {
  readonly times: readonly (WrittenTime | undefined)[]; // of its rows
}

/** A cursor list as reads and samples see it. */
export interface CursorList<R> {
  readonly fetchPage: (
    after: string | null,
    createdSince: string | null,
    signal: AbortSignal,
  ) => Promise<TimedPage<R>>;
  readonly createdOf: (row: R) => WrittenTime | undefined;
  readonly fingerprintOf: (row: R) => Fingerprint;
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  readonly hasId: (row: R) => boolean; // it has an ID, so its text is unique
  readonly start: Instant; // earlier rows are not wanted, unless they are in an open range of a state
  readonly since: string | null; // the start as configured; null for the beginning of the list
  readonly end: Instant; // later rows are omitted
  /** True if the server refused the request itself, as with a cursor that it no longer knows. */
  readonly isRefusal: (error: unknown) => boolean;
  /** True if the server failed to process the request, as some do with such a cursor. */
  readonly isServerError: (error: unknown) => boolean;
  readonly info: (message: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Reads the created times of a page. */
export function* datedPage<R>(page: TimedPage<R>, { createdOf }: CursorList<R>): Sliced<DatedPage<R>> {
  return { ...page, times: yield* mapInSlices(page.rows, createdOf) };
}

/** The end of a chain: its newest created time, its last row, and the time of its last page. */
export interface ChainEnd<R> {
  readonly newest: Instant;
  readonly atNewest: number; // rows created at that time
  readonly minAtNewest: number; // without those that may have been received twice
  readonly last: R | null;
  readonly time: ClockTime;
  readonly attempts: number; // to confirm an end of the same range, so far
}

/** Reads one range by one chain, a sequence of pages that are linked by cursors. */
export type RangeWorker<R> = ReturnType<typeof startWorker<R>>;

/** A worker on a range, before its first request. */
export function startWorker<R>(list: CursorList<R>, range: WorkingRange, start: ChainStart) {
  const { createdSince, after, newest } = start;
  return {
    ...start,
    range,
    /** Emitted rows to skip, looked up when the first page is taken: not the chain's own rows, because rows may be identical. */
    known: new Map<Fingerprint, SeenEntry<R>[]>(),
    isNew: true, // until its first page is taken
    from: range.since, // earlier rows were emitted before, or are not wanted
    resumedAt: after === null ? null : newest, // newest time of the saved chain; null if the chain began at the start of the range
    last: null as R | null, // the last row so far
    guard: createLoopGuard(after, list.isSame),
    after, // cursor of the requested page: at most one request ahead of what has been written
    issued: null as ExchangeTimes | null, // of the page that contained `after`; null if a saved state did
    floor: instantOf(createdSince ?? undefined, MIN_INSTANT), // lower bound of created times in the chain
    rowsAgain: [] as readonly Fingerprint[], // first rows that the latest pages repeat, if they show nothing else
    firstNewest: MIN_INSTANT, // newest created time among the first rows seen by this process
    hasEmittedRows: false, // rows that were not known
    newest,
    atNewest: 0, // rows created at that time
    repeatedAtNewest: 0, // how many of these are identical to rows of earlier pages
    reached: isIn(range, newest) ? newest : range.since, // newest created time within the range: one beyond it may come from a fast clock
    beyond: 0, // consecutive rows beyond the range by at least the allowed lateness
    pageWidth: MAX_INSTANT, // ns that the latest page covers
  };
}

/**
 * Returns the age in ms of the cursor with which a page was requested: from the request for the page that contained it to this
 * request, or from response to response if that took longer. 0 if this process did not receive the cursor.
 */
export function cursorAge<R>({ issued }: RangeWorker<R>, page: TimedPage<R>): number {
  if (issued === null) return 0;
  return Math.max(page.sentAtMs - issued.sentAtMs, page.receivedAtMs - issued.receivedAtMs);
}

/** The start of a chain that reads a range from its lower bound, or from a time in it. */
export function startAt(since: Instant, format: TimeFormat | null): ChainStart {
  const isOpen = since === MIN_INSTANT || format === null;
  const createdSince = isOpen ? null : boundBelow(since, format);
  return { createdSince, after: null, newest: MIN_INSTANT, started: null, firstRows: [] };
}

/** Returns where a later read can resume the chain; null if the cursor cannot be saved, or rows after the end date were omitted. */
export function hintOf<R>(
  { createdSince, newest, started, firstRows }: RangeWorker<R>,
  after: string,
  { end }: CursorList<R>,
  savedAtMs: number,
): ChainHint | null {
  // a state with U+FFFD looks as if its bytes were damaged
  const isWritable = after.length <= CURSOR_STATE.maxCursorLength && !after.includes('\ufffd');
  if (newest > end || !isWritable || started === null) return null;
  return { createdSince, after, newest, started, firstRows, savedAtMs };
}

/**
 * Returns a `createdSince` before a time: the last whole minute that is earlier by at least a minute or the resolution of the format,
 * whichever is longer, because a server may compare whole minutes, exclude equal ones, or truncate or round the bound. A local time is
 * an hour earlier, because it may occur twice when DST ends.
 */
function boundBelow(since: Instant, format: TimeFormat): string {
  const below = since - later(resolutionOf(format), MINUTE) - dstShiftOf(format);
  return writeTime(floorTo(below, MINUTE), format);
}
