import type { Fingerprint } from './identities.ts';
import { MAX_INSTANT, MIN_INSTANT, earliest, later, mergedFormat } from './instant.ts';
import type { Instant, WrittenTime } from './instant.ts';
import { isIn, isWanted, withBackfill } from './open-ranges.ts';
import type { CursorPosition, WorkingRange } from './open-ranges.ts';
import type { CursorList, RangeWorker, TimedPage } from './range-worker.ts';
import { createSeenRows } from './seen-rows.ts';
import type { SeenEntry, SeenSnapshot } from './seen-rows.ts';

export interface CursorRead<R> extends CursorList<R> {
  /** If it is what an unfinished read left, something may rest on the list's order already. */
  readonly from: CursorPosition<readonly Fingerprint[]>;
  /** ns behind the server's time within which rows may still appear late, and stand late in the list. */
  readonly lookback: bigint;
  readonly chains: number; // workers at once at most
  readonly now: () => number; // local time, ms since the epoch
  readonly warn: (message: string) => Promise<void>;
}

/** A read under way: what its parts share. */
export type CursorRun<R> = ReturnType<typeof beginRun<R>>;

/** A read at its beginning: the ranges that a state leaves open, and what the start date wants beyond them. */
export function beginRun<R>(read: CursorRead<R>) {
  const { from, start, end } = read;
  const begin = withBackfill(from, start);
  const ranges = begin.ranges.map((range): WorkingRange => ({ ...range }));
  return {
    ...begin,
    read,
    seen: createSeenRows(from.seen, read.fingerprintOf),
    workers: new Set<RangeWorker<R>>(),
    ranges, // ascending
    isFinished: false,
    todo: ranges.filter((range) => isWanted(range, start, end)), // what waits for a worker
    /** What is known of the order in which the list comes: once broken, nothing may rest on it. */
    order: 'unproven' as 'unproven' | 'ascending' | 'broken',
    steps: 0, // created values that were later than all before them in their chain
    restsOnOrder: !from.isFinished, // true once ranges do
    clockAhead: MIN_INSTANT, // ns by which the records' clock is ahead of the server's, at least
    isClockKnown: true,
    stop: end + 1n, // the first instant that an end date leaves out
    repeats: 0, // rows that came again and were not emitted again
    unreadable: 0, // rows whose created value could not be read
    shown: MIN_INSTANT, // the latest created value of all rows, those that were left out included
    flight: new AbortController(),
  };
}

/**
 * The time up to which no rows can appear any more in a chain that began at a time of the server. Times without a zone, and
 * a server that hides its time, leave open how the clocks differ: the newest row, if any, shows how far the records' is behind.
 */
export function limitOf<R>({ read, clockAhead, isClockKnown }: CursorRun<R>, started: Instant): Instant {
  const isCompared = !isClockKnown && clockAhead !== MIN_INSTANT;
  return started + (isCompared ? earliest(clockAhead, 0n) : 0n) - read.lookback;
}

/** What leaves the read with a page, and where it stands now. */
export function batchOf<R>(run: CursorRun<R>, { rows, own, again }: ReturnType<typeof takePage<R>>) {
  const { createdSince, coveredFrom, format, isFinished, repeats, unreadable, shown, read } = run;
  const ranges = run.ranges.map((range) => ({ ...range }));
  /** Safe to go on from once `rows` and all before them have left. */
  const position: CursorPosition<SeenSnapshot<R>> = {
    createdSince,
    coveredFrom,
    ranges,
    seen: run.seen.keep(own, again, ranges),
    format,
    isFinished,
  };
  const newest = shown === MIN_INSTANT ? undefined : earliest(shown, read.end);
  return { rows, position, repeats, unreadable, newest, overflows: run.seen.overflows() };
}

/** Steps upwards that prove ascending order, and rows in a row beyond a range that prove its end: one clock may be wrong. */
export const ENOUGH_ROWS = 16;

/**
 * Takes the rows of a page that belong to the worker's range. Gives those to emit, which were not emitted before, what stands
 * for all of them from now on, and what stood for those that came again. The first row that contradicts ascending order
 * breaks it; if ranges rest on the order, nothing is taken from that row on.
 */
export function takePage<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>) {
  const { read } = run;
  const { from, range, known, newest: before } = worker;
  const [first] = page.rows;
  const rows: R[] = [];
  const own: SeenEntry<R>[] = [];
  const again = new Set<SeenEntry<R>>();
  if (worker.started === MIN_INSTANT) worker.started = page.serverTime;
  if (worker.first === undefined && first !== undefined) {
    worker.first = read.fingerprintOf(first);
    worker.isFirst = (row) => read.isSame(row, first);
  }
  const wanted = { since: from, until: earliest(range.until, run.stop) };
  const beyondFrom = wanted.until + read.lookback;
  for (const row of page.rows) {
    const time = read.createdOf(row);
    const created = time?.instant;
    // further behind newer ones than lateness explains; one without a time fits into no order of several ranges
    const isTooLate =
      created === undefined
        ? run.workers.size > 1
        : created < worker.newest && created < worker.newest - read.lookback;
    if (run.order !== 'broken' && isTooLate) {
      run.order = 'broken';
      if (run.restsOnOrder) break;
      // what the list shows behind this row is read as well, so that nothing but the state has to go back
      range.since = from;
    }
    if (time === undefined) run.unreadable++;
    else noteTime(run, worker, time);
    // a row without a readable time is always wanted
    if (created !== undefined && !isIn(wanted, created)) {
      worker.beyond = created >= beyondFrom ? worker.beyond + 1 : 0;
      continue;
    }
    if (created !== undefined) {
      worker.beyond = 0;
      worker.reached = later(worker.reached, created);
    }
    // it costs more than all the rest, and most rows of a long list need none
    const print = known.size === 0 ? undefined : read.fingerprintOf(row);
    const entries = print === undefined ? undefined : known.get(print);
    const emitted = entries?.pop();
    if (print !== undefined && entries?.length === 0) known.delete(print);
    own.push({ created, row, print });
    if (emitted === undefined) rows.push(row);
    else again.add(emitted);
  }
  run.clockAhead = later(run.clockAhead, worker.newest - page.serverTime);
  run.isClockKnown &&= page.isServerTime;
  run.shown = later(run.shown, worker.newest);
  run.repeats += again.size;
  worker.hasBroughtRows ||= rows.length > 0;
  worker.pageWidth = before === MIN_INSTANT ? MAX_INSTANT : worker.newest - before;
  return { rows, own, again };
}

function noteTime<R>(run: CursorRun<R>, worker: RangeWorker<R>, { instant, format }: WrittenTime): void {
  const { newest } = worker;
  run.format = mergedFormat(run.format, format);
  // times without a zone cannot be compared with the clock of a server
  run.isClockKnown &&= format.kind === 'epoch' || format.zone !== '';
  if (instant <= newest) return;
  worker.newest = instant;
  if (newest !== MIN_INSTANT && ++run.steps >= ENOUGH_ROWS && run.order === 'unproven')
    run.order = 'ascending';
}
