import { CURSOR_STATE } from '../../limits.ts';
import { MAX_INSTANT, MIN_INSTANT, earliest, later, type Instant, type TimeFormat } from '../instant.ts';
import { readTo, readToEnd, type Precision } from './bounds.ts';
import { UNKNOWN_ORDER, noteTimes, reachedBy, type Course, type Order } from './order.ts';
import { isWanted, joined, type Range, type SavedCursor } from './ranges.ts';
import { NO_COUNTS, added, type Counts } from './counts.ts';
import { isOpen, noteSeams, type Seam } from './seams.ts';

/** What a read knows. Immutable. Every row created from `coveredFrom` on and outside all ranges was emitted. */
export interface Progress {
  readonly watermark: Instant; // rows created before it were emitted, even if the order of the list still breaks in this read
  readonly coveredFrom: Instant; // `MIN_INSTANT` for the beginning of the list
  readonly chains: readonly Chain[]; // each reads one range
  readonly todo: readonly Range[]; // ranges that wait for a chain, ascending
  readonly kept: readonly Range[]; // ranges that this read leaves open: outside the dates, or rows may still appear there
  readonly order: Order;
  readonly restsOnOrder: boolean; // the ranges are only right if the list is in ascending order
  readonly isCut: boolean;
  readonly seams: readonly Seam[];
  readonly chainCount: number; // chains so far
  readonly restarts: number; // since the last new row
  readonly format: TimeFormat | null; // can express all created times of the list; null if there was none
  readonly counts: Counts;
  readonly newest: Instant; // the latest created time of emitted rows; `MIN_INSTANT` if there is none
}

/** A cursor, and the local time of the request that returned it, in ms since the epoch. */
export type IssuedCursor = Pick<SavedCursor, 'after' | 'sentAtMs'>;

/** What a read knows of a chain of pages that are linked by cursors. Immutable. */
export interface Chain {
  readonly number: number;
  readonly range: Range; // its `since` rises while the chain goes on
  readonly from: Instant; // the lower bound of the range when the chain began
  readonly createdSince: string | null; // on each of its requests
  readonly next: IssuedCursor | null; // of the page that is requested; null for the first page
  readonly course: Course;
  readonly started: Instant; // server time at its first response; `MAX_INSTANT` before there is one
  readonly hasBegun: boolean; // it has returned a row of its range, or one that was emitted before
  readonly isFirst: boolean; // no other chain has read the range in this read
}

export interface Dates {
  readonly start: Instant;
  readonly end: Instant; // inclusive
}

/**
 * Returns an object with some members changed. On Node.js 20, objects that are made by `{ ...of, ...by }` have another shape in each
 * place, and V8 compiles for each shape what reads them.
 */
export function changed<T extends object>(of: T, by: Partial<T>): T {
  return Object.assign({}, of, by);
}

/** Returns the progress of a read that goes on from a state. An earlier start date adds a range. */
export function beginRead(
  {
    watermark,
    coveredFrom,
    ranges,
  }: Pick<Progress, 'watermark' | 'coveredFrom'> & { readonly ranges: readonly Range[] },
  { start, end }: Dates,
): Progress {
  const restsOnOrder = (ranges[0]?.since ?? watermark) > watermark;
  const isEarlier = start < coveredFrom;
  const earlier: Range = { since: start, until: coveredFrom, cursor: null, origin: 'state' };
  const all = joined(isEarlier ? [earlier, ...ranges] : ranges, CURSOR_STATE.maxRanges);
  return {
    watermark: isEarlier ? start : watermark,
    coveredFrom: isEarlier ? start : coveredFrom,
    chains: [],
    todo: all.filter((range) => isWanted(range, start, end)),
    kept: all.filter((range) => !isWanted(range, start, end)),
    order: UNKNOWN_ORDER,
    restsOnOrder,
    isCut: false,
    seams: [],
    chainCount: 0,
    restarts: 0,
    format: null,
    counts: NO_COUNTS,
    newest: MIN_INSTANT,
  };
}

