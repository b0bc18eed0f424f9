import type { Fingerprint } from './identities.ts';
import type { CursorRun } from './cursor-run.ts';
import { slackOf } from './cursor-run.ts';
import { MIN_INSTANT, earliest, later } from './instant.ts';
import { loopError } from './loop-guard.ts';
import type { RangeWorker, TimedPage } from './range-worker.ts';

/** The first rows of a chain that are remembered, and how many of them on one later page prove that it has started over. */
const FIRST_ROWS = { max: 4, telling: 2 };

/** Notes what the first pages of a chain show: when it began, its first rows, and how far below its bound it goes. */
export function noteFirstRows<R>({ read }: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): void {
  worker.started ??= page.time;
  if (worker.firstRows.length >= FIRST_ROWS.max || page.rows.length === 0) return;
  const rows = page.rows.slice(0, FIRST_ROWS.max);
  const prints = new Set([...worker.firstRows, ...rows.map(read.fingerprintOf)]);
  worker.firstRows = [...prints].slice(0, FIRST_ROWS.max);
  for (const row of page.rows) {
    const created = read.createdOf(row)?.instant;
    worker.floor = earliest(worker.floor, created ?? worker.floor);
    worker.firstNewest = later(worker.firstNewest, created ?? worker.firstNewest);
  }
}

/**
 * Whether a page follows the one before it. A server that no longer knows a cursor may silently return other rows: the
 * chain's first page, or rows below its bound. Only rows that the chain has passed can show that, and only several of them prove
 * it: a single one may be identical to a first row.
 */
export function judgePage<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  page: TimedPage<R>,
): 'follows' | 'doubtful' | 'started over' {
  const { read, order } = run;
  const { after, newest, floor, firstRows, firstNewest } = worker;
  const [head] = page.rows;
  const created = head === undefined ? undefined : read.createdOf(head)?.instant;
  if (after === null || created === undefined || created > later(firstNewest, newest - 1n)) return 'follows';
  if (order !== 'broken' && created < floor - slackOf(run)) return 'started over';
  const shown = new Set(page.rows.map(read.fingerprintOf));
  const again = firstRows.filter((print) => shown.has(print)).length;
  if (created < newest && commonStart([...shown], firstRows) >= FIRST_ROWS.telling) return 'started over';
  // rows of the newest time raise a doubt only if all first rows appear again: a burst may continue
  return again > 0 && (created < newest || again === firstRows.length) ? 'doubtful' : 'follows';
}

/** Returns the number of a chain's first rows that a page begins with, in their order; earlier ones may have been deleted. */
function commonStart(prints: readonly Fingerprint[], firstRows: readonly Fingerprint[]): number {
  const deleted = firstRows.indexOf(prints[0] ?? '');
  if (deleted === -1) return 0;
  const end = prints.findIndex((print, at) => print !== firstRows[deleted + at]);
  return end === -1 ? prints.length : end;
}

/**
 * True if a resumed chain shows a known row at or before its cursor: either a row that was emitted before, or an identical one
 * that was not. Only a chain that reads that time from its start can tell them apart.
 */
export function meetsKnownRow<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): boolean {
  const { read } = run;
  const { known, newest, resumedAt } = worker;
  if (resumedAt === null || known.size === 0 || newest > resumedAt + slackOf(run)) return false;
  return page.rows.some((row) => {
    const created = read.createdOf(row)?.instant ?? MIN_INSTANT;
    return created <= resumedAt && known.has(read.fingerprintOf(row));
  });
}

/** Maximum attempts to confirm an end without a new row, and attempts after which changed rows of its time do not count. */
const CONFIRMATIONS = { max: 20, ofSameTime: 3 };
/** ms for which any server can be expected to know a cursor. */
const FRESH_CURSOR_MS = 30_000;

/**
 * Returns true if the end of a chain may be a dead cursor, which some servers answer with an empty last page. Without a cursor it
 * cannot be, and two chains that end with the same row confirm each other. A resumed chain is followed by one that reads the
 * range from its bound anyway.
 *
 * @throws transient_error CURSOR_LOOP if no attempt confirms the end
 */
export function needsConfirmation<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): boolean {
  const { after, resumedAt, reached, last, confirmations } = worker;
  if (after === null || resumedAt !== null) return false;
  // without a time to ask from, all rows would be read again
  if (last !== null && (run.format === null || reached === MIN_INSTANT)) return false;
  if (isConfirmed(run, worker, page)) return false;
  if (confirmations < CONFIRMATIONS.max || worker.hasBroughtRows) return true;
  throw loopError(`did not reach the same end twice in ${CONFIRMATIONS.max} attempts`);
}

/** Returns true if a chain confirms the previous end: it ends at the same row, or at rows created since. */
function isConfirmed<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  { time, sentAtMs }: TimedPage<R>,
): boolean {
  const { newest, last, issuedMs, confirmed: end, hasBroughtRows, confirmations } = worker;
  // every chain that comes to the end of an ascending list has seen its newest row
  if (end === null || (run.order === 'ascending' && newest < run.shown)) return false;
  if (sentAtMs - (issuedMs ?? sentAtMs) > Math.max(FRESH_CURSOR_MS, run.provenAgeMs)) return false;
  if (last === null || end.last === null) return last === end.last;
  if (newest === end.newest)
    return hasBroughtRows ? confirmations >= CONFIRMATIONS.ofSameTime : run.read.isSame(last, end.last);
  return newest > end.newest && time.clock === end.time.clock && newest - end.newest <= time.at - end.time.at;
}
