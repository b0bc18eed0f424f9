import { CURSOR_STATE } from '../limits.ts';
import { ENOUGH_ROWS, batchOf, beginRun, limitOf, slackOf, takePage } from './cursor-run.ts';
import type { CursorRead, CursorRun } from './cursor-run.ts';
import { judgePage, meetsKnownRow, needsConfirmation, noteFirstRows } from './dead-cursor.ts';
import { FALL_BACK, MAX_INSTANT, MIN_INSTANT, earliest, later, resolutionOf } from './instant.ts';
import { loopError } from './loop-guard.ts';
import { cut, isWanted, joined, raise } from './open-ranges.ts';
import type { WorkingRange } from './open-ranges.ts';
import { hintOf, startAt, startFromHint, startWorker } from './range-worker.ts';
import type { ChainStart, RangeWorker, TimedPage } from './range-worker.ts';
import { startGroup } from './request-group.ts';

/** Restarts of a range without progress after which the read ends, and what each counts if it has brought rows or has not. */
const RESTARTS = { max: 100, withRows: 1, withoutRows: 10 };
/** Times that a range is read again because a page may or may not follow the one before it. */
const MAX_DOUBTS = 3;
/** Requests for a page whose cursor leads back, after which it is believed. */
const MAX_REQUESTS_OF_LOOP = 3;

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
      const worker = await run.arrivals.next();
      if (!run.workers.has(worker)) continue;
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
    run.requests.drop();
  }
}

const OUT_OF_ORDER = 'rows are not in ascending order of created time, or the server started the list over';
const READ_AGAIN = `${OUT_OF_ORDER}; reading again from where the read began, as one chain, so rows may repeat`;
const STATE_WAITS = `${OUT_OF_ORDER}; until the end the state stands still and an expired cursor may go unnoticed, so rows may repeat or be missed`;

