import type { Fingerprint } from './identities.ts';
import { earlierOf, isZoneless, laterOf, mergedFormat } from './instant.ts';
import type { Instant, TimeFormat, WrittenTime } from './instant.ts';
import { byTime, isIn, isWanted, withBackfill } from './open-ranges.ts';
import type { CursorCover } from './open-ranges.ts';
import type { CursorList, RangeWorker, TimedPage, WorkingRange } from './range-worker.ts';
import { createSeenRows } from './seen-rows.ts';
import type { LatestRow, SeenEntry, SeenRows, SeenSnapshot } from './seen-rows.ts';

/** Where a read begins: what a state says. */
export interface CursorStart extends CursorCover {
  readonly seen: readonly Fingerprint[];
  /** How the records write times; null before any was seen. */
  readonly format: TimeFormat | null;
}

/** Where a read stands; it never changes, whatever is read after it. */
export interface CursorPosition<R> extends CursorCover {
  readonly seen: SeenSnapshot<R>;
  readonly format: TimeFormat | null;
  readonly isFinished: boolean;
}

export interface CursorRead<R> extends CursorList<R> {
  readonly from: CursorStart;
  /** True if `from` is what an unfinished read left: then something may rest on the list's order already. */
  readonly isResumed: boolean;
  /** Rows created before are not wanted, unless a state speaks of them. */
  readonly start: Instant | undefined;
  /** Rows created later are left out. */
  readonly end: Instant | undefined;
  /** ns behind the server's time within which rows may still appear late, and stand late in the list. */
  readonly lookback: bigint;
  /** Workers at once at most. */
  readonly chains: number;
  /** True if the server refused the request itself, as it does with a cursor that it no longer knows. */
  readonly isRefusal: (error: unknown) => boolean;
  /** Local time, ms since the epoch. */
  readonly now: () => number;
  readonly info: (message: string) => Promise<void>;
  readonly warn: (message: string) => Promise<void>;
  /** Ends the read, and what is in flight with it. */
  readonly signal: AbortSignal;
}

/** What a read has found so far that is worth telling. */
export interface CursorFacts {
  /** Rows that came again and were not emitted again. */
  readonly repeats: number;
  /** Rows whose created value could not be read. */
  readonly unreadable: number;
  /** The latest created value that was not left out. */
  readonly newest: Instant | undefined;
  /** True if more rows may come again than a state remembers. */
  readonly overflows: boolean;
}

export interface CursorBatch<R> {
  readonly rows: readonly R[];
  /** Safe to go on from once `rows` and all before them have left. */
  readonly position: CursorPosition<R>;
  readonly facts: CursorFacts;
}

/** A read under way: what its parts share. */
export interface CursorRun<R> {
  readonly read: CursorRead<R>;
  readonly seen: SeenRows<R>;
  readonly workers: Set<RangeWorker<R>>;
  createdSince: Instant | undefined;
  readonly coveredFrom: Instant | undefined;
  ranges: WorkingRange[];
  /** Ranges that wait for a worker. */
  todo: WorkingRange[];
  /** What is known of the order in which the list comes: once broken, nothing may rest on it. */
  order: 'unproven' | 'ascending' | 'broken';
  /** Created values that were later than all before them in their chain. */
  steps: number;
  /** True once ranges rest on the order of the list. */
  restsOnOrder: boolean;
  format: TimeFormat | null;
  /** ns by which the records' clock is ahead of the server's, at least; undefined before a row was seen. */
  clockAhead: bigint | undefined;
  isClockKnown: boolean;
  repeats: number;
  unreadable: number;
  newest: Instant | undefined;
  /** The latest created value of all rows, those that were left out included. */
  shown: Instant | undefined;
  flight: AbortController;
}

/** A read at its beginning: the ranges that a state leaves open, and what the start date wants beyond them. */
export function beginRun<R>(read: CursorRead<R>): CursorRun<R> {
  const { createdSince, coveredFrom, ranges } = withBackfill(read.from, read.start);
  const working = ranges.map((range) => ({ ...range, readTo: undefined }));
  return {
    read,
    seen: createSeenRows(read.from.seen, read.fingerprintOf),
    workers: new Set(),
    createdSince,
    coveredFrom,
    ranges: working,
    todo: working.filter((range) => isWanted(range, read.start, read.end)),
    order: 'unproven',
    steps: 0,
    restsOnOrder: read.isResumed,
    format: read.from.format,
    clockAhead: undefined,
    isClockKnown: true,
    repeats: 0,
    unreadable: 0,
    newest: undefined,
    shown: undefined,
    flight: new AbortController(),
  };
}

/**
 * The latest time up to which no rows can appear any more in a chain that began at a time of the server. Times without a
 * zone, and a server that does not tell its time, leave open how the clocks differ: the newest row shows by how much at
 * most the records' clock is behind.
 */
export function limitOf<R>(
  { read, clockAhead, isClockKnown }: CursorRun<R>,
  started: Instant,
): Instant | undefined {
  if (isClockKnown) return started - read.lookback;
  if (clockAhead === undefined) return undefined;
  return started + (clockAhead < 0n ? clockAhead : 0n) - read.lookback;
}

/** Where the read stands now. */
export function positionOf<R>(run: CursorRun<R>, isFinished: boolean): CursorPosition<R> {
  const { createdSince, coveredFrom, format } = run;
  const ranges = run.ranges.map(({ since, until, chain }) => ({ since, until, chain })).toSorted(byTime);
  const latest = [...run.workers].map((worker) => worker.latest);
  return { createdSince, coveredFrom, ranges, seen: run.seen.snapshot(latest, ranges), format, isFinished };
}