/** Returns all ranges that are still to be read, by this read or a later one. */
export function openRanges({ chains, todo, kept }: Progress): readonly Range[] {
  return [...kept, ...todo, ...chains.map(({ range }) => range)];
}

/** Starts a chain on the first range that waits for one. */
export function startChain(
  progress: Progress,
  boundOf: (since: Instant) => string | null,
  knowsRows: boolean,
): { readonly progress: Progress; readonly chain: Chain } {
  const [range, ...todo] = progress.todo as readonly [Range, ...Range[]];
  const { cursor, since, origin } = range;
  const chain: Chain = {
    number: progress.chainCount,
    range,
    from: since,
    createdSince: cursor === null ? boundOf(since) : cursor.createdSince,
    next: cursor,
    course: { newest: cursor?.newest ?? MIN_INSTANT, last: [] },
    started: cursor?.started ?? MAX_INSTANT,
    // a state that knows no rows has none just below the range
    hasBegun: origin === 'state' && !knowsRows,
    isFirst: origin !== 'again',
  };
  const chains = [...progress.chains, chain];
  return { chain, progress: changed(progress, { todo, chains, chainCount: progress.chainCount + 1 }) };
}

/** Returns the chain with a number. */
export function chainOf({ chains }: Progress, wanted: number): Chain {
  return chains.find(({ number }) => number === wanted) as Chain;
}

/** Replaces a chain by what is known of it now. */
export function withChain(progress: Progress, chain: Chain): Progress {
  return changed(progress, { chains: chainsWith(progress, chain) });
}

function chainsWith({ chains }: Progress, chain: Chain): readonly Chain[] {
  return chains.map((one) => (one.number === chain.number ? chain : one));
}

/** Adds what a page of a chain has brought. */
export function withFound(
  progress: Progress,
  chain: Chain,
  found: { readonly rows: readonly unknown[]; readonly counts: Counts; readonly newest: Instant },
): Progress {
  return changed(progress, {
    chains: chainsWith(progress, chain),
    counts: added(progress.counts, found.counts),
    newest: later(progress.newest, found.newest),
    restarts: found.rows.length > 0 ? 0 : progress.restarts,
  });
}

/** Drops a chain, and lets another one read its range from its lower bound. */
export function restartChain(progress: Progress, { number, range, from }: Chain): Progress {
  return changed(progress, {
    chains: progress.chains.filter((one) => one.number !== number),
    todo: [changed(range, { cursor: null, origin: 'again' }), ...progress.todo],
    restsOnOrder: progress.restsOnOrder || range.since > from,
    restarts: progress.restarts + 1,
  });
}

/** Drops all chains, and lets one read everything from where the read began: the order of the list was relied on, and does not hold. */
export function fallBack(progress: Progress): Progress {
  const { watermark, kept, order } = progress;
  const all: Range = { since: watermark, until: MAX_INSTANT, cursor: null, origin: 'again' };
  return changed(progress, {
    chains: [],
    todo: [all],
    kept: kept.filter(({ until }) => until <= watermark),
    order: { ...order, kind: 'broken' },
    restsOnOrder: false,
    seams: [],
  });
}

/**
 * Takes the created times of a page of a chain; `taken` rows of it may be used, fewer than all if the read must fall
 * back. `passed` is the newest created time of the chain on earlier pages.
 */
export function noteOrder(
  before: Progress,
  number: number,
  times: readonly (Instant | undefined)[],
  started: Instant,
  precision: Precision,
) {
  const chain = chainOf(before, number);
  const noted = noteTimes(before.order, chain.course, times, precision, before.restsOnOrder);
  const { order, course, taken } = noted;
  const isBroken = order.kind === 'broken' && before.order.kind !== 'broken';
  const seams = noteSeams(
    before.seams,
    { from: chain.from, until: chain.range.until },
    times.slice(0, taken),
  );
  const moved = changed(chain, { course, started: earliest(chain.started, started) });
  const known = changed(before, { order, seams, chains: chainsWith(before, moved) });
  const isForgiven = isBroken && !before.restsOnOrder;
  return {
    progress: isForgiven ? withBoundsBack(known) : known,
    taken,
    isBroken,
    passed: chain.course.newest,
  };
}

