import type { Fingerprint } from './identities.ts';
import { FALL_BACK, MAX_INSTANT, MIN_INSTANT, earliest, isLocal, later, mergedFormat } from './instant.ts';
import type { Instant, WrittenTime } from './instant.ts';
import { isIn, isWanted, withBackfill } from './open-ranges.ts';
import type { CursorPosition, WorkingRange } from './open-ranges.ts';
import type { ClockTime, CursorList, RangeWorker, TimedPage } from './range-worker.ts';
import { startGroup } from './request-group.ts';
import { createSeenRows } from './seen-rows.ts';
import type { SeenEntry, SeenSnapshot } from './seen-rows.ts';

export interface CursorRead<R> extends CursorList<R> {
  /** If it is what an unfinished read left, something may rest on the list's order already. */
  readonly from: CursorPosition<readonly Fingerprint[]>;
  /** ns before the newest row within which rows may still appear, or be listed out of order. */
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
    arrivals: createQueue<RangeWorker<R>>(), // workers whose requests have been answered, in that order
    ranges, // ascending
    isFinished: false,
    todo: ranges.filter((range) => isWanted(range, start, end)), // what waits for a worker
    /** What is known of the order in which the list comes: once broken, nothing may rest on it. */
    order: 'unproven' as 'unproven' | 'ascending' | 'broken',
    maySteal: true, // false once the server has refused a `createdSince` after the newest row
    steps: 0, // created values that were later than all before them in their chain
    restsOnOrder: !from.isFinished, // true once ranges do
    /** ns by which the records' clock is ahead of each other clock, at least. */
    ahead: { server: MIN_INSTANT, local: MIN_INSTANT, former: MIN_INSTANT },
    hasLateRows: false, // true once a row stands after a newer one
    hasLocalTimes: false, // true once a created value has no zone
    stop: end + 1n, // the first instant that an end date leaves out
    repeats: 0, // rows that were received again and not emitted again
    alike: 0, // emitted rows with the text of a row on an earlier page
    unreadable: 0, // emitted rows whose created value could not be read
    shown: MIN_INSTANT, // the latest created value of all rows, those that were left out included
    provenAgeMs: 0, // age of the oldest cursor that has led to rows
    requests: startGroup(read.signal), // in flight
  };
}

