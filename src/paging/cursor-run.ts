import { beginsSlice, type Sliced } from '../rows/slices.ts';
import type { Fingerprint } from './identities.ts';
import { MAX_INSTANT, MIN_INSTANT, dstShiftOf, earliest, later, mergedFormat } from './instant.ts';
import type { Instant, TimeFormat, WrittenTime } from './instant.ts';
import {
  isIn,
  isWanted,
  withBackfill,
  type Bounds,
  type ClockTime,
  type CursorPosition,
  type WorkingRange,
} from './open-ranges.ts';
import { cursorAge } from './range-worker.ts';
import type { ChainEnd, CursorList, DatedPage, RangeWorker, TimedPage } from './range-worker.ts';
import { startGroup } from './request-group.ts';
import { createSeenRows, type SeenEntry, type SeenSnapshot } from './seen-rows.ts';

export interface CursorRead<R> extends CursorList<R> {
  /** Where the read begins; the position of an unfinished read may already rely on the order of the list. */
  readonly from: CursorPosition<readonly Fingerprint[]>;
  /** How many ns behind the newest row a row may still appear or be listed. */
  readonly lookback: bigint;
  readonly chains: number; // maximum number of workers
  readonly now: () => number; // local time, ms since the epoch
  readonly warn: (message: string) => Promise<void>;
}

/** The state of a read, shared by its functions. */
export type CursorRun<R> = ReturnType<typeof beginRun<R>>;

/** Returns the initial state of a read: the open ranges of a position, and one for an earlier start date. */
export function beginRun<R>(read: CursorRead<R>) {
  const { from, start, end } = read;
  const begin = withBackfill(from, start);
  const ranges = begin.ranges.map((range): WorkingRange => ({ ...range }));
  return {
    ...begin,
    read,
    seen: createSeenRows(from.seen, read.fingerprintOf),
    workers: new Set<RangeWorker<R>>(),
    arrivals: createQueue<{ worker: RangeWorker<R>; response: Promise<TimedPage<R>> }>(), // in order
    ranges, // ascending
    isFinished: false,
    pending: ranges.filter((range) => isWanted(range, start, end)), // ranges waiting for a worker
    unwanted: ranges.filter((range) => !isWanted(range, start, end)), // ranges outside the dates
    ends: new Map<WorkingRange, ChainEnd<R>>(), // to be confirmed by the next chain that reads the range to its end
    /** What is known about the order of the list; once it is broken, nothing may rely on it. */
    order: 'unproven' as 'unproven' | 'ascending' | 'broken',
    maySplit: true, // false once the server has refused a `createdSince` after the newest row
    steps: 0, // created values that were later than all before them in their chain
    reliesOnOrder: !from.isFinished, // the ranges are correct only if the list is in ascending order
    /** Lower bound in ns on how far the record clock is ahead of each clock. */
    ahead: { server: MIN_INSTANT, local: MIN_INSTANT, former: MIN_INSTANT },
    hasLateRows: false, // a row was listed after a newer one
    rowFormat: null as TimeFormat | null, // can express the times of all rows so far; `format` may be that of a finer start date
    dstShift: 0n, // ns by which created times may fall back when DST ends
    stop: end + 1n, // the first instant after the end date
    repeats: 0, // rows that were received again and not emitted again
    identical: 0, // emitted rows that are identical to a row on an earlier page
    unreadable: 0, // emitted rows whose created value could not be read
    newestSeen: MIN_INSTANT, // the latest created time of all rows, including those outside the dates
    provenAgeMs: 0, // maximum age of a cursor that returned rows
    requests: startGroup(read.signal), // in flight
  };
}

