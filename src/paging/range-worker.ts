import type { StateChain } from '../generated/cursor-state.generated.ts';
import { ALARMS_STATE } from '../limits.ts';
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
  /** The cursor of the next page, null on the last one. */
  readonly next: string | null;
  /** Server time not later than the answer; local time where the server does not say. */
  readonly serverTime: Instant;
  readonly isServerTime: boolean;
}

/** What a worker asks the list, and its rows. */
export interface CursorList<R> {
  readonly fetchPage: (
    after: string | null,
    createdSince: string | null,
    signal: AbortSignal,
  ) => Promise<TimedPage<R>>;
  readonly createdOf: (row: R) => WrittenTime | undefined;
  readonly fingerprintOf: (row: R) => Fingerprint;
  /** True if two rows have the same text. */
  readonly isSame: (one: R, other: R) => boolean;
}

/** Reads one range by one chain: pages that follow each other by their cursors. */
export type RangeWorker<R> = ReturnType<typeof startWorker<R>>;

/**
 * Starts a worker on a range, from its hint if there is one; its first page is on the way.
 *
 * @param known emitted rows to leave out: what it emits itself is not among them, since rows may be written alike
 * @param standstill starts on this range in a row, this one included, that came no further
 */
export function startWorker<R>(
  list: CursorList<R>,
  range: WorkingRange,
  format: TimeFormat | null,
  known: Map<Fingerprint, SeenEntry<R>[]>,
  standstill: number,
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
    standstill,
    createdSince,
    /** Asks for the page behind a cursor. */
    ask,
    /** What was created before was emitted, or is not wanted. */
    from: since,
    /** True if it took up the chain of an earlier process, and so has not seen the range from its start. */
    isResumed: hint !== null,
    guard: createLoopGuard(after, list.isSame),
    /** Cursor of the page that is asked for: one request ahead of what is written, never more. */
    after,
    answer: ask(after),
    /** Server time at the chain's first answer. */
    started: instantOf(hint?.started, MIN_INSTANT),
    /** The fingerprint of the chain's first row, and what knows it again: by its text where it is at hand, which costs less. */
    first: hint?.first,
    isFirst: (row: R): boolean => list.fingerprintOf(row) === hint?.first,
    /** True once it has brought rows that were not known. */
    hasBroughtRows: false,
    /** The latest created value in the chain, and in the range: one beyond may come from a clock that is fast. */
    newest,
    reached: isIn(range, newest) ? newest : since,
    /** Its latest rows in a row that lie beyond what is wanted of the range, by the lookback at least. */
    beyond: 0,
    /** ns that the latest page covers. */
    pageWidth: MAX_INSTANT,
  };
}

/** Where the chain goes on, for a state; null where a cursor is too long, or behind rows left out for the end date. */
export function hintOf<R>(
  { createdSince, newest, started, first }: RangeWorker<R>,
  after: string,
  end: Instant,
  nowMs: number,
): StateChain | null {
  if (newest > end || after.length > ALARMS_STATE.longestCursor) return null;
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
