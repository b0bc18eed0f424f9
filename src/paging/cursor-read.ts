import { CURSOR_STATE } from '../limits.ts';
import { ENOUGH_ROWS, batchOf, beginRun, takePage } from './cursor-run.ts';
import { allowedLateness, dstShift, limitOf } from './cursor-run.ts';
import type { CursorRead, CursorRun } from './cursor-run.ts';
import { isFresh, judgePage, repeatsKnownRow, needsConfirmation, noteFirstRows } from './expired-cursor.ts';
import { MAX_INSTANT, MIN_INSTANT, earliest, later, resolutionOf } from './instant.ts';
import { inTurns, type Sliced } from '../rows/slices.ts';
import { loopError } from './loop-guard.ts';
import { cut, joined, raise, type WorkingRange } from './open-ranges.ts';
import { datedPage, hintOf, startAt, startFromHint, startWorker } from './range-worker.ts';
import type { ChainEnd, ChainStart, DatedPage, RangeWorker, TimedPage } from './range-worker.ts';
import { startGroup } from './request-group.ts';

/** Maximum cost of the restarts of a range without progress, and the cost of one that has returned new rows or none. */
const RESTARTS = { max: 100, withRows: 1, withoutRows: 10 };
/** Maximum number of times that a range is read again because it is doubtful whether a page follows the previous one. */
const MAX_DOUBTFUL_PAGES = 3;
/** Requests for a page whose cursor points back before the loop is considered real. */
const MAX_REQUESTS_OF_LOOP = 3;

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
      const worker = await run.arrivals.next();
      if (!run.workers.has(worker)) continue;
      const page = await usablePage(run, worker);
      if (page === null) continue;
      const wasBroken = run.order === 'broken';
      const taken = await inTurns(takePage(run, worker, page), read.signal);
      const isBroken = run.order === 'broken' && !wasBroken;
      if (isBroken) await read.warn(run.reliesOnOrder ? FALLS_BACK : STATE_WAITS);
      if (isBroken && run.reliesOnOrder) fallBack(run);
      else advance(run, worker, page);
      const batch = batchOf(run, taken);
      // no state without progress: a cursor could expire while it is being written
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
    const { chain } = range;
    start(run, range, chain === null ? startAt(range.since, run.format) : startFromHint(chain));
  }
}

/** Starts a worker on a range, with its first request. */
function start<R>(run: CursorRun<R>, range: WorkingRange, from: ChainStart): RangeWorker<R> {
  const worker = startWorker(run.read, range, from);
  run.workers.add(worker);
  request(run, worker);
  return worker;
}

/** Requests the worker's next page, and queues the worker when the response arrives. */
function request<R>(run: CursorRun<R>, worker: RangeWorker<R>): void {
  const arrive = (): void => run.arrivals.add(worker);
  worker.response = fetch(run, worker);
  // a failure surfaces when the page is taken
  void worker.response.then(arrive, arrive);
}

function fetch<R>({ read, requests }: CursorRun<R>, worker: RangeWorker<R>): Promise<TimedPage<R>> {
  return read.fetchPage(worker.after, worker.createdSince, requests.signal);
}