/** An async queue. Unlike Promise.race, waiting for the next value adds no listener to pending promises. */
function createQueue<T>() {
  const values: T[] = [];
  let wake: (() => void) | null = null;
  return {
    add: (value: T): void => {
      values.push(value);
      wake?.();
    },
    next: async (): Promise<T> => {
      while (values.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return values.shift() as T;
    },
  };
}

/** Returns the lookback in ns, plus an hour if times have no zone. */
export function allowedLateness<R>({ read, dstShift }: CursorRun<R>): bigint {
  return read.lookback + dstShift;
}

/**
 * Returns the time before which no more rows can appear, given when a chain `started`; `MIN_INSTANT` if that is unknown. The newest
 * row, if there is one, shows how far the clock of the records may lag behind the clock of `started`.
 */
export function limitOf<R>(run: CursorRun<R>, { at, clock }: ClockTime): Instant {
  const ahead = run.newestSeen === MIN_INSTANT && clock !== 'former' ? 0n : run.ahead[clock];
  return ahead === MIN_INSTANT ? MIN_INSTANT : at + earliest(ahead, 0n) - allowedLateness(run);
}

/** Returns the format in which times are requested and saved; null if no time is known. */
export function formatOf<R>({ format, rowFormat }: CursorRun<R>): TimeFormat | null {
  return rowFormat === null ? format : mergedFormat(format, rowFormat);
}

/** The rows of a page that belong to a range. */
interface Taken<R> {
  readonly rows: readonly R[]; // to emit: not emitted before
  readonly own: readonly SeenEntry<R>[]; // entries of `rows` and of repeated rows
  readonly again: ReadonlySet<SeenEntry<R>>; // earlier entries of those that were received again
}

/** Returns the rows to emit and the position after them. */
export function batchOf<R>(run: CursorRun<R>, { rows, own, again }: Taken<R>) {
  const { createdSince, coveredFrom, isFinished, repeats, identical, unreadable, newestSeen, read } = run;
  const ranges = run.ranges.map((range) => ({ ...range }));
  /** Safe to resume from once `rows` and all rows before them have been written. */
  const position: CursorPosition<SeenSnapshot<R>> = {
    createdSince,
    coveredFrom,
    ranges,
    seen: run.seen.keep(own, again, ranges),
    format: formatOf(run),
    isFinished,
  };
  const newest = newestSeen === MIN_INSTANT ? undefined : earliest(newestSeen, read.end);
  return {
    rows,
    position,
    repeats,
    identical,
    unreadable,
    newest,
    forgets: isFinished && run.seen.forgets(ranges),
  };
}

/** Increasing times that prove ascending order, and consecutive rows beyond a range that prove its end: a single time may be wrong. */
export const ENOUGH_ROWS = 16;

/**
 * Takes the rows of a page that belong to the worker's range. The first row that contradicts ascending order breaks it; if ranges
 * rely on the order, nothing is taken from that row on.
 */
export function* takePage<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  page: DatedPage<R>,
): Sliced<Taken<R>> {
  const passed = worker.newest;
  if (page.rows.length > 0) run.provenAgeMs = Math.max(run.provenAgeMs, cursorAge(worker, page));
  const taken = noteTimes(run, worker, page.times);
  const { clock, at } = page.time;
  run.ahead[clock] = later(run.ahead[clock], worker.newest - at);
  run.newestSeen = later(run.newestSeen, worker.newest);
  worker.last = page.rows.at(-1) ?? worker.last;
  worker.pageWidth = passed === MIN_INSTANT ? MAX_INSTANT : worker.newest - passed;
  return yield* chooseRows(run, worker, { rows: page.rows.slice(0, taken), times: page.times }, passed);
}

type Times = DatedPage<unknown>['times'];

/** Records the times of a page in order; returns the number of rows before one that contradicts an order on which ranges rely. */
function noteTimes<R>(run: CursorRun<R>, worker: RangeWorker<R>, times: Times): number {
  for (let at = 0; at < times.length; at++) {
    const time = times[at];
    if (run.order !== 'broken' && isTooLate(run, worker, time)) {
      run.order = 'broken';
      if (run.reliesOnOrder) return at;
      // the chain reads on after this row, so only the state has to go back
      worker.range.since = worker.from;
    }
    if (time !== undefined) noteTime(run, worker, time);
  }
  return times.length;
}

