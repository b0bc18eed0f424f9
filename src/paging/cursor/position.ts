import { CURSOR_STATE } from '../../limits.ts';
import { MAX_INSTANT, mergedFormat, type Instant, type TimeFormat } from '../instant.ts';
import type { Fingerprint } from '../identities.ts';
import { earliestReturned, precisionOf } from './bounds.ts';
import type { Counts } from './counts.ts';
import type { CursorRead, CursorStart } from './list.ts';
import { openRanges, rangesFor, type Progress } from './progress.ts';
import { LAST_RECEIVED, type Needed } from './seen-log.ts';
import { snapshotOf, type SeenRows } from './seen-rows.ts';

/** Rows to emit, and where a later read goes on once they and all rows before them were written. */
export interface CursorBatch<R> {
  readonly rows: readonly R[];
  readonly position: Omit<CursorStart, 'seen'> & { readonly seen: () => Fingerprint[] };
  readonly counts: Counts; // of the read so far
  readonly newest: Instant; // the latest created time of emitted rows; `MIN_INSTANT` if there is none
  /** Rows emitted so far that may have been emitted before, because the state had no room for all rows that may be received again. */
  readonly emittedBeforeGiven: number;
  /** Strays emitted so far that may have been emitted before, because the state had no room for all strays. */
  readonly straysBefore: number;
  readonly hasTimes: boolean; // a row with a readable created time was received
  readonly isFinished: boolean;
}

/** Returns the format in which times are requested and saved; null if no time is known. */
export function formatOf({ format }: Progress, from: CursorStart): TimeFormat | null {
  return format === null ? from.format : mergedFormat(from.format, format);
}

/** Returns a batch of rows, and the position after them. */
export function batchOf<R>(
  progress: Progress,
  rows: readonly R[],
  seen: SeenRows<R>,
  read: CursorRead<R>,
  isFinished: boolean,
): CursorBatch<R> {
  const { from, end } = read;
  const ranges = rangesFor(progress, end);
  const format = formatOf(progress, from);
  const hasSeenAll = isFinished && ranges.length === 1 && end === MAX_INSTANT;
  const { coveredFrom, counts, newest } = progress;
  // the watermark is where the first open range begins, unless that range is only right if the order of the list holds
  const isSure = isFinished || (!progress.restsOnOrder && progress.order.kind !== 'ascending');
  const watermark = isSure ? (ranges[0]?.since ?? progress.watermark) : progress.watermark;
  const position = {
    watermark,
    coveredFrom,
    ranges,
    format,
    seen: snapshotOf(seen, neededRows(progress, read), hasSeenAll),
  };
  return {
    rows,
    position,
    counts,
    newest,
    emittedBeforeGiven: from.seen.length >= CURSOR_STATE.maxSeen ? seen.given.newBefore() : 0,
    straysBefore: from.seen.length >= LAST_RECEIVED ? counts.strays : 0,
    hasTimes: progress.format !== null,
    isFinished,
  };
}

/**
 * Returns which rows may be received again: those that a chain on a range that is still to be read may return. A list with late rows
 * may filter by another time, such as that of receipt, and return rows that were created before the bound by as much as they were late.
 */
export function neededRows(
  progress: Progress,
  { from, lookback, enough }: Pick<CursorRead<unknown>, 'from' | 'lookback' | 'enough'>,
): Needed {
  const format = formatOf(progress, from);
  const lateness = progress.order.hasLate ? precisionOf(lookback, enough, format).tolerance : 0n;
  const open = openRanges(progress);
  const periods = open.map(({ since, until }) => ({
    since: earliestReturned(since, format) - lateness,
    until,
  }));
  const isAscending = progress.order.kind === 'ascending';
  // in proven order, no cursor is saved: the next read starts at a lower bound and receives the latest rows last
  const withGiven = !isAscending && open.some(({ cursor }) => cursor !== null);
  return { periods, withLast: !isAscending, withGiven };
}