/** Values in the order in which they were added. Waiting for one leaves nothing on those that are still to come. */
function createQueue<T>() {
  const values: T[] = [];
  let wake: (() => void) | null = null;
  return {
    add: (value: T): void => {
      values.push(value);
      wake?.();
    },
    /** The next value; waits until there is one. */
    next: async (): Promise<T> => {
      for (;;) {
        const [value] = values.splice(0, 1);
        if (value !== undefined) return value;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Returns the ns before the newest row within which rows may still appear, or be listed out of order. */
export function slackOf<R>({ read, hasLocalTimes }: CursorRun<R>): bigint {
  return read.lookback + (hasLocalTimes ? FALL_BACK : 0n);
}

/**
 * The time up to which no rows can appear any more in a chain that began at `started`; `MIN_INSTANT` if that cannot be told.
 * The newest row, if there is one, shows how slow the records' clock may be, compared with the one that showed `started`.
 */
export function limitOf<R>(run: CursorRun<R>, { at, clock }: ClockTime): Instant {
  const ahead = run.shown === MIN_INSTANT && clock !== 'former' ? 0n : run.ahead[clock];
  return ahead === MIN_INSTANT ? MIN_INSTANT : at + earliest(ahead, 0n) - slackOf(run);
}

/** What leaves the read with a page, and where it stands now. */
export function batchOf<R>(run: CursorRun<R>, { rows, own, again }: ReturnType<typeof takePage<R>>) {
  const { createdSince, coveredFrom, format, isFinished, repeats, alike, unreadable, shown, read } = run;
  const ranges = run.ranges.map((range) => ({ ...range }));
  /** Safe to resume from once `rows` and all rows before them have been written. */
  const position: CursorPosition<SeenSnapshot<R>> = {
    createdSince,
    coveredFrom,
    ranges,
    seen: run.seen.keep(own, again, ranges),
    format,
    isFinished,
  };
  const newest = shown === MIN_INSTANT ? undefined : earliest(shown, read.end);
  return {
    rows,
    position,
    repeats,
    alike,
    unreadable,
    newest,
    forgets: isFinished && run.seen.forgets(ranges),
  };
}

/** Steps upwards that prove ascending order, and rows in a row beyond a range that prove its end: one clock may be wrong. */
export const ENOUGH_ROWS = 16;

/**
 * Takes the rows of a page that belong to the worker's range. Returns those to emit, which were not emitted before, what stands
 * for all of them from now on, and what stood for those that were received again. The first row that contradicts ascending
 * order breaks it; if ranges rest on the order, nothing is taken from that row on.
 */
export function takePage<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>) {
  const { read } = run;
  const passed = worker.newest;
  if (worker.issuedMs !== null && page.rows.length > 0)
    run.provenAgeMs = Math.max(run.provenAgeMs, page.sentAtMs - worker.issuedMs);
  const times = page.rows.map(read.createdOf);
  const taken = noteTimes(run, worker, times);
  const { clock, at } = page.time;
  run.ahead[clock] = later(run.ahead[clock], worker.newest - at);
  run.shown = later(run.shown, worker.newest);
  worker.last = page.rows.at(-1) ?? worker.last;
  worker.pageWidth = passed === MIN_INSTANT ? MAX_INSTANT : worker.newest - passed;
  return chooseRows(run, worker, page.rows.slice(0, taken), times, passed);
}

type Times = readonly (WrittenTime | undefined)[];

/** Notes the times of a page in their order; returns how many rows come before one that contradicts an order in use. */
function noteTimes<R>(run: CursorRun<R>, worker: RangeWorker<R>, times: Times): number {
  for (let at = 0; at < times.length; at++) {
    const time = times[at];
    if (run.order !== 'broken' && isTooLate(run, worker, time)) {
      run.order = 'broken';
      if (run.restsOnOrder) return at;
      // what the list shows after this row is read as well, so that nothing but the state has to go back
      worker.range.since = worker.from;
    }
    if (time !== undefined) noteTime(run, worker, time);
  }
  return times.length;
}

/** Returns true if a row is older than the newest one by more than lateness explains, or if several ranges are read and it has no time. */
function isTooLate<R>(run: CursorRun<R>, { newest }: RangeWorker<R>, time: WrittenTime | undefined): boolean {
  if (time === undefined) return run.workers.size > 1;
  return time.instant < newest && time.instant < newest - slackOf(run);
}

function noteTime<R>(run: CursorRun<R>, worker: RangeWorker<R>, { instant, format }: WrittenTime): void {
  const { newest } = worker;
  run.format = mergedFormat(run.format, format);
  run.hasLocalTimes ||= isLocal(format);
  run.hasLateRows ||= instant < newest;
  if (instant <= newest) return;
  worker.newest = instant;
  if (newest === MIN_INSTANT) return;
  run.steps++;
  if (run.steps >= ENOUGH_ROWS && run.order === 'unproven') run.order = 'ascending';
}

/** The rows that belong to the worker's range, and of these the ones to emit. The chain had come to `passed` before the page. */
function chooseRows<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  page: readonly R[],
  times: Times,
  passed: Instant,
) {
  const rows: R[] = [];
  const own: SeenEntry<R>[] = [];
  const again = new Set<SeenEntry<R>>();
  const { known } = worker;
  const wanted = { since: worker.from, until: earliest(worker.range.until, run.stop) };
  const beyondFrom = wanted.until + slackOf(run);
  for (let at = 0; at < page.length; at++) {
    const row = page[at] as R;
    const created = times[at]?.instant;
    // a row without a readable time is always wanted
    if (created !== undefined && !isIn(wanted, created)) {
      worker.beyond = created >= beyondFrom ? worker.beyond + 1 : 0;
      continue;
    }
    if (created !== undefined) {
      worker.beyond = 0;
      worker.reached = later(worker.reached, created);
    }
    // a fingerprint costs more than all the rest, and most rows of a long list need none
    const mayRepeat = created === undefined || created <= passed;
    const print = known.size > 0 || mayRepeat ? run.read.fingerprintOf(row) : undefined;
    const emitted = takeKnown(known, print);
    const isAlike = emitted === undefined && mayRepeat && run.seen.has(print);
    if (isAlike && run.read.hasId(row)) {
      run.repeats++;
      continue;
    }
    if (isAlike) run.alike++;
    own.push({ created, row, print });
    if (emitted === undefined) rows.push(row);
    else again.add(emitted);
    if (emitted === undefined && created === undefined) run.unreadable++;
  }
  run.repeats += again.size;
  worker.hasBroughtRows ||= rows.length > 0;
  return { rows, own, again };
}

/** Takes one entry out of what is known under a fingerprint; undefined if there is none. */
function takeKnown<E>(known: Map<Fingerprint, E[]>, print: Fingerprint | undefined): E | undefined {
  if (print === undefined) return undefined;
  const entries = known.get(print);
  const entry = entries?.pop();
  if (entries?.length === 0) known.delete(print);
  return entry;
}
