import { CURSOR_STATE } from '../../limits.ts';
import { floorTo, type Instant } from '../instant.ts';

/** A range of created time that is still to be read. */
export interface Range {
  readonly since: Instant; // the lower bound: every row in the range before it has been emitted
  readonly until: Instant; // exclusive; `MAX_INSTANT` for the newest range only
  readonly cursor: SavedCursor | null; // where an earlier read stopped, if the order of the list was not proven ascending
  /** It is in the state, it is a `part` that was cut off in this read, or a chain of this read has begun to read it. */
  readonly origin: 'state' | 'part' | 'again';
}

export type Bounds = Pick<Range, 'since' | 'until'>;

/** Where a later read can go on with a chain. */
export interface SavedCursor {
  readonly after: string;
  readonly sentAtMs: number; // local time of the request that returned it, ms since the epoch
  readonly createdSince: string | null; // on every request of the chain
  readonly newest: Instant; // the latest created time that the chain has returned; `MIN_INSTANT` if none
  readonly started: Instant; // server time at the first response of the chain
}

export const isIn = ({ since, until }: Bounds, created: Instant): boolean =>
  created >= since && created < until;

/** True if a range overlaps these dates; otherwise it waits in the state. */
export const isWanted = ({ since, until }: Bounds, start: Instant, end: Instant): boolean =>
  until > start && since <= end;

/**
 * Returns ranges in ascending order, with those that touch joined, and, while there are more than `max`, those with the smallest gap
 * between them, whose rows may then be emitted again. A range with a cursor is only joined if there are too many.
 */
export function joined(ranges: readonly Range[], max: number): readonly Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((one, other) => (one.since < other.since ? -1 : 1))) {
    const last = result.at(-1);
    const mayJoin = last?.cursor === null && range.cursor === null;
    if (last === undefined || !mayJoin || last.until < range.since) result.push(range);
    else result[result.length - 1] = union(last, range);
  }
  while (result.length > max) {
    const gaps = result.slice(1).map(({ since }, at) => since - (result[at]?.until ?? since));
    const at = gaps.reduce((best, gap, index) => (gap < (gaps[best] ?? gap) ? index : best), 0);
    const [low, high] = result.slice(at, at + 2);
    if (low !== undefined && high !== undefined) result.splice(at, 2, union(low, high));
  }
  return result;
}

function union(low: Range, high: Range): Range {
  const until = low.until > high.until ? low.until : high.until;
  return { since: low.since, until, cursor: null, origin: 'state' };
}

/** How to cut ranges: into about `parts` equal parts, none shorter than `least` ns, at multiples of `step` ns. */
interface Cut {
  readonly to: Instant; // rows are expected before it
  readonly parts: number;
  readonly least: bigint;
  readonly step: bigint;
}

/** Cuts ranges into parts that are about equally long up to where rows are expected. The first part is the beginning of the first range. */
export function cutIntoParts(ranges: readonly Range[], { to, parts, least, step }: Cut): readonly Range[] {
  const endOf = ({ until }: Range): Instant => (until < to ? until : to);
  const total = ranges.reduce(
    (sum, range) => sum + (endOf(range) > range.since ? endOf(range) - range.since : 0n),
    0n,
  );
  const equal = total / BigInt(parts) + 1n;
  const length = equal > least ? equal : least;
  return ranges.flatMap((range) => {
    const result: Range[] = [];
    let { since } = range;
    while (endOf(range) - since >= 2n * length) {
      const until = floorTo(since + length + step - 1n, step);
      result.push({ since, until, cursor: null, origin: 'part' });
      since = until;
    }
    return result.length === 0
      ? [range]
      : [...result, { since, until: range.until, cursor: null, origin: 'part' }];
  });
}

/** Drops the longest cursors until the others fit into a state, whose size is limited. */
export function withFittingCursors(ranges: readonly Range[]): readonly Range[] {
  const bytes = ranges.map(({ cursor }) => Buffer.byteLength(JSON.stringify(cursor?.after ?? '')));
  if (bytes.reduce((sum, one) => sum + one, 0) <= CURSOR_STATE.maxCursorBytes) return ranges;
  const longest = bytes.indexOf(Math.max(...bytes));
  return withFittingCursors(ranges.map((one, at) => (at === longest ? { ...one, cursor: null } : one)));
}
