import { CURSOR_STATE } from '../limits.ts';
import { ENOUGH_ROWS, batchOf, beginRun, limitOf, takePage } from './cursor-run.ts';
import type { CursorRead, CursorRun } from './cursor-run.ts';
import { MAX_INSTANT, earliest, later, resolutionOf } from './instant.ts';
import { loopError } from './loop-guard.ts';
import { cut, isWanted, joined, raise } from './open-ranges.ts';
import type { WorkingRange } from './open-ranges.ts';
import { hintOf, startWorker } from './range-worker.ts';
import type { RangeWorker, TimedPage } from './range-worker.ts';

/** Starts on one range in a row that come no further, after which the read ends. */
const MOST_RESTARTS = 10;
/** Requests for a page whose cursor leads back, after which it is believed. */
const MOST_REQUESTS_OF_LOOP = 3;

/**
 * Reads a cursor list from a position to its end: every row that is visible at the first answer and belongs to an open range
 * is yielded, unless it was emitted before. The last batch holds the position after the finished read.
 *
 * Each open range is read by a worker from its lower bound, or from where its chain stopped. Only once the list has shown
 * ascending order, which the API does not promise (rows may stand late by the lookback), bounds move inside the read and
 * workers share the time. The first row that contradicts it makes the read begin again as one chain: none is lost.
 *
 * @throws what `fetchPage` throws, and transient_error CURSOR_LOOP (see `createLoopGuard`)
 */
export async function* readCursorList<R>(read: CursorRead<R>) {
  const run = beginRun(read);
  try {
    for (fill(run); run.workers.size > 0; fill(run)) {
      const arrivals = [...run.workers].map((one) => one.answer.catch(() => null).then(() => one));
      const worker = await Promise.race(arrivals);
      const page = await usablePage(run, worker);
      if (page === null) continue;
      const wasBroken = run.order === 'broken';
      const taken = takePage(run, worker, page);
      const isBroken = run.order === 'broken' && !wasBroken;
      if (isBroken) await read.warn(run.restsOnOrder ? READ_AGAIN : STATE_WAITS);
      if (isBroken && run.restsOnOrder) fallBack(run);
      else advance(run, worker, page);
      yield batchOf(run, taken);
    }
    finish(run);
    yield batchOf(run, { rows: [], own: [], again: new Set() });
  } finally {
    run.flight.abort();
  }
}

const OUT_OF_ORDER = 'the list does not come in ascending order of created times';
const READ_AGAIN = `${OUT_OF_ORDER}; reading it again as one chain from where the read began, so rows may repeat`;
const STATE_WAITS = `${OUT_OF_ORDER}; the state moves only at its end, so rows may repeat if the read is interrupted`;

/** Gives ranges to idle workers: those that wait, and then, if order allows, parts of what others still have before them. */
function fill<R>(run: CursorRun<R>): void {
  const isAscending = run.order === 'ascending';
  while (run.workers.size < (isAscending ? run.read.chains : 1)) {
    if (run.todo.length === 0 && isAscending) stealWork(run);
    const range = run.todo.shift();
    if (range === undefined) return;
    const signal = AbortSignal.any([run.flight.signal, run.read.signal]);
    run.workers.add(startWorker(run.read, range, run.format, run.seen.lookup(range), signal));
  }
}

/** Takes time away from the worker that has most left: equal parts for all if it is the only one, else half of it. */
function stealWork<R>(run: CursorRun<R>): void {
  const { workers, ranges, format, read } = run;
  if (ranges.length >= CURSOR_STATE.mostRanges) return;
  const parts = workers.size === 1 ? read.chains : 2;
  const found = [...workers].map(({ newest, range, pageWidth, started }) => {
    const at = later(newest, range.since);
    // where rows can be expected to end
    const to = earliest(limitOf(run, started), read.end, range.until);
    // each part reads a lookback beyond its end: shorter ones cost more than they spare
    const cuts = cut({ at, to, pageWidth }, parts, read.lookback, resolutionOf(format));
    return { range, cuts, width: to - at };
  });
  const worthIt = found.filter(({ cuts }) => cuts.length > 0);
  const [widest] = worthIt.toSorted((one, other) => (one.width < other.width ? 1 : -1));
  if (widest === undefined) return;
  const { range, cuts } = widest;
  const taken = cuts.map((since, at) => ({ since, until: cuts[at + 1] ?? range.until, chain: null }));
  range.until = cuts[0] ?? range.until;
  run.restsOnOrder = true;
  ranges.splice(ranges.indexOf(range) + 1, 0, ...taken);
  run.todo.push(...taken);
}