/** Assigns ranges to idle workers: those that wait, and then, if order allows, parts of what others still have to read. */
function fill<R>(run: CursorRun<R>): void {
  const isAscending = run.order === 'ascending';
  while (run.workers.size < (isAscending ? run.read.chains : 1)) {
    if (run.todo.length === 0 && isAscending && run.maySteal) stealWork(run);
    const range = run.todo.shift();
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

/** Requests the worker's next page; the worker arrives with the answer. */
function request<R>(run: CursorRun<R>, worker: RangeWorker<R>): void {
  const arrive = (): void => run.arrivals.add(worker);
  worker.answer = fetch(run, worker);
  // a failure is one only once the page is taken
  void worker.answer.then(arrive, arrive);
}

function fetch<R>({ read, requests }: CursorRun<R>, worker: RangeWorker<R>): Promise<TimedPage<R>> {
  return read.fetchPage(worker.after, worker.createdSince, requests.signal);
}

/** Takes time away from the worker that has most left: equal parts for all if it is the only one, else half of it. */
function stealWork<R>(run: CursorRun<R>): void {
  const { workers, ranges, format, read } = run;
  const room = CURSOR_STATE.maxRanges - ranges.length;
  const parts = Math.min(workers.size === 1 ? read.chains : 2, 1 + room);
  const found = [...workers].map(({ newest, range, pageWidth, started }) => {
    const at = later(newest, range.since);
    // where rows can be expected to end
    const to = earliest((started?.at ?? at) - slackOf(run), read.end, range.until);
    // each part reads on beyond its end, and with local times from an hour ahead: shorter ones cost more than they spare
    const least = slackOf(run) + (run.hasLocalTimes ? FALL_BACK : 0n);
    const cuts = cut({ at, to, pageWidth }, parts, least, resolutionOf(format));
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

/** The page that has arrived; null if the range is read again from its bound, because its cursor does not lead on. */
async function usablePage<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<TimedPage<R> | null> {
  const { guard } = worker;
  if (worker.isNew) worker.known = run.seen.lookup(worker.range);
  worker.isNew = false;
  let page = await acceptedPage(run, worker, worker.answer);
  for (let asked = 1; asked < MAX_REQUESTS_OF_LOOP && guard.hasHad(page?.next ?? ''); asked++)
    page = await acceptedPage(run, worker, fetch(run, worker));
  // its range belongs to the worker before it now
  if (!run.workers.has(worker)) return null;
  if (page === null || !leadsOn(run, worker, page)) {
    await restart(run, worker);
    return null;
  }
  noteFirstRows(run, worker, page);
  if (page.next !== null) guard.page(page.next, page.rows);
  return page;
}

/** False if a range has to be read again from its bound. A doubt is settled so a few times; then the page is believed. */
function leadsOn<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): boolean {
  const verdict = judgePage(run, worker, page);
  if (verdict === 'started over' || meetsKnownRow(run, worker, page)) return false;
  if (verdict === 'follows') return true;
  const { range } = worker;
  range.doubts = (range.doubts ?? 0) + 1;
  return range.doubts > MAX_DOUBTS;
}

/** Returns the page in a response to a worker; null if the server rejects its cursor, or its range could be merged instead. */
async function acceptedPage<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  answer: Promise<TimedPage<R>> | null,
): Promise<TimedPage<R> | null> {
  try {
    return await answer;
  } catch (error) {
    if (!run.read.isRefusal(error)) throw error;
    if (worker.after === null && !mergeIntoPrevious(run, worker)) throw error;
    return null;
  }
}

/**
 * Merges the range of a worker into the adjacent one before it, which is read to the end of the list: some servers reject a
 * `createdSince` after their newest row. Returns false if there is no such range, or a newer row is known.
 */
function mergeIntoPrevious<R>(run: CursorRun<R>, worker: RangeWorker<R>): boolean {
  const { ranges, read, shown } = run;
  const { range } = worker;
  const previous = ranges[ranges.indexOf(range) - 1];
  const isAdjacent = previous?.until === range.since && isWanted(previous, read.start, read.end);
  if (!isAdjacent || shown >= range.since) return false;
  previous.until = range.until;
  run.ranges = ranges.filter((one) => one !== range);
  run.workers.delete(worker);
  run.maySteal = false;
  return true;
}

/** Reads a range again from its lower bound. */
async function restart<R>(run: CursorRun<R>, worker: RangeWorker<R>): Promise<void> {
  const { range, from, resumedAt } = worker;
  const hasMoved = range.since !== from;
  const hasNews = worker.hasBroughtRows && !run.seen.overflows();
  const count = hasNews || hasMoved ? RESTARTS.withRows : RESTARTS.withoutRows;
  // a bound may also move because time has passed
  const isProgress = (hasMoved && worker.hasBroughtRows) || resumedAt !== null;
  range.standstill = isProgress ? 0 : (range.standstill ?? 0) + count;
  run.restsOnOrder ||= hasMoved;
  if (range.standstill > RESTARTS.max) {
    const cure = run.read.chains > 1 ? ' (too many parallel_chains may be the cause)' : '';
    throw loopError(`broke off again and again because the server no longer knew its cursors${cure}`);
  }
  await run.read.info('the cursor does not lead on; resuming from the created time');
  run.workers.delete(worker);
  range.chain = null;
  run.todo.unshift(range);
}

/**
 * What a page shows of its range: how far it has been read, and whether more can follow. A range that was read to its end
 * closes only up to where rows can still appear.
 */
function advance<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): void {
  const { next } = page;
  const { read, order, stop, shown, createdSince } = run;
  const { range, reached } = worker;
  // in ascending order no rows of the range, and none that are wanted, can follow
  const isPassed = order === 'ascending' && worker.beyond >= ENOUGH_ROWS;
  const isOver = isPassed || next === null;
  if (isOver && !isPassed && needsConfirmation(run, worker, page)) return confirm(run, worker, page);
  // not beyond the newest row of the whole list: later rows are found as long as nothing newer has come
  const end = earliest(range.until <= stop ? range.until : reached, later(shown, createdSince));
  const readTo = isOver ? end : reached - slackOf(run);
  const limit = earliest(worker.started === null ? MIN_INSTANT : limitOf(run, worker.started), stop);
  // as long as no time was seen, nothing says how to write one that the API reads
  if (run.format !== null && (isOver || order === 'ascending'))
    raise(range, earliest(readTo, limit), run.format);
  range.chain = next === null || isOver || order === 'broken' ? null : hintOf(worker, next, read, read.now());
  if (!isOver) {
    worker.after = next;
    worker.issuedMs = page.sentAtMs;
    request(run, worker);
    return;
  }
  run.restsOnOrder ||= next !== null;
  run.workers.delete(worker);
  if (range.since >= range.until) run.ranges = run.ranges.filter((one) => one !== range);
  // a chain that was resumed knows nothing of rows that have appeared before its place since: once more, from the lower bound
  else if (worker.resumedAt !== null) run.todo.push(range);
}

/** Asks without a cursor, from the created time that a chain has come to, whether anything follows its end. */
function confirm<R>(run: CursorRun<R>, worker: RangeWorker<R>, { time }: TimedPage<R>): void {
  const { range, reached, newest, last, started, confirmed, confirmations, hasBroughtRows } = worker;
  run.workers.delete(worker);
  range.chain = null;
  // rows that stand late may follow the newest one
  const from = run.hasLateRows ? later(range.since, reached - slackOf(run)) : reached;
  const next = start(run, range, { ...startAt(from, run.format), started });
  // in another order the rows from a time on end elsewhere than the list
  const isKept = confirmed !== null && !hasBroughtRows && run.order === 'ascending';
  next.confirmed = isKept ? confirmed : { newest, last, time };
  next.confirmations = confirmations + 1;
  next.reached = reached;
}

/** Starts again where the read began, as one chain that relies on nothing. */
function fallBack<R>(run: CursorRun<R>): void {
  const { read, createdSince } = run;
  run.requests.drop();
  run.requests = startGroup(read.signal);
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
  run.ranges = joined(ranges, CURSOR_STATE.maxRanges).map((range) => ({ ...range }));
  run.createdSince = run.ranges[0]?.since ?? createdSince;
  const hasSeenAll = ranges.length === 1 && read.end === MAX_INSTANT;
  if (hasSeenAll && run.createdSince !== createdSince) run.seen.dropLoaded();
}
