import { readCursorList } from './cursor-read.ts';
import type { CursorBatch, CursorPosition, CursorRead, OpenRange } from './cursor-read.ts';
import { earlierOf, laterOf } from './instant.ts';
import type { Instant } from './instant.ts';
import { cuts, steal } from './time-ranges.ts';
import { MARGIN } from './watermark.ts';
import type { SeenRow, Watermark } from './watermark.ts';

/** A chain and the range of time that it reads: from its watermark up to, not including, `until`. */
export interface Lane<R> {
  readonly from: Watermark;
  until: Instant | undefined;
  /** True if it took up a chain of an earlier read, or had to start again: it does not see the start of its range. */
  resumed: boolean;
  /** The first rows of the range, as far as it has seen them. */
  first: readonly SeenRow[];
  readonly batches: AsyncGenerator<CursorBatch<R>>;
  next: Promise<{ readonly lane: Lane<R>; readonly result: IteratorResult<CursorBatch<R>> }>;
  latest: CursorBatch<R> | null;
  /** Taken when a batch is handed on: the chain itself may be further by the time it is asked for. */
  saved: CursorPosition;
  /** The latest created value known to be emitted from the range; undefined before the first one. */
  reached: Instant | undefined;
  /** ns that the latest page covers; undefined before there is one, and where the chain goes over emitted rows again. */
  pageWidth: bigint | undefined;
}

/** Starts a chain over a range; its first page is on the way. */
export function openLane<R>(read: CursorRead<R>, range: OpenRange, from: CursorPosition): Lane<R> {
  const lane: Lane<R> = {
    from: range.watermark,
    until: range.until,
    resumed: range.chain !== null,
    first: [],
    batches: readCursorList({
      ...read,
      fetchPage: (after, ...rest) => {
        // a chain that starts again may soon be further than its latest batch can tell
        if (after === null) lane.pageWidth = undefined;
        lane.resumed ||= after === null && lane.latest !== null;
        return read.fetchPage(after, ...rest);
      },
      from,
      end: () => earlierOf(read.end(), lastIn(lane.until)),
      // a list is cut into ranges only once its order has shown
      isOrdered: () => lane.until !== undefined,
    }),
    next: new Promise(() => undefined),
    latest: null,
    saved: from,
    reached: range.chain?.newest,
    pageWidth: undefined,
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

/** Notes how far a chain has come with a batch. */
export function note<R>(lane: Lane<R>, batch: CursorBatch<R>): void {
  const { newest, first } = batch.facts();
  const before = lane.reached ?? first[0]?.created;
  // the latest page alone tells how dense rows are from here on: long times without any may lie behind it
  lane.pageWidth =
    newest === undefined || before === undefined || newest < before ? undefined : newest - before;
  lane.reached = laterOf(lane.reached, newest);
  if (!lane.resumed) lane.first = first;
  lane.latest = batch;
  lane.saved = batch.position();
}

/** The rest of the time up to the limit in equal parts: the first chain keeps the first, the others go to new ones. */
export function splitOff<R>(lane: Lane<R>, limit: Instant, chains: number): OpenRange[] {
  const at = placeOf(lane);
  if (at === undefined) return [];
  const places = cuts(at + MARGIN, limit, chains);
  const ranges = places.map((from, index) => rangeFrom(from, places[index + 1] ?? lane.until, lane));
  lane.until = places[0] ?? lane.until;
  return ranges;
}

/** Half of the largest range that is left, taken away from its chain; null if none is worth it. */
export function takeHalf<R>(lanes: readonly Lane<R>[], limit: Instant): OpenRange | null {
  const taken = steal(
    lanes.map((lane) => ({
      at: placeOf(lane),
      to: lane.until ?? limit,
      pageWidth: isAtEnd(lane) ? undefined : lane.pageWidth,
    })),
  );
  const lane = taken === null ? undefined : lanes[taken.index];
  if (taken === null || lane === undefined) return null;
  const range = rangeFrom(taken.cut, lane.until, lane);
  lane.until = taken.cut;
  return range;
}

/** The latest created value that a chain has come to: also that of a page which has come but is not handed on yet. */
function placeOf<R>({ latest, reached, from }: Lane<R>): Instant | undefined {
  return laterOf(laterOf(latest?.facts().newest, reached), from.since);
}

/** True if no more rows can be left in a range: the list has ended, or a row beyond the range has been seen. */
function isAtEnd<R>({ latest }: Lane<R>): boolean {
  return latest !== null && (latest.isLast || latest.facts().beyond !== undefined);
}

/** A range taken away from a chain. What a read before this one emitted may lie in it. */
function rangeFrom<R>(from: Instant, until: Instant | undefined, { from: { seen } }: Lane<R>): OpenRange {
  return { watermark: { since: from, seenSince: from, seen }, until, chain: null };
}

/** The last instant that belongs to a range. */
function lastIn(until: Instant | undefined): Instant | undefined {
  return until === undefined ? undefined : until - 1n;
}
