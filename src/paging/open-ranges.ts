import { CURSOR_STATE } from '../limits.ts';
import type { Fingerprint } from './identities.ts';
import { MINUTE, earliest, floorTo, later, resolutionOf, type Instant, type TimeFormat } from './instant.ts';

/** A time and its clock. Times of different clocks are never compared. */
export interface ClockTime {
  readonly at: Instant;
  /** `former`: the local clock of an earlier process, which may have been changed since. */
  readonly clock: 'server' | 'local' | 'former';
}

/** Where a chain of pages begins: at a bound, or at a cursor that an earlier process saved. */
export interface ChainStart {
  readonly createdSince: string | null; // on every request of the chain
  readonly after: string | null;
  readonly newest: Instant; // newest created time in the chain so far
  readonly started: ClockTime | null; // time of its first response; null before there is one
  readonly firstRows: readonly Fingerprint[]; // up to four distinct ones
}

/** Where a later read can resume a chain. */
export interface ChainHint extends ChainStart {
  readonly after: string;
  readonly started: ClockTime;
  readonly savedAtMs: number; // ms since the epoch
}

/** A range of created time that is not finished. */
export interface OpenRange {
  readonly since: Instant;
  readonly until: Instant; // exclusive; `MAX_INSTANT` for the newest range only
  readonly chain: ChainHint | null; // how far it was read: a hint; if the server rejects it, the range is read again from `since`
}

/** A range that is being read: its bounds and its hint change. */
export type WorkingRange = { -readonly [Key in keyof OpenRange]: OpenRange[Key] } & {
  reachedAtFailure?: Instant; // created time that was reached when the server last failed
  restartCost?: number; // cost of its restarts since its bound moved
  isReadAgain?: boolean; // from its bound, or to confirm its end
  doubtfulPages?: number; // pages so far that may or may not follow those before them
};

export type Bounds = Pick<OpenRange, 'since' | 'until'>;

/**
 * Where a read of a cursor list begins or stopped: every row created at or after `coveredFrom` and outside all open ranges has been
 * emitted. Immutable.
 */
export interface CursorPosition<Seen> {
  readonly createdSince: Instant; // where the read began, or the watermark after it
  readonly coveredFrom: Instant; // `MIN_INSTANT` if unknown
  readonly ranges: readonly OpenRange[]; // ascending and disjoint
  readonly seen: Seen; // emitted rows that may be received again
  readonly format: TimeFormat | null; // how the records write times; null before any was seen
  readonly isFinished: boolean;
}

/** True if a created time is in one of the ranges, or unknown. */
export function holds(ranges: readonly Bounds[], created: Instant | undefined): boolean {
  return created === undefined || ranges.some((range) => isIn(range, created));
}

export function isIn({ since, until }: Bounds, created: Instant): boolean {
  return created >= since && created < until;
}

/** True if a range overlaps these dates; otherwise it stays open until the dates change. */
export function isWanted({ since, until }: Bounds, start: Instant, end: Instant): boolean {
  return until > start && since <= end;
}

/** Adds a range to a position if the start date is now earlier, or was removed. */
export function withBackfill<Seen>(from: CursorPosition<Seen>, start: Instant): CursorPosition<Seen> {
  if (start >= from.coveredFrom) return from;
  const ranges = [{ since: start, until: from.coveredFrom, chain: null }, ...from.ranges];
  const { maxRanges } = CURSOR_STATE;
  const fitting = ranges.length > maxRanges ? joined(ranges, maxRanges) : ranges;
  return { ...from, createdSince: start, coveredFrom: start, ranges: fitting };
}

/**
 * Joins adjacent ranges and, while there are more than `max`, those with the smallest gap, whose rows may then be repeated.
 * Joined ranges have no hint: the pages of a chain may have skipped rows beyond the former end of its range.
 */
export function joined(ranges: readonly OpenRange[], max: number): readonly OpenRange[] {
  const gaps = ranges.slice(1).map(({ since }, index) => since - (ranges[index]?.until ?? since));
  const at = gaps.reduce((best, gap, index) => (gap < (gaps[best] ?? gap) ? index : best), 0);
  const [left, right] = ranges.slice(at, at + 2);
  if (left === undefined || right === undefined) return ranges;
  if (left.until < right.since && ranges.length <= max) return ranges;
  return joined(ranges.toSpliced(at, 2, { since: left.since, until: right.until, chain: null }), max);
}

/** Drops the longest cursors until the others fit into a state, whose size is limited. */
export function withFittingCursors(ranges: readonly OpenRange[]): readonly OpenRange[] {
  const bytes = ranges.map(({ chain }) => Buffer.byteLength(JSON.stringify(chain?.after ?? '')));
  if (bytes.reduce((sum, one) => sum + one, 0) <= CURSOR_STATE.maxCursorBytes) return ranges;
  const longest = bytes.indexOf(Math.max(...bytes));
  return withFittingCursors(ranges.map((one, at) => (at === longest ? { ...one, chain: null } : one)));
}

/** Raises the lower bound of a range, rounded down to a time that the format of the rows can express; never lowers it. */
export function raise(range: WorkingRange, to: Instant, format: TimeFormat): void {
  range.since = later(range.since, to < range.until ? floorTo(to, resolutionOf(format)) : range.until);
}

/** Minimum number of pages on both sides for a range to be worth splitting. */
const MIN_PAGES = 2n;

/**
 * Returns where to split the rest of a worker's range into at most `maxParts` equal parts of at least `minWidth` ns; empty if that is
 * not worth it. The worker has read up to `at`, the last rows are expected at `to`, and its latest page covered `pageWidth` ns.
 */
export function cut(
  { at, to, pageWidth }: Readonly<Record<'at' | 'to' | 'pageWidth', bigint>>,
  maxParts: number,
  minWidth: bigint,
  resolution: bigint,
): readonly Instant[] {
  if (to - at <= 2n * later(MIN_PAGES * pageWidth, minWidth)) return [];
  // so that no part requests rows created at `at` again
  const from = at + 2n * MINUTE;
  const parts = Number(earliest(BigInt(maxParts), (to - from) / later(minWidth, 1n)));
  const cuts = Array.from({ length: Math.max(0, parts - 1) }, (_, index) =>
    // whole minutes, as requested bounds are
    floorTo(from + ((to - from) * BigInt(index + 1)) / BigInt(parts), later(resolution, MINUTE)),
  );
  return cuts.filter((time, index) => time > from && time < to && time !== cuts[index - 1]);
}
