import { CURSOR_STATE } from '../limits.ts';
import { ENOUGH_ROWS, batchOf, beginRun, takePage } from './cursor-run.ts';
import { allowedLateness, formatOf, limitOf } from './cursor-run.ts';
import type { CursorRead, CursorRun } from './cursor-run.ts';
import { isFresh, needsConfirmation } from './expired-cursor.ts';
import { MAX_INSTANT, MIN_INSTANT, earliest, later, resolutionOf } from './instant.ts';
import { inTurns } from '../rows/slices.ts';
import { cut, joined, raise, type ChainStart, type WorkingRange } from './open-ranges.ts';
import { hintOf, startAt, startWorker, type RangeWorker, type TimedPage } from './range-worker.ts';
import { startGroup } from './request-group.ts';
import { fetchNext, usablePage } from './usable-page.ts';

/**
 * Reads a cursor list from a position to its end: yields every row that is visible at the first response and belongs to an open
 * range, unless it was emitted before. The last batch contains the position of the finished read.
 *
 * Each open range is read by a worker, from its lower bound or from where its chain stopped. Bounds move during the read, and
 * workers split the range, only once the list has proven to be in ascending order (within the lookback), which the API
 * does not guarantee. If a row contradicts an order on which ranges rely, the read falls back to one chain from where it began.
 *
 * @throws what `fetchPage` throws, and transient_error CURSOR_LOOP (see `createLoopGuard`)
 */
export async function* readCursorList<R>(read: CursorRead<R>) {
  const run = beginRun(read);
  try {
    for (fill(run); run.workers.size > 0; fill(run)) {
      const { worker, response } = await run.arrivals.next();
      if (!run.workers.has(worker)) continue;
      const page = await usablePage(run, worker, response);
      if (page === null) continue;
      const wasBroken = run.order === 'broken';
      const taken = await inTurns(takePage(run, worker, page), read.signal);
      const isBroken = run.order === 'broken' && !wasBroken;
      if (isBroken) await read.warn(run.reliesOnOrder ? FALLS_BACK : STATE_WAITS);
      if (isBroken && run.reliesOnOrder) fallBack(run);
      else advance(run, worker, page);
      const batch = batchOf(run, taken);
      // no state without progress: a cursor could expire while its state is being written
      if (taken.rows.length > 0 || worker.range.isReadAgain !== true) yield batch;
    }
    finish(run);
    yield batchOf(run, { rows: [], own: [], again: new Set() });
  } finally {
    run.requests.drop();
  }
}

const OUT_OF_ORDER = 'rows are not in ascending order of created time, or the server started the list over';
const FALLS_BACK = `${OUT_OF_ORDER}; falling back to one chain from where the read began, so rows may be repeated`;
const STATE_WAITS = `${OUT_OF_ORDER}; until the read ends, the state does not advance, and an expired cursor may go unnoticed, so rows may be repeated or missed`;

/** Assigns ranges to idle workers: first those that are waiting, then, if the order allows, parts of other workers' ranges. */
function fill<R>(run: CursorRun<R>): void {
  const isAscending = run.order === 'ascending';
  while (run.workers.size < (isAscending ? run.read.chains : 1)) {
    if (run.pending.length === 0 && isAscending && run.maySplit) splitLargestRange(run);
    const range = run.pending.shift();
    if (range === undefined) return;
    start(run, range, range.chain ?? startAt(range.since, formatOf(run)));
  }
}

function start<R>(run: CursorRun<R>, range: WorkingRange, from: ChainStart): RangeWorker<R> {
  const worker = startWorker(run.read, range, from);
  run.workers.add(worker);
  request(run, worker);
  return worker;
}

/** Requests the worker's next page, and queues the response when it arrives. */
function request<R>(run: CursorRun<R>, worker: RangeWorker<R>): void {
  const response = fetchNext(run, worker);
  const arrive = (): void => run.arrivals.add({ worker, response });
  // a failure surfaces when the page is taken
  void response.then(arrive, arrive);
}

/** Splits the largest remaining range: into equal parts for all workers if only one is active, otherwise into halves. */
function splitLargestRange<R>(run: CursorRun<R>): void {
  const { workers, ranges, read } = run;
  const room = CURSOR_STATE.maxRanges - ranges.length;
  const parts = Math.min(workers.size === 1 ? read.chains : 2, 1 + room);
  const found = [...workers].map(({ newest, range, pageWidth, started }) => {
    const at = later(newest, range.since);
    // where rows can be expected to end
    const to = earliest((started?.at ?? at) - allowedLateness(run), read.end, range.until);
    // each part is read past its end, and with local times from an hour before its start: shorter parts would not pay off
    const least = allowedLateness(run) + run.dstShift;
    const cuts = cut({ at, to, pageWidth }, parts, least, resolutionOf(formatOf(run)));
    return { range, cuts, width: to - at };
  });
  const worthIt = found.filter(({ cuts }) => cuts.length > 0);
  const [widest] = worthIt.toSorted((one, other) => (one.width < other.width ? 1 : -1));
  if (widest === undefined) return;
  const { range, cuts } = widest;
  const taken = cuts.map((since, at) => ({ since, until: cuts[at + 1] ?? range.until, chain: null }));
  range.until = cuts[0] ?? range.until;
  run.reliesOnOrder = true;
  ranges.splice(ranges.indexOf(range) + 1, 0, ...taken);
  run.pending.push(...taken);
}