export function factsOf<R>({ repeats, unreadable, newest, seen }: CursorRun<R>): CursorFacts {
  return { repeats, unreadable, newest, overflows: seen.overflows() };
}

/** Steps upwards after which the order counts as ascending: any other shows within so many rows. */
const ENOUGH_STEPS = 16;

/** What is taken of a page. */
export interface TakenPage<R> {
  /** The rows to emit. */
  readonly wanted: readonly R[];
  /** The rows that belong to the range: those to emit, and those that came again. */
  readonly own: readonly LatestRow<R>[];
  /**
   * Whether a row contradicts ascending order, for the first time. If ranges rest on the order, nothing is taken from that
   * row on; if not, all is.
   */
  readonly contradiction: 'none' | 'harmless' | 'fatal';
}

/** Takes the rows of a page, in the order of the list: those that belong to the worker's range and were not emitted before. */
export function takePage<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): TakenPage<R> {
  const { read } = run;
  const wanted: R[] = [];
  const own: LatestRow<R>[] = [];
  const again = new Set<SeenEntry>();
  const before = worker.newest;
  const [first] = page.rows;
  worker.started ??= page.serverTime;
  if (worker.first === undefined && first !== undefined) {
    worker.firstRow = first;
    worker.first = read.fingerprintOf(first);
  }
  const stop = earlierOf(worker.range.until, behindEnd(read.end));
  const beyondFrom = stop === undefined ? undefined : stop + read.lookback;
  let contradiction: TakenPage<R>['contradiction'] = 'none';
  for (const row of page.rows) {
    const time = read.createdOf(row);
    const created = time?.instant;
    if (time !== undefined) noteClock(run, time, page);
    if (run.order !== 'broken' && isTooLate(run, worker, created)) {
      run.order = 'broken';
      contradiction = run.restsOnOrder ? 'fatal' : 'harmless';
      if (contradiction === 'fatal') break;
      // what the list shows behind this row is read as well, so that nothing but the state has to go back
      worker.range.since = worker.from;
    }
    noteCreated(run, worker, created, beyondFrom);
    if (!isOwn(run, worker, created)) continue;
    worker.reached = laterOf(worker.reached, created);
    // it costs more than all the rest, and most rows of a long list need none
    const print = worker.known.size === 0 ? null : read.fingerprintOf(row);
    const known = print === null ? undefined : takeKnown(worker, print);
    own.push({ row, created, print });
    if (known === undefined) wanted.push(row);
    else again.add(known);
  }
  run.seen.cameAgain(again);
  run.repeats += again.size;
  worker.hasBroughtRows ||= wanted.length > 0;
  worker.pageWidth = before === undefined || worker.newest === undefined ? undefined : worker.newest - before;
  return { wanted, own, contradiction };
}

/** An emitted row with this fingerprint, if there is one more. */
function takeKnown<R>({ known }: RangeWorker<R>, print: Fingerprint): SeenEntry | undefined {
  const entries = known.get(print);
  const entry = entries?.pop();
  if (entries?.length === 0) known.delete(print);
  return entry;
}

/** How a row's time is written, and how far the records' clock is ahead of the server's. */
function noteClock<R>(
  run: CursorRun<R>,
  { format, instant }: WrittenTime,
  { serverTime, isServerTime }: TimedPage<R>,
): void {
  run.format = mergedFormat(run.format, format);
  run.clockAhead = laterOf(run.clockAhead, instant - serverTime);
  run.isClockKnown &&= isServerTime && !isZoneless(format);
}

/** A row that stands further behind newer ones than lateness explains; one without a time fits into no order of several ranges. */
function isTooLate<R>(
  { read, workers }: CursorRun<R>,
  { newest }: RangeWorker<R>,
  created: Instant | undefined,
): boolean {
  if (created === undefined) return workers.size > 1;
  return newest !== undefined && created < newest - read.lookback;
}

/** `beyondFrom`: rows created then or later lie beyond what is wanted of the range. */
function noteCreated<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  created: Instant | undefined,
  beyondFrom: Instant | undefined,
): void {
  const { newest } = worker;
  if (created === undefined) {
    run.unreadable++;
    return;
  }
  worker.newest = laterOf(newest, created);
  worker.beyond = beyondFrom !== undefined && created >= beyondFrom ? worker.beyond + 1 : 0;
  if (newest !== undefined && created > newest && ++run.steps >= ENOUGH_STEPS && run.order === 'unproven')
    run.order = 'ascending';
  run.shown = laterOf(run.shown, created);
  if (run.read.end === undefined || created <= run.read.end) run.newest = laterOf(run.newest, created);
}

/** True for a row of the worker's range that is wanted; a row without a readable time always is. */
function isOwn<R>(
  { read: { end } }: CursorRun<R>,
  { from, range: { until } }: RangeWorker<R>,
  created: Instant | undefined,
): boolean {
  if (created === undefined) return true;
  return isIn({ since: from, until }, created) && (end === undefined || created <= end);
}

/**
 * True if in ascending order no rows of the range, and none that are wanted, can follow: as many rows in a row lie beyond
 * as prove the order, since a single one may come from a device whose clock is wrong.
 */
export function isBeyond<R>({ beyond }: RangeWorker<R>): boolean {
  return beyond >= ENOUGH_STEPS;
}

/** The first instant that an end date leaves out. */
export function behindEnd(end: Instant | undefined): Instant | undefined {
  return end === undefined ? undefined : end + 1n;
}
