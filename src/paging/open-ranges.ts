import type { StateChain } from '../generated/cursor-state.generated.ts';
import { CURSOR_STATE } from '../limits.ts';
import { earliest, floorTo, later, resolutionOf } from './instant.ts';
import type { Instant, TimeFormat } from './instant.ts';

/** A range of created time that is still to be read. */
export interface OpenRange {
  readonly since: Instant;
  /** Rows created at this time or later do not belong to it; `MAX_INSTANT` for the newest range, and for it alone. */
  readonly until: Instant;
  /** How far its chain has come: a hint, given up for `since` where the server does not know it. */
  readonly chain: StateChain | null;
}

/** A range while it is read: its bounds and its hint move. */
export type WorkingRange = { -readonly [Key in keyof OpenRange]: OpenRange[Key] } & {
  standstill?: number; // what restarts of it have counted since its bound moved
  doubts?: number; // pages so far of which nobody can say whether they follow those before them
};

/** What of a range says which rows belong to it. */
export type Bounds = Pick<OpenRange, 'since' | 'until'>;

/**
 * Where a read of a cursor list begins, or stands: all from `coveredFrom` on that lies in no open range has been emitted. It
 * never changes, whatever is read after it.
 */
export interface CursorPosition<Seen> {
  readonly createdSince: Instant; // where the read began, or the watermark after it
  readonly coveredFrom: Instant; // `MIN_INSTANT` also where nothing is known of what was read before
  readonly ranges: readonly OpenRange[]; // ascending and disjoint
  readonly seen: Seen; // emitted rows that may come again
  readonly format: TimeFormat | null; // how the records write times; null before any was seen
  readonly isFinished: boolean;
}

/** True if rows created at a time belong to one of the ranges; always, if the time is not known. */
export function holds(ranges: readonly Bounds[], created: Instant | undefined): boolean {
  return created === undefined || ranges.some((range) => isIn(range, created));
}

export function isIn({ since, until }: Bounds, created: Instant): boolean {
  return created >= since && created < until;
}

/** True if a range is read under these dates; one that lies wholly outside of them waits. */
export function isWanted({ since, until }: Bounds, start: Instant, end: Instant): boolean {
  return until > start && since <= end;
}

/** What a start date that became earlier, or is gone, wants beyond a position is one range more. */
export function withBackfill<Seen>(from: CursorPosition<Seen>, start: Instant): CursorPosition<Seen> {
  if (start >= from.coveredFrom) return from;
  const ranges = [{ since: start, until: from.coveredFrom, chain: null }, ...from.ranges];
  const most = CURSOR_STATE.maxRanges;
  const fitting = ranges.length > most ? joined(ranges, most) : ranges;
  return { ...from, createdSince: start, coveredFrom: start, ranges: fitting };
}

/**
 * Ranges that touch become one, and of more than `most` the nearest neighbours, so that rows between them may repeat; without
 * their hints, whose pages may have passed rows beyond the old border.
 */
export function joined(ranges: readonly OpenRange[], most: number): readonly OpenRange[] {
  const gaps = ranges.slice(1).map(({ since }, index) => since - (ranges[index]?.until ?? since));
  const at = gaps.reduce((best, gap, index) => (gap < (gaps[best] ?? gap) ? index : best), 0);
  const [left, right] = ranges.slice(at, at + 2);
  if (left === undefined || right === undefined) return ranges;
  if (left.until < right.since && ranges.length <= most) return ranges;
  return joined(ranges.toSpliced(at, 2, { since: left.since, until: right.until, chain: null }), most);
}

/** The ranges without their longest cursors, as far as these are too long together for a state that must stay small. */
export function withFittingCursors(ranges: readonly OpenRange[]): readonly OpenRange[] {
  const bytes = ranges.map(({ chain }) => Buffer.byteLength(JSON.stringify(chain?.after ?? '')));
  if (bytes.reduce((sum, one) => sum + one, 0) <= CURSOR_STATE.maxCursorBytes) return ranges;
  const longest = bytes.indexOf(Math.max(...bytes));
  return withFittingCursors(ranges.map((one, at) => (at === longest ? { ...one, chain: null } : one)));
}

/** Moves the lower bound of a range up, to a time that the API's format can write; never down. */
export function raise(range: WorkingRange, to: Instant, format: TimeFormat | null): void {
  range.since = later(range.since, to < range.until ? floorTo(to, resolutionOf(format)) : range.until);
}

/** ns: ranges meet at whole minutes at least, since a bound is requested at one below. */
const STEP = 60_000_000_000n;
/** Pages that must be left on both sides for a range to be worth cutting. */
const PAGES_WORTH = 2n;

/**
 * Where to cut what a worker has before it into `most` equal parts, each of `least` ns at least; nowhere if not worth it. It has
 * come to `at`, rows can be expected to end at `to`, and its latest page covers `pageWidth`.
 */
export function cut(
  { at, to, pageWidth }: Readonly<Record<'at' | 'to' | 'pageWidth', bigint>>,
  most: number,
  least: bigint,
  resolution: bigint,
): readonly Instant[] {
  if (to - at <= 2n * later(PAGES_WORTH * pageWidth, least)) return [];
  // so that no part requests again what was created at `at`
  const from = at + 2n * STEP;
  const parts = Number(earliest(BigInt(most), (to - from) / later(least, 1n)));
  const cuts = Array.from({ length: Math.max(0, parts - 1) }, (_, index) =>
    floorTo(from + ((to - from) * BigInt(index + 1)) / BigInt(parts), later(resolution, STEP)),
  );
  return cuts.filter((time, index) => time > from && time < to && time !== cuts[index - 1]);
}
