import { ALARMS_STATE } from '../limits.ts';
import type { Fingerprint } from './identities.ts';
import { floorTo } from './instant.ts';
import type { Instant } from './instant.ts';

/** How far the chain of a range has come: a hint, given up for the range's lower bound where the server does not know it. */
export interface ChainHint {
  readonly after: string;
  /** Local time at which `after` was current, ms since the epoch. */
  readonly savedAtMs: number;
  /** `createdSince` of the chain's requests; it stays on each of them. */
  readonly createdSince: string | null;
  /** The latest created value that the chain has come to. */
  readonly newest: Instant | undefined;
  /** Server time at the chain's first answer. */
  readonly started: Instant;
  /** The chain's first row: a server that answers a dead cursor with the first page is known by it. */
  readonly first: Fingerprint | undefined;
}

/** A range of created time that is still to be read. */
export interface OpenRange {
  /** Undefined for the beginning of the list. */
  readonly since: Instant | undefined;
  /** Rows created at this time or later do not belong to it; undefined for the newest range. */
  readonly until: Instant | undefined;
  readonly chain: ChainHint | null;
}

/** What of a range says which rows belong to it. */
export type Bounds = Pick<OpenRange, 'since' | 'until'>;

/** Where a read of a cursor list stands: all from `coveredFrom` on that lies in no open range has been emitted. */
export interface CursorCover {
  /** Where the read began, or the watermark after it; undefined for the beginning of the list. */
  readonly createdSince: Instant | undefined;
  /** Undefined for the beginning, and where nothing is known of what was read before. */
  readonly coveredFrom: Instant | undefined;
  /** Ascending and disjoint; the newest has no upper bound. */
  readonly ranges: readonly OpenRange[];
}

/** True if rows created at a time belong to one of the ranges; always, if the time is not known. */
export function holds(ranges: readonly Bounds[], created: Instant | undefined): boolean {
  if (created === undefined) return true;
  return ranges.some((range) => isIn(range, created));
}

export function isIn({ since, until }: Bounds, created: Instant): boolean {
  return (since === undefined || created >= since) && (until === undefined || created < until);
}

/** True if a range is read under these dates; one that lies wholly outside of them waits. */
export function isWanted(
  { since, until }: Bounds,
  start: Instant | undefined,
  end: Instant | undefined,
): boolean {
  const isBefore = start !== undefined && until !== undefined && until <= start;
  const isBehind = end !== undefined && since !== undefined && since > end;
  return !isBefore && !isBehind;
}

/** True if a start date, or none, wants rows from before what has been covered. */
export function wantsEarlier({ coveredFrom }: CursorCover, start: Instant | undefined): boolean {
  return coveredFrom !== undefined && (start === undefined || start < coveredFrom);
}

/** What a start date that became earlier, or is gone, wants beyond a cover is one range more. */
export function withBackfill(cover: CursorCover, start: Instant | undefined): CursorCover {
  if (!wantsEarlier(cover, start)) return cover;
  const ranges = [{ since: start, until: cover.coveredFrom, chain: null }, ...cover.ranges];
  const { mostRanges } = ALARMS_STATE;
  return {
    createdSince: start,
    coveredFrom: start,
    ranges: ranges.length <= mostRanges ? ranges : joined(ranges, mostRanges),
  };
}

/**
 * Ranges that touch become one, and of more than `most` the nearest neighbours, so that rows between them may repeat; without
 * their hints, whose pages may have passed rows beyond the old border.
 */
export function joined(ranges: readonly OpenRange[], most: number): readonly OpenRange[] {
  const gaps = ranges.slice(1).map(({ since = 0n }, index) => since - (ranges[index]?.until ?? since));
  const at = gaps.reduce((best, gap, index) => (gap < (gaps[best] ?? gap) ? index : best), 0);
  const narrowest = gaps[at];
  if (narrowest === undefined || (narrowest > 0n && ranges.length <= most)) return ranges;
  const one = { since: ranges[at]?.since, until: ranges[at + 1]?.until, chain: null };
  return joined([...ranges.slice(0, at), one, ...ranges.slice(at + 2)], most);
}

/** The ranges without their longest cursors, if these are too long together for a state that must stay small. */
export function withFittingCursors(ranges: readonly OpenRange[]): readonly OpenRange[] {
  const lengthOf = ({ chain }: OpenRange): number =>
    chain === null ? 0 : Buffer.byteLength(JSON.stringify(chain.after));
  let left: number = ALARMS_STATE.mostCursorBytes;
  const kept = new Set<OpenRange>();
  for (const range of ranges.toSorted((one, other) => lengthOf(one) - lengthOf(other))) {
    left -= lengthOf(range);
    if (left >= 0) kept.add(range);
  }
  return ranges.map((range) => (kept.has(range) ? range : { ...range, chain: null }));
}

/** ns: ranges meet at whole seconds at least, so that most formats can write where. */
const STEP = 1_000_000_000n;
/** Pages that must be left on both sides for a range to be worth cutting. */
const PAGES_WORTH = 2n;

/**
 * Where to cut what a worker has before it into `most` equal parts, each of `least` ns at least; nowhere if not worth it. It has
 * come to `at`, rows can be expected to end at `to`, and its latest page covers `pageWidth`.
 */
export function cut(
  { at, to, pageWidth }: Readonly<Record<'at' | 'to' | 'pageWidth', bigint | undefined>>,
  most: number,
  least: bigint,
  resolution: bigint,
): readonly Instant[] {
  if (at === undefined || to === undefined || pageWidth === undefined) return [];
  const half = PAGES_WORTH * pageWidth > least ? PAGES_WORTH * pageWidth : least;
  if (to - at <= 2n * half) return [];
  const from = at + STEP;
  const parts = least > 0n && (to - from) / least < BigInt(most) ? Number((to - from) / least) : most;
  const step = resolution > STEP ? resolution : STEP;
  const cuts = Array.from({ length: Math.max(0, parts - 1) }, (_, index) =>
    floorTo(from + ((to - from) * BigInt(index + 1)) / BigInt(parts), step),
  );
  return cuts.filter((time, index) => time > from && time < to && time !== cuts[index - 1]);
}