/** Returns true if a row is older than the newest one by more than the lookback, or has no time while several ranges are read. */
function isTooLate<R>(run: CursorRun<R>, { newest }: RangeWorker<R>, time: WrittenTime | undefined): boolean {
  if (time === undefined) return run.workers.size > 1;
  return time.instant < newest && time.instant < newest - allowedLateness(run);
}

function noteTime<R>(run: CursorRun<R>, worker: RangeWorker<R>, { instant, format }: WrittenTime): void {
  const { newest } = worker;
  run.rowFormat = mergedFormat(run.rowFormat, format);
  run.dstShift = later(run.dstShift, dstShiftOf(format));
  run.hasLateRows ||= instant < newest;
  if (instant === newest) worker.atNewest++;
  if (instant <= newest) return;
  worker.newest = instant;
  worker.atNewest = 1;
  worker.repeatedAtNewest = 0;
  // rows that are read again prove nothing
  if (newest === MIN_INSTANT || instant <= run.newestSeen) return;
  run.steps++;
  if (run.steps >= ENOUGH_ROWS && run.order === 'unproven') run.order = 'ascending';
}

/** Chooses the rows in the worker's range, and those to emit. `passed` is the newest created time of the chain before this page. */
function* chooseRows<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  { rows: page, times }: Pick<DatedPage<R>, 'rows' | 'times'>,
  passed: Instant,
): Sliced<Taken<R>> {
  const rows: R[] = [];
  const own: SeenEntry<R>[] = [];
  const again = new Set<SeenEntry<R>>();
  const wanted = { since: worker.from, until: earliest(worker.range.until, run.stop) };
  const beyondFrom = wanted.until + allowedLateness(run);
  let isSeen: ((print: Fingerprint) => boolean) | null = null;
  for (let at = 0; at < page.length; at++) {
    if (beginsSlice(at)) yield;
    const row = page[at] as R;
    const created = times[at]?.instant;
    // a row without a readable time is always wanted
    if (created !== undefined && !noteReached(worker, created, wanted, beyondFrom)) continue;
    // a fingerprint costs more than everything else here, and most rows of a long list need none
    const mayRepeat = created === undefined || created <= passed;
    const print = worker.known.size > 0 || mayRepeat ? run.read.fingerprintOf(row) : undefined;
    const emitted = takeKnown(worker.known, print);
    if (emitted === undefined && mayRepeat) isSeen ??= yield* run.seen.index();
    const isIdentical = emitted === undefined && mayRepeat && isSeen?.(print ?? '') === true;
    if (isIdentical && created === worker.newest) worker.repeatedAtNewest++;
    if (isIdentical && run.read.hasId(row)) {
      run.repeats++;
      continue;
    }
    if (isIdentical) run.identical++;
    own.push({ created, row, print });
    if (emitted === undefined) rows.push(row);
    else again.add(emitted);
    if (emitted === undefined && created === undefined) run.unreadable++;
  }
  run.repeats += again.size;
  worker.hasEmittedRows ||= rows.length > 0;
  return { rows, own, again };
}

/** Records how far a chain has come in the range and beyond it; returns true if this created time is in the range. */
function noteReached<R>(
  worker: RangeWorker<R>,
  created: Instant,
  range: Bounds,
  beyondFrom: Instant,
): boolean {
  const isWithin = isIn(range, created);
  if (isWithin) worker.reached = later(worker.reached, created);
  worker.beyond = !isWithin && created >= beyondFrom ? worker.beyond + 1 : 0;
  return isWithin;
}

/** Removes and returns a known entry with this fingerprint; undefined if there is none. */
function takeKnown<E>(known: Map<Fingerprint, E[]>, print: Fingerprint | undefined): E | undefined {
  if (print === undefined) return undefined;
  const entries = known.get(print);
  const entry = entries?.pop();
  if (entries?.length === 0) known.delete(print);
  return entry;
}
