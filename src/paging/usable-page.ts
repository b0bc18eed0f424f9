import type { CursorRun } from './cursor-run.ts';
import { judgePage, noteFirstRows, repeatsKnownRow } from './expired-cursor.ts';
import { MIN_INSTANT } from './instant.ts';
import { inTurns, type Sliced } from '../rows/slices.ts';
import { loopError } from './loop-guard.ts';
import type { WorkingRange } from './open-ranges.ts';
import { datedPage, type DatedPage, type RangeWorker, type TimedPage } from './range-worker.ts';

/** Maximum cost of the restarts of a range without progress, and the cost of a restart with and without new rows. */
const RESTARTS = { max: 100, withRows: 1, withoutRows: 10 };
/** Maximum number of times that a range is read again because it is doubtful whether a page follows the previous one. */
const MAX_DOUBTFUL_PAGES = 3;
/** Requests for a page whose cursor points back before the loop is considered real. */
const MAX_REQUESTS_OF_LOOP = 3;

/** Requests the worker's next page. */
export function fetchNext<R>({ read, requests }: CursorRun<R>, { after, createdSince }: RangeWorker<R>) {
  return read.fetchPage(after, createdSince, requests.signal);
}

/** Returns the page that has arrived; null if its range is read again from its bound, or was merged. */
export async function usablePage<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  response: Promise<TimedPage<R>>,
): Promise<DatedPage<R> | null> {
  const { guard } = worker;
  let page = await acceptedPage(run, worker, response);
  for (let asked = 1; asked < MAX_REQUESTS_OF_LOOP && guard.hasSeen(page?.next ?? ''); asked++)
    page = await acceptedPage(run, worker, fetchNext(run, worker));
  // its range was merged into the previous one
  if (!run.workers.has(worker)) return null;
  if (page === null || !(await inTurns(isUsable(run, worker, page), run.read.signal))) {
    await restart(run, worker);
    return null;
  }
  noteFirstRows(run, worker, page);
  if (page.next !== null) guard.page(page.next, page.rows);
  return page;
}

/** Returns false if a range must be read again from its bound. A doubtful page is accepted after a few such attempts. */
function* isUsable<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: DatedPage<R>): Sliced<boolean> {
  if (worker.isNew) worker.known = yield* run.seen.lookup(worker.range);
  worker.isNew = false;
  const verdict = yield* judgePage(run, worker, page);
  if (verdict === 'started over' || (yield* repeatsKnownRow(run, worker, page))) return false;
  if (verdict === 'follows') return true;
  const { range } = worker;
  range.doubtfulPages = (range.doubtfulPages ?? 0) + 1;
  return range.doubtfulPages > MAX_DOUBTFUL_PAGES;
}

/** Returns the page; null if the server rejects its cursor or fails on it, or if the range was merged into another. */
async function acceptedPage<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  response: Promise<TimedPage<R>>,
): Promise<DatedPage<R> | null> {
  try {
    return await inTurns(datedPage(await response, run.read), run.read.signal);
  } catch (error) {
    const { after, newest, range } = worker;
    if (run.read.isRefusal(error)) {
      // the refusal may predate the row that seems to contradict it
      const mayBeOutdated = hasBegun(run, range) && range.isReadAgain !== true;
      if (after === null && !mergeIntoPrevious(run, worker) && !mayBeOutdated) throw error;
      return null;
    }
    // if the server fails again at the same created time, the cursor is not the cause
    const isRepeated = range.reachedAtFailure !== undefined && newest <= range.reachedAtFailure;
    if (after === null || isRepeated || !run.read.isServerError(error)) throw error;
    range.reachedAtFailure = newest;
    return null;
  }
}

/**
 * Merges the range of a worker into the adjacent one before it, which is read to the end of the list: some servers reject a
 * `createdSince` after their newest row. Returns false if there is no such range, or a newer row is known.
 */
function mergeIntoPrevious<R>(run: CursorRun<R>, worker: RangeWorker<R>): boolean {
  const { ranges, unwanted } = run;
  const { range } = worker;
  const previous = ranges[ranges.indexOf(range) - 1];
  // part of a wanted range is read even if it ends before the start date
  const isAdjacent = previous?.until === range.since && !unwanted.includes(previous);
  if (!isAdjacent || hasBegun(run, range)) return false;
  previous.until = range.until;
  run.ranges = ranges.filter((one) => one !== range);
  run.workers.delete(worker);
  run.maySplit = false;
  return true;
}

/** True if a row was seen that was created at or after the start of a range. */
function hasBegun<R>({ newestSeen }: CursorRun<R>, { since }: WorkingRange): boolean {
  return newestSeen !== MIN_INSTANT && newestSeen >= since;
}

/** Reads a range again from its lower bound. */
async function restart<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<void> {
  const { range, from, resumedAt } = worker;
  const hasMoved = range.since !== from;
  const hasNewRows = worker.hasEmittedRows && !run.seen.overflows();
  const cost = hasNewRows || hasMoved ? RESTARTS.withRows : RESTARTS.withoutRows;
  // a bound may move merely because time has passed
  const isProgress = (hasMoved && worker.hasEmittedRows) || resumedAt !== null;
  range.restartCost = isProgress ? 0 : (range.restartCost ?? 0) + cost;
  run.reliesOnOrder ||= hasMoved;
  if (range.restartCost > RESTARTS.max) {
    const hint = run.read.chains > 1 ? ' (too many parallel_chains may be the cause)' : '';
    throw loopError(`was interrupted repeatedly because its cursors had expired${hint}`);
  }
  await run.read.info('the cursor may have expired; reading its range again');
  run.workers.delete(worker);
  range.chain = null;
  range.isReadAgain = true;
  run.pending.unshift(range);
}
