import type { StateChain } from '../generated/cursor-state.generated.ts';
import { CURSOR_STATE } from '../limits.ts';
import type { Fingerprint } from './identities.ts';
import {
  FALL_BACK,
  MAX_INSTANT,
  MIN_INSTANT,
  floorTo,
  instantOf,
  isLocal,
  later,
  resolutionOf,
  writeTime,
} from './instant.ts';
import type { Instant, TimeFormat, WrittenTime } from './instant.ts';
import { createLoopGuard } from './loop-guard.ts';
import { isIn } from './open-ranges.ts';
import type { WorkingRange } from './open-ranges.ts';
import type { SeenEntry } from './seen-rows.ts';

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;

/** A time, and the clock that showed it. Times of different clocks are never compared. */
export interface ClockTime {
  readonly at: Instant;
  /** `former`: the local clock of an earlier process, which may have been set since. */
  readonly clock: 'server' | 'local' | 'former';
}

/** A page of a cursor list as paging sees it. */
export interface TimedPage<R> {
  readonly rows: readonly R[];
  readonly next: string | null; // the cursor of the next page, null on the last one
  /** Not later than the response: its `Date` header, or else the local time at which it was requested. */
  readonly time: ClockTime;
  /** ms since the epoch, local time at which it was requested. */
  readonly sentAtMs: number;
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
  readonly hasId: (row: R) => boolean; // true if no other row of the list has the same text
  readonly start: Instant; // rows created before are not wanted, unless a state speaks of them
  readonly since: string | null; // the start as configured; null for the beginning of the list
  readonly end: Instant; // rows created later are left out
  readonly pageSize: number | undefined; // rows asked for with each page; undefined for the server's maximum
  /** True if the server refused the request itself, as with a cursor that it no longer knows. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (message: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Where a chain of pages begins: at a bound, or at a cursor that an earlier process saved. */
export interface ChainStart {
  readonly createdSince: string | null; // on every request of the chain
  readonly after: string | null;
  readonly newest: Instant; // created time that the chain has come to
  readonly started: ClockTime | null; // time of its first response; null before there is one
  readonly firstRows: readonly Fingerprint[]; // some, each once
}

/** Where and when a chain has ended: the newest created time in it, its last row, and the time of its last page. */
export type ChainEnd<R> = { readonly newest: Instant; readonly last: R | null; readonly time: ClockTime };

/** Reads one range by one chain: pages that follow each other by their cursors. */
export type RangeWorker<R> = ReturnType<typeof startWorker<R>>;

/** A worker on a range, before its first request. */
export function startWorker<R>(list: CursorList<R>, range: WorkingRange, start: ChainStart) {
  const { createdSince, after, newest } = start;
  return {
    ...start,
    range,
    /** Rows that it skips, looked up when its first page is taken: not its own, since rows may be identical. */
    known: new Map<Fingerprint, SeenEntry<R>[]>(),
    isNew: true, // until its first page is taken
    from: range.since, // what was created before was emitted, or is not wanted
    resumedAt: after === null ? null : newest, // in an earlier process: it has not seen the range from its start
    confirmed: null as ChainEnd<R> | null, // the end of another chain, which this one confirms
    last: null as R | null, // row so far
    confirmations: 0, // of one end so far, this chain included
    guard: createLoopGuard(after, list.isSame),
    after, // cursor of the page that is requested: one request ahead of what is written, never more
    issuedMs: null as number | null, // `sentAtMs` of the page that brought `after` to this process
    answer: null as Promise<TimedPage<R>> | null, // to the request in flight
    floor: instantOf(createdSince ?? undefined, MIN_INSTANT), // no row that answers the request was created before
    firstNewest: MIN_INSTANT, // created time among the first rows, as far as this process has seen them
    hasBroughtRows: false, // that were not known
    newest,
    reached: isIn(range, newest) ? newest : range.since, // in the range: one beyond may come from a clock that is fast
    beyond: 0, // latest rows in a row that lie beyond what is wanted of the range, by the slack at least
    pageWidth: MAX_INSTANT, // ns that the latest page covers
  };
}

/** The start of a chain that reads a range from its lower bound, or from a time in it. */
export function startAt(since: Instant, format: TimeFormat | null): ChainStart {
  const isOpen = since === MIN_INSTANT || format === null;
  const createdSince = isOpen ? null : boundBelow(since, format);
  return { createdSince, after: null, newest: MIN_INSTANT, started: null, firstRows: [] };
}

/** Returns the start of a chain that resumes from a hint. */
export function startFromHint(hint: StateChain): ChainStart {
  const clock = hint.clock === 'local' ? 'former' : 'server';
  return {
    createdSince: hint.since,
    after: hint.after,
    newest: instantOf(hint.newest, MIN_INSTANT),
    started: { at: instantOf(hint.started, MIN_INSTANT), clock },
    firstRows: hint.first_page ?? [],
  };
}

/** Returns where to resume the chain, for a state; null if the cursor cannot be written, or rows were left out for the end date. */
export function hintOf<R>(
  { createdSince, newest, started, firstRows }: RangeWorker<R>,
  after: string,
  { end, pageSize }: CursorList<R>,
  nowMs: number,
): StateChain | null {
  // a state with U+FFFD passes for one whose bytes were damaged
  const isWritable = after.length <= CURSOR_STATE.maxCursorLength && !after.includes('\ufffd');
  if (newest > end || !isWritable || started === null) return null;
  return {
    after,
    saved_at: new Date(nowMs).toISOString(),
    since: createdSince,
    started: writeTime(started.at, null),
    ...(started.clock === 'server' ? {} : { clock: 'local' }),
    ...(newest === MIN_INSTANT ? {} : { newest: writeTime(newest, null) }),
    ...(firstRows.length === 0 ? {} : { first_page: [...firstRows] }),
    ...(pageSize === undefined ? {} : { page_size: pageSize }),
  };
}

/**
 * `createdSince` below a time by the resolution of the format and a second at least, at a whole minute: a server may exclude
 * equal times, truncate its bound or round it. A local time is an hour earlier: the server may take it for the later of two.
 */
function boundBelow(since: Instant, format: TimeFormat): string {
  const local = isLocal(format) ? FALL_BACK : 0n;
  return writeTime(floorTo(since - later(resolutionOf(format), SECOND) - local, MINUTE), format);
}
