import {
  DAY,
  MINUTE,
  dstShiftOf,
  earliest,
  floorTo,
  later,
  mergedFormat,
  resolutionOf,
  writeTime,
} from '../instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../instant.ts';

/** How exact the times of a list are, and how late its rows appear. */
export interface Precision {
  readonly lookback: bigint; // ns by which a row may appear after its created time, with an hour more for times without a zone
  readonly unit: bigint; // ns: the resolution of the times
  /** ns by which a row in ascending order may be older than one before it: the lookback, in whole units. */
  readonly tolerance: bigint;
  readonly enough: number; // rows that prove an order or that a time has passed
  readonly isLocal: boolean; // times have no zone, so the clock of the server says little about them
}

/** Returns the precision of times in a format; null if no row has had a time. */
export function precisionOf(lookback: bigint, enough: number, format: TimeFormat | null): Precision {
  const unit = resolutionOf(format);
  const whole = lookback + clockShiftOf(format);
  const tolerance = ((whole + unit - 1n) / unit) * unit;
  return { lookback: whole, unit, tolerance, enough, isLocal: format !== null && dstShiftOf(format) > 0n };
}

/** Returns by how many ns times may fall back when daylight saving time ends; dates do not. */
function clockShiftOf(format: TimeFormat | null): bigint {
  return format === null || resolutionOf(format) >= DAY ? 0n : dstShiftOf(format);
}

/** Returns the format that can express the times seen so far and those of a page. */
export function formatWith(
  before: TimeFormat | null,
  times: readonly (WrittenTime | undefined)[],
): TimeFormat | null {
  return times.reduce(
    (format, time) => (time === undefined ? format : mergedFormat(format, time.format)),
    before,
  );
}

/** Returns how far a chain has certainly read while it goes on: rows that follow are not older. */
export function readTo(
  reached: Instant,
  started: Instant,
  { lookback, unit, tolerance }: Precision,
): Instant {
  return floorTo(earliest(reached - tolerance, started - lookback), unit);
}

/**
 * Returns from where on rows may still appear after a chain has ended, given its newest created time and the server time at its first
 * response. If times are coarser than the lookback, such as dates without a time of day, only the current unit is read again.
 */
export function readToEnd(newest: Instant, started: Instant, { lookback, unit }: Precision): Instant {
  const limit = floorTo(started - lookback, unit);
  return unit > lookback ? earliest(newest, limit) : earliest(floorTo(newest - lookback, unit), limit);
}

/** Returns the ns by which a requested bound is lower than the range: a minute, or the resolution of the times if that is longer. */
export function granuleOf(format: TimeFormat | null): bigint {
  return later(resolutionOf(format), MINUTE);
}

/**
 * Returns the `createdSince` for rows from a time on: the last whole minute that is earlier by at least a granule, because a server may
 * compare whole minutes, exclude equal times, or truncate or round the bound. A local time is an hour earlier, because it occurs twice
 * when daylight saving time ends.
 */
export function requestedBound(since: Instant, format: TimeFormat): string {
  return writeTime(floorTo(since - granuleOf(format) - clockShiftOf(format), MINUTE), format);
}

/** Returns the earliest created time that a request for rows from `since` on may return: the bound may be truncated once more. */
export function earliestReturned(since: Instant, format: TimeFormat | null): Instant {
  return since - 3n * granuleOf(format) - clockShiftOf(format);
}
