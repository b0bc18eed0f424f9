import { ALARMS_STATE } from '../limits.ts';
import { beginRun, behindEnd, factsOf, isBeyond, limitOf, positionOf, takePage } from './cursor-run.ts';
import type { CursorBatch, CursorRead, CursorRun, TakenPage } from './cursor-run.ts';
import { earlierOf, laterOf, resolutionOf } from './instant.ts';
import type { Instant } from './instant.ts';
import { loopError } from './loop-guard.ts';
import { cut, holds, isWanted, joined } from './open-ranges.ts';
import { ask, hintOf, isFirstPage, raise, startWorker, workingRange } from './range-worker.ts';
import type { Arrival, RangeWorker, TimedPage, WorkingRange } from './range-worker.ts';

/** Starts on one range in a row that come no further, after which the read ends. */
const MOST_RESTARTS = 10;
/** Requests for a page whose cursor leads back, after which it is believed. */
const MOST_REQUESTS_OF_LOOP = 3;

/**
 * Reads a cursor list from a position to its end: every row that is visible at the first answer and
 * belongs to an open range is yielded, unless it was emitted before. The last batch holds the position after the
 * finished read.
 *
 * Each open range is read by a worker from its lower bound on, or from where its chain stopped. Only once the list has
 * shown ascending order, which the API does not promise (rows may stand late by the lookback), do bounds move inside the
 * read and do several workers share the time. The first row that contradicts it makes the read begin again as
 * one chain, and say so: rows may repeat, none is lost.
 *
 * @throws what `fetchPage` throws, and transient_error CURSOR_LOOP (see `createLoopGuard`)
 */
export async function* readCursorList<R>(read: CursorRead<R>): AsyncGenerator<CursorBatch<R>> {
  const run = beginRun(read);
  try {
    fill(run);
    while (run.workers.size > 0) {
      const arrival = await Promise.race([...run.workers].map((worker) => worker.arrival));
      const { worker } = arrival;
      const page = await usablePage(run, arrival);
      if (page !== null) {
        const taken = takePage(run, worker, page);
        if (taken.contradiction !== 'none') await warnOfOrder(run, taken);
        if (taken.contradiction === 'fatal') fallBack(run, taken);
        else advance(run, worker, page, taken);
        yield { rows: taken.wanted, position: positionOf(run, false), facts: factsOf(run) };
      }
      fill(run);
    }
    finish(run);
    yield { rows: [], position: positionOf(run, true), facts: factsOf(run) };
  } finally {
    run.flight.abort();
  }
}

/** Gives ranges to idle workers: those that wait, and then, if order allows, parts of what others still have before them. */
function fill<R>(run: CursorRun<R>): void {
  const isAscending = run.order === 'ascending';
  while (run.workers.size < (isAscending ? run.read.chains : 1)) {
    if (run.todo.length === 0 && isAscending) stealWork(run);
    const range = run.todo.shift();
    if (range === undefined) return;
    start(run, range, 0);
  }
}

function start<R>(run: CursorRun<R>, range: WorkingRange, standstill: number): void {
  const signal = AbortSignal.any([run.flight.signal, run.read.signal]);
  const { format } = run;
  run.workers.add(startWorker(run.read, range, run.seen.lookup(range), { format, standstill, signal }));
}

/** Takes time away from the worker that has most left: equal parts for all if it is the only one, else half of it. */
function stealWork<R>(run: CursorRun<R>): void {
  const { workers, ranges, format, read } = run;
  if (ranges.length >= ALARMS_STATE.mostRanges) return;
  const rests = [...workers].map(({ newest, range, pageWidth, started }) => ({
    range,
    at: laterOf(newest, range.since),
    to: started === undefined ? undefined : expectedEnd(run, range, started),
    pageWidth,
  }));
  // each part reads a lookback beyond its end: shorter ones cost more than they spare
  const rules = { resolution: format === null ? 1n : resolutionOf(format), least: read.lookback };
  const taken = cut(rests, workers.size === 1 ? read.chains : 2, rules);
  if (taken === null) return;
  const { cuts, rest } = taken;
  const { until } = rest.range;
  const parts = cuts.map((since, index) => workingRange(since, cuts[index + 1] ?? until));
  rest.range.until = cuts[0];
  run.restsOnOrder = true;
  ranges.push(...parts);
  run.todo.push(...parts);
}

/** Where the rows of a range end, or can be expected to end. */
function expectedEnd<R>(run: CursorRun<R>, { until }: WorkingRange, started: Instant): Instant | undefined {
  const limit = limitOf(run, started);
  return limit === undefined ? undefined : earlierOf(earlierOf(limit, run.read.end), until);
}

/** The page that has arrived; null if it is asked for again: where its cursor is dead, or leads back. */
async function usablePage<R>(run: CursorRun<R>, arrival: Arrival<R>): Promise<TimedPage<R> | null> {
  const { read } = run;
  const { worker } = arrival;
  if ('error' in arrival) {
    if (worker.after === null || !read.isRefusal(arrival.error)) throw arrival.error;
    await restart(run, worker);
    return null;
  }
  let { page } = arrival;
  if (isFirstPage(read, worker, page)) {
    await restart(run, worker);
    return null;
  }
  for (let asked = 1; asked < MOST_REQUESTS_OF_LOOP && worker.guard.hasHad(page.next ?? ''); asked++)
    page = await read.fetchPage(worker.after, worker.createdSince, worker.signal);
  if (page.next !== null) worker.guard.page(page.next, page.rows);
  return page;
}

