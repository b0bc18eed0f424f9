import { readCursorList } from './cursor-read.ts';
import type { CursorBatch, CursorPosition, CursorRead, OpenRange } from './cursor-read.ts';
import { earlierOf, laterOf } from './instant.ts';
import type { Instant } from './instant.ts';
import { cuts, steal } from './time-ranges.ts';
import { MARGIN } from './watermark.ts';
import type { Watermark } from './watermark.ts';

/** A chain and the range of time that it reads: from its watermark up to, not including, `until`. */
export interface Lane<R> {
  readonly from: Watermark;
  until: Instant | undefined;
  /** True if it took up a chain of an earlier read: it has not seen the start of its range. */
  readonly resumed: boolean;
  readonly batches: AsyncGenerator<CursorBatch<R>>;
  next: Promise<{ readonly lane: Lane<R>; readonly result: IteratorResult<CursorBatch<R>> }>;
  latest: CursorBatch<R> | null;
  /** Taken when a batch is handed on: the chain itself may be further by the time it is asked for. */
  saved: CursorPosition;
  pages: bigint;
}

/** Starts a chain over a range; its first page is on the way. */
export function openLane<R>(read: CursorRead<R>, range: OpenRange, from: CursorPosition): Lane<R> {
  const lane: Lane<R> = {
    from: range.watermark,
    until: range.until,
    resumed: range.chain !== null,
    batches: readCursorList({
      ...read,
      from,
      end: () => earlierOf(read.end(), lastIn(lane.until)),
      // a list is cut into ranges only once its order has shown
      isOrdered: () => lane.until !== undefined,
    }),
    next: new Promise(() => undefined),
    latest: null,
    saved: from,
    pages: 0n,
  };
  advance(lane);
  return lane;
}

/** Asks a chain for its next batch. */
export function advance<R>(lane: Lane<R>): void {
  lane.next = lane.batches.next().then((result) => ({ lane, result }));
  // an error is thrown where its turn comes
  lane.next.catch(() => undefined);
}

/** The rest of the time up to the limit in equal parts: the first chain keeps the first, the others go to new ones. */
export function splitOff<R>(lane: Lane<R>, limit: Instant, chains: number): OpenRange[] {
  const at = laterOf(lane.latest?.facts().newest, lane.from.since);
  if (at === undefined) return [];
  const places = cuts(at + MARGIN, limit, chains);
  const ranges = places.map((from, index) => rangeFrom(from, places[index + 1] ?? lane.until));
  lane.until = places[0] ?? lane.until;
  return ranges;
}

/** Half of the largest range that is left, taken away from its chain; null if none is worth it. */
export function takeHalf<R>(lanes: readonly Lane<R>[], limit: Instant): OpenRange | null {
  const remaining = lanes.map(({ latest: batch, from, until, pages }) => {
    const at = laterOf(batch?.facts().newest, from.since) ?? limit;
    const covered = at - (from.since ?? at);
    return { at, to: until ?? limit, page: pages === 0n ? covered : covered / pages };
  });
  const taken = steal(remaining);
  const lane = taken === null ? undefined : lanes[taken.index];
  if (taken === null || lane === undefined) return null;
  const range = rangeFrom(taken.cut, lane.until);
  lane.until = taken.cut;
  return range;
}

function rangeFrom(from: Instant, until: Instant | undefined): OpenRange {
  return { watermark: { since: from, seenSince: from, seen: [] }, until, chain: null };
}

/** The last instant that belongs to a range. */
function lastIn(until: Instant | undefined): Instant | undefined {
  return until === undefined ? undefined : until - 1n;
}
