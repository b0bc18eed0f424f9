import { formatWith, precisionOf } from '../../paging/cursor/bounds.ts';
import type { Instant, TimeFormat } from '../../paging/instant.ts';
import { haveSameText, type Row } from '../../rows/row.ts';
import { timeOf } from './cursor-fields.ts';

type Rows = readonly Row[];

/** A request with `createdSince`, and what it showed. */
export interface BoundTrial {
  readonly bound: Instant;
  readonly returned: Rows;
  readonly omitted: Rows; // rows of the list that come before the first one returned
}

/** Omitted rows that may contradict a field: rows change and disappear between two requests. */
const MAX_CONTRADICTIONS = 1;
/** Rows that must all be missing: rows change between two requests. */
const MIN_MISSING = 3;

/**
 * Returns the trial of a request that was sent after one which returned `page`. Rows may have changed in the meantime, so those with the
 * same time in the created field count as the same.
 */
export function trialOf(field: string, bound: Instant, page: Rows, returned: Rows): BoundTrial {
  const times = new Set(returned.map((row) => timeOf(row, field)?.instant));
  const first = page.findIndex((row) => {
    const time = timeOf(row, field)?.instant;
    return time === undefined ? returned.some((other) => haveSameText(row, other)) : times.has(time);
  });
  return { bound, returned, omitted: first === -1 ? page : page.slice(0, first) };
}

/** Returns by how many ns rows may be older or newer than a bound because servers truncate or round it: two units, and an hour for local times. */
export function boundTolerance(format: TimeFormat | null): bigint {
  const { margin, granule } = precisionOf(0n, format);
  return margin + granule;
}

/** The number of returned rows whose time in a field is before the bound, beyond what servers truncate or round. */
export function countOlder(field: string, { bound, returned }: BoundTrial): number {
  const times = returned.map((row) => timeOf(row, field));
  const earliest = bound - boundTolerance(formatWith(null, times));
  return times.filter((time) => time !== undefined && time.instant < earliest).length;
}

/** The number of omitted rows whose time in a field is after the bound, beyond what servers truncate or round. */
export function countNewer(field: string, { bound, omitted }: BoundTrial): number {
  const times = omitted.map((row) => timeOf(row, field));
  const latest = bound + boundTolerance(formatWith(null, times));
  return times.filter((time) => time !== undefined && time.instant > latest).length;
}

/** True if `createdSince` may refer to a field: no returned row is older, and no omitted row newer. */
export function mayBeBound(field: string, trials: readonly BoundTrial[]): boolean {
  return trials.every(
    (trial) => countOlder(field, trial) === 0 && countNewer(field, trial) <= MAX_CONTRADICTIONS,
  );
}

/** The same, but 0 if they are so few that they may have been changed or deleted in the meantime. */
export function countMissing(field: string, trial: BoundTrial): number {
  const missing = countNewer(field, trial);
  return missing < MIN_MISSING ? 0 : missing;
}
