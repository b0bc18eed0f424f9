import {
  DAY,
  MIN_INSTANT,
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

/** How exact the times of a list are, and how late its rows may appear; everything in ns. */
export interface Precision {
  readonly unit: bigint; // the resolution of the times
  readonly lookback: bigint; // by which a row may appear after its created time; an hour more for times without a zone
  readonly tolerance: bigint; // by which a row in ascending order may be older than one before it: the lookback, in whole units
  readonly granule: bigint; // a minute, or the unit if it is longer: servers may round a bound, or compare whole minutes
  readonly margin: bigint; // by which a row may be older than a bound for which a server returns it
}

/** Returns the precision of times in a format; null if no time is known. */
export function precisionOf(lookback: bigint, format: TimeFormat | null): Precision {
  const unit = resolutionOf(format);
  const shift = clockShiftOf(format);
  const whole = lookback + shift;
  const granule = later(unit, MINUTE);
  const tolerance = ((whole + unit - 1n) / unit) * unit;
  return { unit, lookback: whole, tolerance, granule, margin: granule + shift };
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
  let format = before;
  for (const time of times)
    if (time !== undefined && time.format !== format) format = mergedFormat(format, time.format);
  return format;
}

/** Returns the bound for all rows from a time on: whole granules, and at least one of them earlier. */
export function boundBelow(time: Instant, { granule }: Pick<Precision, 'granule'>): Instant {
  return time === MIN_INSTANT ? MIN_INSTANT : floorTo(time, granule) - granule;
}

/**
 * Returns the question for every row that may still appear once all rows up to a time have come. `serverTime` is that of the
 * first response of the read. Where times are coarser than the lookback, such as dates, the current unit is asked for again.
 */
export function questionAfter(
  time: Instant,
  { serverTime, end }: { readonly serverTime: Instant; readonly end: Instant },
  precision: Precision,
): Instant {
  const { unit, lookback } = precision;
  if (unit > lookback) return boundBelow(earliest(time, serverTime - lookback, end), precision);
  return boundBelow(earliest(time, serverTime, end) - lookback, precision);
}

/** Returns a bound as it is written into a request and a state; null for none. */
export function writtenBound(bound: Instant, format: TimeFormat | null): string | null {
  return bound === MIN_INSTANT ? null : writeTime(bound, format);
}