/**
 * The page that has arrived; null if it is asked for again: where its cursor is dead, or leads back. Some servers answer a
 * dead cursor with the list's first page, in silence: then the chain's first row comes again, not always as the first one.
 */
async function usablePage<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<TimedPage<R> | null> {
  const { after, guard, ask, isFirst } = worker;
  let page = await worker.answer.catch((error: unknown) => {
    if (after === null || !run.read.isRefusal(error)) throw error;
    return null;
  });
  if (page === null || (after !== null && page.rows.some(isFirst))) {
    await restart(run, worker);
    return null;
  }
  for (let asked = 1; asked < MOST_REQUESTS_OF_LOOP && guard.hasHad(page.next ?? ''); asked++)
    page = await ask(after);
  if (page.next !== null) guard.page(page.next, page.rows);
  return page;
}

/** Reads a range anew from its lower bound. */
async function restart<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<void> {
  const { range, from, isResumed } = worker;
  const hasMoved = range.since !== from;
  const isProgress = hasMoved || isResumed || (worker.hasBroughtRows && !run.seen.overflows());
  range.standstill = isProgress ? 0 : (range.standstill ?? 0) + 1;
  run.restsOnOrder ||= hasMoved;
  if (range.standstill > MOST_RESTARTS)
    throw loopError(`broke off ${MOST_RESTARTS} times because the server no longer knew its cursor`);
  await run.read.info('the server no longer knows the place in the list; resuming from the created time');
  run.workers.delete(worker);
  range.chain = null;
  run.todo.unshift(range);
}

/**
 * What a page shows of its range: how far that has been read, and whether more can follow. A range that was read to its end
 * is let go, but not beyond the newest row of the whole list: there, rows that come later than the lookback are found by the
 * next read as long as nothing newer comes, however the time was shared out.
 */
function advance<R>(run: CursorRun<R>, worker: RangeWorker<R>, { next }: TimedPage<R>): void {
  const { read, order, stop, shown } = run;
  const { range, reached } = worker;
  // in ascending order no rows of the range, and none that are wanted, can follow
  const isOver = next === null || (order === 'ascending' && worker.beyond >= ENOUGH_ROWS);
  const readTo = isOver
    ? earliest(range.until <= stop ? range.until : reached, later(shown, read.from.createdSince))
    : reached - read.lookback;
  const limit = earliest(limitOf(run, worker.started), stop);
  // as long as no time was seen, nothing says how to write one that the API reads
  if (run.format !== null && (isOver || order === 'ascending'))
    raise(range, earliest(readTo, limit), run.format);
  range.chain = isOver || order === 'broken' ? null : hintOf(worker, next, read.end, read.now());
  if (!isOver) {
    worker.after = next;
    worker.answer = worker.ask(next);
    return;
  }
  run.restsOnOrder ||= next !== null;
  run.workers.delete(worker);
  if (range.since >= range.until) run.ranges = run.ranges.filter((one) => one !== range);
  // a chain that was resumed knows nothing of rows that appeared behind it since: once more, from the lower bound
  else if (worker.isResumed) run.todo.push(range);
}

/** Begins again where the read began, as one chain that rests on nothing. */
function fallBack<R>(run: CursorRun<R>): void {
  const { read, createdSince } = run;
  run.flight.abort();
  run.flight = new AbortController();
  run.workers.clear();
  const again: WorkingRange = { since: createdSince, until: MAX_INSTANT, chain: null };
  const isWaiting = (range: WorkingRange): boolean =>
    range.until <= createdSince && !isWanted(range, read.start, read.end);
  run.ranges = [...run.ranges.filter(isWaiting), again];
  run.todo = [again];
}

/** What remains open after the read: ranges in which rows may still appear, and those that wait for other dates. */
function finish<R>(run: CursorRun<R>): void {
  run.isFinished = true;
  const { ranges, read, createdSince } = run;
  run.ranges = joined(ranges, CURSOR_STATE.mostRanges).map((range) => ({ ...range }));
  run.createdSince = run.ranges[0]?.since ?? createdSince;
  const hasSeenAll = ranges.length === 1 && read.end === MAX_INSTANT;
  if (hasSeenAll && run.createdSince !== createdSince) run.seen.dropLoaded();
}