/**
 * Updates a range after a page: how far it has been read, and whether more pages follow. A range that was read to its end stays
 * open from the time on at which late rows may still appear.
 */
function advance<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): void {
  const course = courseOf(run, worker, page);
  if (course === 'ended' && needsConfirmation(run, worker, page)) return confirm(run, worker, page);
  raiseBound(run, worker, course);
  if (course === 'continues') proceed(run, worker, page);
  else release(run, worker, page);
}

type Course = 'continues' | 'passed' | 'ended';

/** Returns whether a chain continues, has passed its range, after which no more rows can follow in ascending order, or has ended. */
function courseOf<R>({ order }: CursorRun<R>, { beyond }: RangeWorker<R>, { next }: TimedPage<R>): Course {
  if (order === 'ascending' && beyond >= ENOUGH_ROWS) return 'passed';
  return next === null ? 'ended' : 'continues';
}

/** Raises the lower bound of a range to where it is known to have been read. */
function raiseBound<R>(run: CursorRun<R>, worker: RangeWorker<R>, course: Course): void {
  const { order, stop, newestSeen, createdSince, rowFormat } = run;
  const { range, reached, started, resumedAt } = worker;
  // not beyond the newest row of the list, so that late rows are found until a newer one appears
  const end = earliest(range.until <= stop ? range.until : reached, later(newestSeen, createdSince));
  const readTo = course === 'continues' ? reached - allowedLateness(run) : end;
  const limit = earliest(started === null ? MIN_INSTANT : limitOf(run, started), stop);
  // the end of a resumed chain may be an expired cursor: it is not confirmed, since its range is read again
  const isProven = course === 'ended' ? resumedAt === null : order === 'ascending';
  // rows that appear later may be shown with an earlier time, rounded down
  if (rowFormat !== null && isProven) raise(range, earliest(readTo, limit), rowFormat);
}

function proceed<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): void {
  const { next, sentAtMs, receivedAtMs } = page;
  const { read, order } = run;
  worker.range.chain = next === null || order === 'broken' ? null : hintOf(worker, next, read, read.now());
  worker.after = next;
  worker.issued = { sentAtMs, receivedAtMs };
  request(run, worker);
}

/** Ends a chain. Its range is closed, stays open for late rows, or is read again. */
function release<R>(run: CursorRun<R>, worker: RangeWorker<R>, { next }: TimedPage<R>): void {
  const { range, resumedAt } = worker;
  range.chain = null;
  run.reliesOnOrder ||= next !== null;
  run.workers.delete(worker);
  if (range.since >= range.until) run.ranges = run.ranges.filter((one) => one !== range);
  // a resumed chain has missed rows that appeared before its cursor in the meantime: read the range again from its bound
  else if (resumedAt !== null) run.pending.push(range);
}

/** Confirms the end of a chain by a request without a cursor, from the last created time of the chain. */
function confirm<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): void {
  const { range, reached, newest, atNewest, repeatedAtNewest, last, started, hasEmittedRows } = worker;
  const before = run.ends.get(range);
  run.workers.delete(worker);
  range.chain = null;
  range.isReadAgain = true;
  // late rows may follow the newest one, unless the end has been reached and none was seen
  const mayBeLate = run.hasLateRows || !isFresh(run, worker, page);
  const from = mayBeLate ? later(range.since, reached - allowedLateness(run)) : reached;
  const next = start(run, range, { ...startAt(from, formatOf(run)), started });
  // in any other order, the rows from a given time on need not end where the list does
  const mayKeep = run.order === 'ascending' && !hasEmittedRows;
  const hasFewer = newest === before?.newest && atNewest < before.atNewest;
  const isEarlier = before !== undefined && (hasFewer || newest < before.newest);
  const minAtNewest = newest === reached ? atNewest - repeatedAtNewest : 0;
  // each attempt expects one row fewer, since some may have been received twice
  const end =
    mayKeep && isEarlier
      ? { ...before, atNewest: Math.max(before.minAtNewest, before.atNewest - 1) }
      : { newest, atNewest, minAtNewest, last, time: page.time };
  run.ends.set(range, { ...end, attempts: (before?.attempts ?? 0) + 1 });
  next.reached = reached;
}

/** Falls back to one chain from where the read began, which does not rely on the order of the list. */
function fallBack<R>(run: CursorRun<R>): void {
  const { read, createdSince, unwanted } = run;
  run.requests.drop();
  run.requests = startGroup(read.signal);
  run.workers.clear();
  const again: WorkingRange = { since: createdSince, until: MAX_INSTANT, chain: null };
  run.ranges = [...unwanted.filter(({ until }) => until <= createdSince), again];
  run.pending = [again];
}

/** Keeps open, after the read, the ranges in which rows may still appear and those outside the current dates. */
function finish<R>(run: CursorRun<R>): void {
  run.isFinished = true;
  const { ranges, read, createdSince } = run;
  run.ranges = [...joined(ranges, CURSOR_STATE.maxRanges)];
  run.createdSince = run.ranges[0]?.since ?? createdSince;
  const hasSeenAll = ranges.length === 1 && read.end === MAX_INSTANT;
  if (hasSeenAll && run.createdSince !== createdSince) run.seen.dropLoaded();
}
