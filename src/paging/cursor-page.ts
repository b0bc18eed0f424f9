import type { CursorRun } from './cursor-run.ts';
import { noteTime } from './cursor-run.ts';
import type { Fingerprint } from './identities.ts';
import { laterOf } from './instant.ts';
import type { Instant } from './instant.ts';
import type { RangeWorker, TimedPage } from './range-worker.ts';
import type { LatestRow, SeenEntry } from './seen-rows.ts';

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
  const { read, order } = run;
  const wanted: R[] = [];
  const own: LatestRow<R>[] = [];
  worker.started ??= page.serverTime;
  worker.firstRow ??= worker.first === undefined ? page.rows[0] : undefined;
  if (worker.firstRow !== undefined) worker.first ??= read.fingerprintOf(worker.firstRow);
  const before = worker.newest;
  let contradiction: TakenPage<R>['contradiction'] = 'none';
  for (const row of page.rows) {
    const time = read.createdOf(row);
    const created = time?.instant;
    if (time !== undefined) noteTime(run, time.format, time.instant, page);
    if (order.order() !== 'broken' && isTooLate(run, worker, created)) {
      order.contradict();
      contradiction = run.restsOnOrder ? 'fatal' : 'harmless';
      if (contradiction === 'fatal') break;
      // what the list shows behind this row is read as well, so that nothing but the state has to go back
      worker.range.since = worker.from;
    }
    noteCreated(run, worker, created);
    if (!isOwn(run, worker, created)) continue;
    worker.reached = laterOf(worker.reached, created);
    // it costs more than all the rest, and most rows of a long list need none
    const print = worker.known.size === 0 ? null : read.fingerprintOf(row);
    const known = print === null ? undefined : takeKnown(worker, print);
    own.push({ row, created, print });
    if (known === undefined) wanted.push(row);
    else {
      run.seen.cameAgain(known);
      run.repeats++;
    }
  }
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

/** A row that stands further behind newer ones than lateness explains; one without a time fits into no order of several ranges. */
function isTooLate<R>(
  { read, workers }: CursorRun<R>,
  { newest }: RangeWorker<R>,
  created: Instant | undefined,
): boolean {
  if (created === undefined) return workers.size > 1;
  return newest !== undefined && created < newest - read.lookback;
}

function noteCreated<R>(run: CursorRun<R>, worker: RangeWorker<R>, created: Instant | undefined): void {
  if (created === undefined) {
    run.unreadable++;
    return;
  }
  if (worker.newest === undefined || created > worker.newest) {
    if (worker.newest !== undefined) run.order.step();
    worker.newest = created;
  }
  if (run.read.end === undefined || created <= run.read.end) run.newest = laterOf(run.newest, created);
  else worker.hasLeftOut = true;
}

/** True for a row of the worker's range that is wanted; a row without a readable time always is. */
function isOwn<R>(
  { read: { end } }: CursorRun<R>,
  { from, range: { until } }: RangeWorker<R>,
  created: Instant | undefined,
): boolean {
  if (created === undefined) return true;
  if (end !== undefined && created > end) return false;
  return (from === undefined || created >= from) && (until === undefined || created < until);
}
