import type { StateChain } from '../generated/cursor-state.generated.ts';
import { CURSOR_STATE } from '../limits.ts';
import type { Fingerprint } from './identities.ts';
import { MAX_INSTANT, MIN_INSTANT, instantOf, later, resolutionOf, writeTime } from './instant.ts';
import type { Instant, TimeFormat, WrittenTime } from './instant.ts';
import { createLoopGuard } from './loop-guard.ts';
import { isIn } from './open-ranges.ts';
import type { WorkingRange } from './open-ranges.ts';
import type { SeenEntry } from './seen-rows.ts';

/** ns below the range at least from which rows are asked for: a server may cut its bound to the second, or leave out equals. */
const MARGIN = 1_000_000_000n;

/** A page of a cursor list as paging sees it. */
export interface TimedPage<R> {
  readonly rows: readonly R[];
  readonly next: string | null; // the cursor of the next page, null on the last one
  /** Server time not later than the answer; local time where the server does not say. */
  readonly serverTime: Instant;
  readonly isServerTime: boolean;
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
  readonly start: Instant; // rows created before are not wanted, unless a state speaks of them
  readonly since: string | null; // the start as configured; null for the beginning of the list
  readonly end: Instant; // rows created later are left out
  /** True if the server refused the request itself, as with a cursor that it no longer knows. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (message: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Reads one range by one chain: pages that follow each other by their cursors. */
export type RangeWorker<R> = ReturnType<typeof startWorker<R>>;

/**
 * Starts a worker on a range, from its hint if there is one; its first page is on the way.
 * What it emits itself is not among the `known` rows that it leaves out, since rows may be written alike.
 */
export function startWorker<R>(
  list: CursorList<R>,
  range: WorkingRange,
  format: TimeFormat | null,
  known: Map<Fingerprint, SeenEntry<R>[]>,
  signal: AbortSignal,
) {
  const { since, chain: hint } = range;
  const after = hint?.after ?? null;
  const createdSince = hint === null ? boundOf(since, format) : hint.since;
  const newest = instantOf(hint?.newest, MIN_INSTANT);
  const ask = (behind: string | null): Promise<TimedPage<R>> => {
    const answer = list.fetchPage(behind, createdSince, signal);
    // a failure is one only once the page is taken
    answer.catch(() => undefined);
    return answer;
  };
  return {
    range,
    known,
    createdSince,
    ask,
    from: since, // what was created before was emitted, or is not wanted
    isResumed: hint !== null, // from an earlier process: it has not seen the range from its start
    guard: createLoopGuard(after, list.isSame),
    after, // cursor of the page that is asked for: one request ahead of what is written, never more
    answer: ask(after),
    started: instantOf(hint?.started, MIN_INSTANT), // server time at the chain's first answer
    first: hint?.first, // the fingerprint of the chain's first row
    /** Knows that row again: by its text where it is at hand, which costs less. */
    isFirst: (row: R): boolean => list.fingerprintOf(row) === hint?.first,
    hasBroughtRows: false, // that were not known
    newest, // created value in the chain
    reached: isIn(range, newest) ? newest : since, // in the range: one beyond may come from a clock that is fast
    beyond: 0, // latest rows in a row that lie beyond what is wanted of the range, by the lookback at least
    pageWidth: MAX_INSTANT, // ns that the latest page covers
  };
}

/** Where the chain goes on, for a state; null where a cursor is too long, or behind rows left out for the end date. */
export function hintOf<R>(
  { createdSince, newest, started, first }: RangeWorker<R>,
  after: string,
  end: Instant,
  nowMs: number,
): StateChain | null {
  if (newest > end || after.length > CURSOR_STATE.longestCursor) return null;
  return {
    after,
    saved_at: new Date(nowMs).toISOString(),
    since: createdSince,
    started: writeTime(started, null),
    ...(newest === MIN_INSTANT ? {} : { newest: writeTime(newest, null) }),
    ...(first === undefined ? {} : { first }),
  };
}

/** `createdSince` below a range by the resolution of the format, and the margin at least; null to read from the start. */
function boundOf(since: Instant, format: TimeFormat | null): string | null {
  if (since === MIN_INSTANT || format === null) return null;
  return writeTime(since - later(resolutionOf(format), MARGIN), format);
}
