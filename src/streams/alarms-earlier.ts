import type { AlarmsState } from '../generated/alarms-state.generated.ts';
import { readTime } from '../paging/instant.ts';
import type { Instant } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';

/** Where a read ends: rows created later are left out. */
export interface ReadEnd {
  readonly instant: Instant | undefined;
  /** The end date that it comes from; null if it comes from none. */
  readonly endDate: string | null;
}

/** A stretch of the list before what a state covers: a read of its own, with a state of its own inside that state. */
export interface EarlierRange {
  /** Rows created at this time or later are covered. */
  readonly until: Instant;
  readonly untilText: string;
  /** Where an earlier read of the same stretch stopped. */
  readonly state: StreamState | null;
}

/**
 * What a state lacks now that `start_date` is earlier than the one that its reads began with, or gone. Null if it lacks
 * nothing, and for a state written by hand, which says itself where to begin.
 */
export function earlierRange(state: AlarmsState, startDate: string | undefined): EarlierRange | null {
  const untilText = state.covered_from;
  const until = untilText === undefined ? undefined : readTime(untilText)?.instant;
  if (untilText === undefined || until === undefined) return null;
  const from = startDate === undefined ? undefined : readTime(startDate)?.instant;
  if (from !== undefined && from >= until) return null;
  return { until, untilText, state: state.earlier === undefined ? null : { ...state.earlier } };
}

/** The end of a read of the range: its own, where no end date comes before it. */
export function endOf({ until }: EarlierRange, { instant, endDate }: ReadEnd): ReadEnd {
  const last = until - 1n;
  return instant === undefined || instant >= last ? { instant: last, endDate: null } : { instant, endDate };
}

/** The state inside a read of the range, or while rows may still appear in it: unchanged, with how far the range has come. */
export function withEarlier(state: AlarmsState, earlier: StreamState): AlarmsState {
  return { ...state, earlier };
}

/** The state once the range is read: it covers what the range's own state covers. */
export function mergedWithEarlier(state: AlarmsState, range: AlarmsState): AlarmsState {
  const { earlier: _read, covered_from: _before, ...rest } = state;
  const { earlier, covered_from } = range;
  return {
    ...rest,
    ...(covered_from === undefined ? {} : { covered_from }),
    ...(earlier === undefined ? {} : { earlier }),
  };
}
