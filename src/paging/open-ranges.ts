import type { Fingerprint } from './identities.ts';
import type { Instant } from './instant.ts';
import { ALARMS_STATE } from '../limits.ts';

/** How far the chain of a range has come: a hint, given up for the range's lower bound where the server does not know it. */
export interface ChainHint {
  readonly after: string;
  /** Local time at which `after` was current, ms since the epoch. */
  readonly savedAtMs: number;
  /** `createdSince` of the chain's requests; it stays on each of them (API document 4.2.6). */
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