/** Splits the largest remaining range: into equal parts for all workers if only one is active, otherwise into halves. */
function splitLargestRange<R>(run: CursorRun<R>): void {
  const { workers, ranges, format, read } = run;
  const room = CURSOR_STATE.maxRanges - ranges.length;
  const parts = Math.min(workers.size === 1 ? read.chains : 2, 1 + room);
  const found = [...workers].map(({ newest, range, pageWidth, started }) => {
    const at = later(newest, range.since);
    // where rows can be expected to end
    const to = earliest((started?.at ?? at) - allowedLateness(run), read.end, range.until);
    // each part is read past its end, and with local times from an hour before its start: shorter parts would not pay off
    const least = allowedLateness(run) + dstShift(run);
    const cuts = cut({ at, to, pageWidth }, parts, least, resolutionOf(format));
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

/** Returns the page that has arrived; null if its range is read again from its bound, or was merged. */
async function usablePage<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<DatedPage<R> | null> {
  const { guard } = worker;
  let page = await acceptedPage(run, worker, worker.response);
  for (let asked = 1; asked < MAX_REQUESTS_OF_LOOP && guard.hasSeen(page?.next ?? ''); asked++)
    page = await acceptedPage(run, worker, fetch(run, worker));
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
  response: Promise<TimedPage<R>> | null,
): Promise<DatedPage<R> | null> {
  try {
    const page = await response;
    return page && (await inTurns(datedPage(page, run.read), run.read.signal));
  } catch (error) {
    const { after, newest, range } = worker;
    if (run.read.isRefusal(error)) {
      // the refusal may predate the row that seems to contradict it
      const mayBeOutdated = hasBegun(run, range) && range.isReadAgain !== true;
      if (after === null && !mergeIntoPrevious(run, worker) && !mayBeOutdated) throw error;
      return null;
    }
    // if the server fails again at the same created time, the cursor is not the cause
    const isRepeated = range.failedAt !== undefined && newest <= range.failedAt;
    if (after === null || isRepeated || !run.read.isServerError(error)) throw error;
    range.failedAt = newest;
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
  const count = hasNewRows || hasMoved ? RESTARTS.withRows : RESTARTS.withoutRows;
  // a bound may move merely because time has passed
  const isProgress = (hasMoved && worker.hasEmittedRows) || resumedAt !== null;
  range.restartCost = isProgress ? 0 : (range.restartCost ?? 0) + count;
  run.reliesOnOrder ||= hasMoved;
  if (range.restartCost > RESTARTS.max) {
    const hint = run.read.chains > 1 ? ' (too many parallel_chains may be the cause)' : '';
    throw loopError(`was interrupted repeatedly because its cursors had expired${hint}`);
  }
  await run.read.info('the cursor may have expired; reading again from the created time');
  run.workers.delete(worker);
  range.chain = null;
  range.isReadAgain = true;
  run.pending.unshift(range);
}

/**
 * Updates a range after a page: how far it has been read, and whether more pages follow. A range that was read to its end stays
 * open from the time on at which late rows may still appear.
 */
function advance<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): void {
  const { next } = page;
  const { read, order, stop, newestSeen, createdSince } = run;
  const { range, reached } = worker;
  // in ascending order, no more rows of the range can follow
  const isPassed = order === 'ascending' && worker.beyond >= ENOUGH_ROWS;
  const isOver = isPassed || next === null;
  if (isOver && !isPassed && needsConfirmation(run, worker, page)) return confirm(run, worker, page);
  // not beyond the newest row of the list, so that late rows are found until a newer one appears
  const end = earliest(range.until <= stop ? range.until : reached, later(newestSeen, createdSince));
  const readTo = isOver ? end : reached - allowedLateness(run);
  const limit = earliest(worker.started === null ? MIN_INSTANT : limitOf(run, worker.started), stop);
  // the end of a resumed chain may be an expired cursor: it is not confirmed, since its range is read again
  const isProven = isOver ? isPassed || worker.resumedAt === null : order === 'ascending';
  // the format is unknown until a time is seen
  if (run.format !== null && isProven) raise(range, earliest(readTo, limit), run.format);
  range.chain = next === null || isOver || order === 'broken' ? null : hintOf(worker, next, read, read.now());
  if (!isOver) {
    worker.after = next;
    const { sentAtMs, receivedAtMs } = page;
    worker.issued = { sentAtMs, receivedAtMs };
    request(run, worker);
    return;
  }
  run.reliesOnOrder ||= next !== null;
  run.workers.delete(worker);
  if (range.since >= range.until) run.ranges = run.ranges.filter((one) => one !== range);
  // a resumed chain has missed rows that appeared before its cursor in the meantime: read the range again from its bound
  else if (worker.resumedAt !== null) run.pending.push(range);
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
  const next = start(run, range, { ...startAt(from, run.format), started });
  // in any other order, the rows from a given time on need not end where the list does
  const mayKeep = run.order === 'ascending' && !hasEmittedRows;
  const isEarlier = before !== undefined && endsEarlier(worker, before);
  const minAtNewest = newest === reached ? atNewest - repeatedAtNewest : 0;
  // each attempt expects one row fewer, since some may have been received twice
  const end =
    mayKeep && isEarlier
      ? { ...before, atNewest: Math.max(before.minAtNewest, before.atNewest - 1) }
      : { newest, atNewest, minAtNewest, last, time: page.time };
  run.ends.set(range, { ...end, attempts: (before?.attempts ?? 0) + 1 });
  next.reached = reached;
}

type Reach = Pick<ChainEnd<unknown>, 'newest' | 'atNewest'>;

/** Returns true if one chain of an ascending list ends before the other. */
function endsEarlier(one: Reach, other: Reach): boolean {
  return one.newest < other.newest || (one.newest === other.newest && one.atNewest < other.atNewest);
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
  run.ranges = joined(ranges, CURSOR_STATE.maxRanges).map((range) => ({ ...range }));
  run.createdSince = run.ranges[0]?.since ?? createdSince;
  const hasSeenAll = ranges.length === 1 && read.end === MAX_INSTANT;
  if (hasSeenAll && run.createdSince !== createdSince) run.seen.dropLoaded();
}