/** Nothing rests on the order: every chain goes on, only the lower bounds go back to where it began. */
function withBoundsBack(progress: Progress): Progress {
  const chains = progress.chains.map((one) =>
    changed(one, { range: changed(one.range, { since: one.from }) }),
  );
  return changed(progress, { chains });
}

/** What follows a page: the chain `goes on`, it is `over`, or the read `falls back`. */
export type Verdict = 'goes on' | 'over' | 'falls back';

/** Raises the lower bound of the range of a chain to where it has certainly been read, and closes the range if the chain is over. */
export function advance(
  progress: Progress,
  number: number,
  isEnd: boolean,
  end: Instant,
  precision: Precision,
): { readonly progress: Progress; readonly verdict: Verdict } {
  const chain = chainOf(progress, number);
  const { range, course, started } = chain;
  const isAscending = progress.order.kind === 'ascending';
  const stop = earliest(range.until, end + 1n);
  const reached = reachedBy(course, precision.enough);
  const isPassed = isAscending && reached >= stop + precision.tolerance;
  // rows that appeared while no process was reading are newer than those that a saved cursor had passed
  const wasSaved = range.cursor !== null && precision.isLocal;
  const newest = wasSaved ? earliest(course.newest, range.cursor.newest) : course.newest;
  const readUpTo = isEnd ? readToEnd(newest, started, precision) : readTo(reached, started, precision);
  const mayMove = isAscending || isEnd;
  const since = mayMove ? later(range.since, earliest(readUpTo, stop)) : range.since;
  const moved = changed(range, { since });
  if (!isEnd && !isPassed)
    return { progress: withChain(progress, changed(chain, { range: moved })), verdict: 'goes on' };
  // the list ends before the range does: there is nothing in later ranges yet
  const isBeyond = ({ since: other }: Range): boolean =>
    isEnd && course.newest < range.until && other >= range.until;
  const left: readonly Range[] =
    since < range.until ? [changed(moved, { cursor: null, origin: 'again' })] : [];
  // rows that appeared before a saved cursor since it was saved are still to be read
  const isResumed = range.cursor !== null;
  const todo = progress.todo.filter((one) => !isBeyond(one));
  const over = changed(progress, {
    chains: progress.chains.filter((one) => one !== chain),
    todo: isResumed ? [...left, ...todo] : todo,
    kept: [...progress.kept, ...progress.todo.filter(isBeyond), ...(isResumed ? [] : left)],
    restsOnOrder: progress.restsOnOrder || !isEnd,
  });
  const hasGap = isAscending && over.seams.some((seam) => isOpen(seam, precision.tolerance));
  return { progress: over, verdict: hasGap ? 'falls back' : 'over' };
}

/** Returns the ranges for a state. The range of a chain has its cursor while the order is not proven ascending. */
export function rangesFor({ chains, todo, kept, order }: Progress, end: Instant): readonly Range[] {
  const isAscending = order.kind === 'ascending';
  const read = chains.map((chain) =>
    changed(chain.range, { cursor: isAscending ? null : savedCursor(chain, end) }),
  );
  return joined([...kept, ...todo, ...read], CURSOR_STATE.maxRanges);
}

/** Returns where a later read can go on with a chain; null if the cursor cannot be saved, or rows after the end date were left out. */
function savedCursor(
  { range, next, createdSince, course, started }: Chain,
  end: Instant,
): SavedCursor | null {
  // before the first page, the chain is where the state was
  if (next === null || started === MAX_INSTANT) return range.cursor;
  // a state with U+FFFD looks as if its bytes were damaged
  const isWritable = next.after.length <= CURSOR_STATE.maxCursorLength && !next.after.includes('\ufffd');
  if (!isWritable || course.newest > end) return null;
  return { ...next, createdSince, newest: range.cursor?.newest ?? course.newest, started };
}