/** Reads a range anew from its lower bound. */
async function restart<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<void> {
  const { range, from, isResumed } = worker;
  const hasMoved = range.since !== from;
  const isProgress = hasMoved || isResumed || (worker.hasBroughtRows && !run.seen.overflows());
  const standstill = isProgress ? 0 : worker.standstill + 1;
  run.restsOnOrder ||= hasMoved;
  if (standstill > MOST_RESTARTS)
    throw loopError(`broke off ${MOST_RESTARTS} times because the server no longer knew its cursor`);
  await run.read.info('the server no longer knows the place in the list; resuming from the created time');
  leave(run, worker);
  range.chain = null;
  start(run, range, standstill);
}

function leave<R>(run: CursorRun<R>, worker: RangeWorker<R>): void {
  run.workers.delete(worker);
  run.seen.keep(worker.latest, run.ranges);
}

/** What a page shows of its range: how far that has been read, and whether more can follow. */
function advance<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  page: TimedPage<R>,
  { own }: TakenPage<R>,
): void {
  const { read, ranges, format } = run;
  const { range, reached } = worker;
  const isAscending = run.order === 'ascending';
  const stop = behindEnd(read.end);
  const limit = limitOf(run, worker.started ?? page.serverTime);
  if (isAscending && reached !== undefined && limit !== undefined)
    raise(range, earlierOf(earlierOf(reached - read.lookback, limit), stop), format);
  run.seen.keep(worker.latest, ranges);
  worker.latest = own.filter(({ created }) => holds([range], created));
  const isOver = page.next !== null && isAscending && isBeyond(worker);
  run.restsOnOrder ||= isOver;
  if (page.next !== null && !isOver) {
    range.chain = run.order === 'broken' ? null : hintOf(worker, page.next, read.end, read.now());
    ask(read, worker, page.next);
    return;
  }
  const isWhole = range.until !== undefined && (stop === undefined || range.until <= stop);
  const end = isWhole ? range.until : earlierOf(reached, stop);
  if (end !== undefined && limit !== undefined) range.readTo = earlierOf(end, limit);
  close(run, range);
  range.chain = null;
  leave(run, worker);
  // a chain that was resumed knows nothing of rows that appeared behind it since: once more, from the lower bound
  const isRead = range.until !== undefined && range.readTo !== undefined && range.readTo >= range.until;
  if (worker.isResumed && !isRead) run.todo.push(range);
}

/**
 * Lets go of what has been read of a range, but not beyond the newest row of the whole list: there, rows that come later
 * than the lookback are found by the next read as long as nothing newer comes, however the time was shared out.
 */
function close<R>(run: CursorRun<R>, range: WorkingRange): void {
  const newest = laterOf(run.shown, run.read.from.createdSince);
  if (range.readTo !== undefined && newest !== undefined)
    raise(range, earlierOf(range.readTo, newest), run.format);
  if (range.until !== undefined && range.since !== undefined && range.since >= range.until)
    run.ranges = run.ranges.filter((other) => other !== range);
}

async function warnOfOrder<R>({ read }: CursorRun<R>, { contradiction }: TakenPage<R>): Promise<void> {
  await read.warn(
    contradiction === 'fatal'
      ? 'the list does not come in ascending order of created times; reading it again as one chain from where the ' +
          'read began, so rows may repeat'
      : 'the list does not come in ascending order of created times; the state moves only at its end, so rows may ' +
          'repeat if the read is interrupted',
  );
}

/** Begins again where the read began, as one chain that rests on nothing. */
function fallBack<R>(run: CursorRun<R>, { own }: TakenPage<R>): void {
  const { read, createdSince } = run;
  run.flight.abort();
  run.flight = new AbortController();
  const waiting = run.ranges.filter(
    (range) =>
      !isWanted(range, read.start, read.end) &&
      range.until !== undefined &&
      createdSince !== undefined &&
      range.until <= createdSince,
  );
  const again = workingRange(createdSince, undefined);
  run.ranges = [...waiting, again];
  run.todo = [again];
  for (const worker of run.workers) leave(run, worker);
  run.seen.keep(own, run.ranges);
}

/** What remains open after the read: ranges in which rows may still appear, and those that wait for other dates. */
function finish<R>(run: CursorRun<R>): void {
  for (const range of run.ranges) close(run, range);
  const [first, ...others] = run.ranges;
  const hasSeenAll = others.length === 0 && run.read.end === undefined;
  if (hasSeenAll && first?.since !== run.createdSince) run.seen.dropLoaded();
  run.ranges = joined(run.ranges).map((range) => ({ ...range, readTo: undefined }));
  run.createdSince = run.ranges[0]?.since;
}
