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
  for (const range of ranges) if (isIn(range, created)) return true;
  return false;
}

/** True if rows created at a time belong to a range. */
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
export function wantsEarlier(
  { coveredFrom }: Pick<CursorCover, 'coveredFrom'>,
  start: Instant | undefined,
): boolean {
  return coveredFrom !== undefined && (start === undefined || start < coveredFrom);
}

/** A cover from which a start date that became earlier, or is gone, wants more: one range more. */
export function withBackfill(cover: CursorCover, start: Instant | undefined): CursorCover {
  const { coveredFrom: until, ranges } = cover;
  if (!wantsEarlier(cover, start)) return cover;
  return {
    createdSince: start,
    coveredFrom: start,
    ranges: atMost([{ since: start, until, chain: null }, ...ranges], ALARMS_STATE.mostRanges),
  };
}

/** Ranges that touch become one, without its hint: its pages may have passed rows beyond the old border. */
export function joined(ranges: readonly OpenRange[]): OpenRange[] {
  const all: OpenRange[] = [];
  for (const range of ranges.toSorted(byTime)) {
    const last = all.at(-1);
    if (last !== undefined && gap(last, range) <= 0n) all[all.length - 1] = union(last, range);
    else all.push(range);
  }
  return all;
}

/** At most so many ranges: the neighbours with the least between them become one, so that rows there may repeat. */
export function atMost(ranges: readonly OpenRange[], most: number): readonly OpenRange[] {
  const all = ranges.toSorted(byTime);
  while (all.length > most) {
    const gaps = all.slice(1).map((range, index) => gap(all[index] as OpenRange, range));
    const narrowest = gaps.reduce((best, width, index) => (width < (gaps[best] ?? width) ? index : best), 0);
    const [one, other] = all.slice(narrowest, narrowest + 2) as [OpenRange, OpenRange];
    all.splice(narrowest, 2, union(one, other));
  }
  return all;
}

export function byTime(one: Pick<OpenRange, 'since'>, other: Pick<OpenRange, 'since'>): number {
  if (one.since === other.since) return 0;
  return one.since === undefined || (other.since !== undefined && one.since < other.since) ? -1 : 1;
}

function union(one: OpenRange, other: OpenRange): OpenRange {
  return { since: one.since, until: other.until, chain: null };
}

/** ns between two neighbours; not above 0 where they touch. */
function gap({ until }: OpenRange, { since }: OpenRange): bigint {
  return until === undefined || since === undefined ? 0n : since - until;
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

/** What a worker on a range has still before it. */
export interface Remaining {
  /** The latest created value that it has come to; undefined before there is one. */
  readonly at: Instant | undefined;
  /** Where its range ends, or where its rows can be expected to end. */
  readonly to: Instant | undefined;
  /** Time that its latest page covers, in ns; undefined if nothing can be taken from it. */
  readonly pageWidth: bigint | undefined;
}

/** In ns: what bounds can be told apart by, and how long a part must be to be worth a worker. */
export interface CutRules {
  readonly resolution: bigint;
  readonly least: bigint;
}

/** Pages that must be left on both sides for a range to be worth cutting. */
const PAGES_WORTH = 2n;

/**
 * Work stealing: where to cut the largest remaining range into so many equal parts at most; null if none is worth it. Where
 * rows end long before the range does, parts turn out empty until the rest is as long as some pages: that many requests at
 * most are spent on nothing.
 */
export function cut<Rest extends Remaining>(
  rests: readonly Rest[],
  most: number,
  { resolution, least }: CutRules,
): { readonly rest: Rest; readonly cuts: readonly Instant[] } | null {
  let best: { rest: Rest; width: bigint; cuts: Instant[] } | null = null;
  for (const rest of rests) {
    const { at, to, pageWidth } = rest;
    if (at === undefined || to === undefined || pageWidth === undefined) continue;
    const width = to - at;
    const half = PAGES_WORTH * pageWidth > least ? PAGES_WORTH * pageWidth : least;
    if (width <= 2n * half || (best !== null && width <= best.width)) continue;
    const from = at + STEP;
    const parts = least > 0n && (to - from) / least < BigInt(most) ? Number((to - from) / least) : most;
    const all = Array.from({ length: Math.max(0, parts - 1) }, (_, index) =>
      wholeStep(from + ((to - from) * BigInt(index + 1)) / BigInt(parts), resolution),
    );
    const cuts = all.filter((time, index) => time > from && time < to && time !== all[index - 1]);
    if (cuts.length > 0) best = { rest, width, cuts };
  }
  return best;
}

/** The latest time, not after the given one, at which ranges may meet. */
function wholeStep(instant: Instant, resolution: bigint): Instant {
  return floorTo(instant, resolution > STEP ? resolution : STEP);
}
