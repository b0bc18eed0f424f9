import { mapInSlices, type Sliced } from '../rows/slices.ts';
import type { Fingerprint } from './identities.ts';
import { allowedLateness, formatOf, type CursorRun } from './cursor-run.ts';
import { MIN_INSTANT, earliest, later, type Instant } from './instant.ts';
import { loopError } from './loop-guard.ts';
import { cursorAge } from './range-worker.ts';
import type { DatedPage, RangeWorker, TimedPage } from './range-worker.ts';

/** How many first rows of a chain are kept, and how many of them prove that it started over (all if rows may recur). */
const FIRST_ROWS = { max: 4, proof: 2 };

/** Records from the first pages of a chain: when it began, its first rows, and its earliest created time. */
export function noteFirstRows<R>({ read }: CursorRun<R>, worker: RangeWorker<R>, page: DatedPage<R>): void {
  worker.started ??= page.time;
  if (worker.firstRows.length >= FIRST_ROWS.max || page.rows.length === 0) return;
  const rows = page.rows.slice(0, FIRST_ROWS.max);
  const prints = new Set([...worker.firstRows, ...rows.map(read.fingerprintOf)]);
  worker.firstRows = [...prints].slice(0, FIRST_ROWS.max);
  for (const time of page.times) {
    worker.floor = earliest(worker.floor, time?.instant ?? worker.floor);
    worker.firstNewest = later(worker.firstNewest, time?.instant ?? worker.firstNewest);
  }
}

/**
 * Decides whether a page follows the previous one. If a cursor has expired, some servers silently return other rows: the first page
 * of the chain, or rows before its bound. Only rows that the chain has already passed reveal this, and only several of them prove
 * it, on one page or on consecutive pages: a single row may be identical to a first row.
 */
export function* judgePage<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  page: DatedPage<R>,
): Sliced<'follows' | 'doubtful' | 'started over'> {
  const { read, order } = run;
  const { after, newest, floor, firstRows, firstNewest } = worker;
  const [head] = page.rows;
  const created = page.times[0]?.instant;
  if (after === null || head === undefined || created === undefined) return 'follows';
  const isAlive = isFresh(run, worker, page);
  // there is nothing to compare with yet
  if (isAlive && newest === MIN_INSTANT) return 'follows';
  // late rows, or a server that rounds the requested time down, explain such a row only if the cursor cannot have expired
  const isBefore = created < floor - (isAlive ? allowedLateness(run) : run.dstShift);
  if (order !== 'broken' && isBefore) return 'started over';
  if (created > later(firstNewest, newest - 1n)) {
    worker.rowsAgain = [];
    return 'follows';
  }
  const shown = [...new Set(yield* mapInSlices(page.rows, read.fingerprintOf))];
  const again = firstRows.filter((print) => shown.includes(print)).length;
  const { matches, isExact } = noteRowsAgain(worker, shown);
  const isEarlier = created < newest;
  const mayRecur = !read.hasId(head) && (isAlive ? mayBeLate(run, worker, created) : order === 'broken');
  // after an old cursor, rows that may be the first ones must not end the list
  const isCertain = !mayRecur || (!isAlive && page.next === null);
  const proof = isCertain ? FIRST_ROWS.proof : FIRST_ROWS.max;
  if (matches >= proof && (!isAlive || (isEarlier && isExact))) return 'started over';
  // rows with the newest time are doubtful only if all first rows appear again: they may belong to a burst of rows with equal times
  return again > 0 && (isEarlier || again === firstRows.length) ? 'doubtful' : 'follows';
}

/** Returns true if a row may be listed this late: the list is not known to be in ascending order, or it is within the lookback. */
function mayBeLate<R>(run: CursorRun<R>, { newest }: RangeWorker<R>, created: Instant): boolean {
  return run.order !== 'ascending' || created >= newest - allowedLateness(run);
}

/**
 * Returns how many of the chain's first rows a page begins with, in order, including those at the end of the previous pages; exact if
 * these are all of them, from the very first, or all rows shown.
 */
function noteRowsAgain<R>(worker: RangeWorker<R>, shown: readonly Fingerprint[]) {
  const { firstRows, rowsAgain } = worker;
  const joint = [...rowsAgain, ...shown];
  const prints = sharedPrefix(joint, firstRows) > rowsAgain.length ? joint : shown;
  const matches = sharedPrefix(prints, firstRows);
  worker.rowsAgain = matches === prints.length ? prints : [];
  const isWhole = matches === prints.length || matches === firstRows.length;
  return { matches, isExact: isWhole && prints[0] === firstRows[0] };
}

/** Returns how many of a chain's first rows these fingerprints begin with, in order; some before them may have been deleted. */
function sharedPrefix(prints: readonly Fingerprint[], firstRows: readonly Fingerprint[]): number {
  const deleted = firstRows.indexOf(prints[0] ?? '');
  if (deleted === -1) return 0;
  const end = prints.findIndex((print, at) => print !== firstRows[deleted + at]);
  return end === -1 ? prints.length : end;
}

/**
 * True if a resumed chain contains a known row at or before its cursor: either a row that was emitted, or an identical one that was
 * not. Only a chain that starts before this created time can distinguish them.
 */
export function* repeatsKnownRow<R>(
  run: CursorRun<R>,
  worker: RangeWorker<R>,
  page: DatedPage<R>,
): Sliced<boolean> {
  const { read } = run;
  const { known, newest, resumedAt } = worker;
  if (resumedAt === null || known.size === 0 || newest > resumedAt + allowedLateness(run)) return false;
  const isKnown = yield* mapInSlices(page.rows, (row, at) => {
    const created = page.times[at]?.instant ?? MIN_INSTANT;
    return created <= resumedAt && known.has(read.fingerprintOf(row));
  });
  return isKnown.includes(true);
}

/** Maximum attempts to confirm an end, without and with new rows, and attempts after which new rows of the same time are ignored. */
const CONFIRMATIONS = { withoutRows: 20, withRows: 200, ofSameTime: 3 };
/** ms for which every server is expected to accept a cursor. */
const FRESH_CURSOR_MS = 30_000;

/** Returns true if the cursor of a page was at most 30 s old, or no older than one that has led to rows. */
export function isFresh<R>(
  { provenAgeMs }: CursorRun<R>,
  worker: RangeWorker<R>,
  page: TimedPage<R>,
): boolean {
  return cursorAge(worker, page) <= Math.max(FRESH_CURSOR_MS, provenAgeMs);
}

/**
 * Returns true if the end of a chain may come from an expired cursor, for which some servers return an empty last page. The first page
 * of a chain has no cursor, and two chains that end with the same row confirm each other. A resumed chain needs no confirmation,
 * because the range is read again from its bound.
 *
 * @throws transient_error CURSOR_LOOP if no attempt confirms the end
 */
export function needsConfirmation<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): boolean {
  const { after, range, resumedAt, reached, last } = worker;
  if (after === null || resumedAt !== null) return false;
  // without a created time to request, all rows are read again
  const isCostly = last !== null && (formatOf(run) === null || reached === MIN_INSTANT);
  if ((isCostly && isFresh(run, worker, page)) || isConfirmed(run, worker, page)) return false;
  const max = worker.hasEmittedRows ? CONFIRMATIONS.withRows : CONFIRMATIONS.withoutRows;
  if ((run.ends.get(range)?.attempts ?? 0) < max) return true;
  const hint = isBeforeNewest(run, worker)
    ? ' (`created_field` may not be the time that `createdSince` refers to)'
    : '';
  throw loopError(`did not reach the same end twice in ${max} attempts${hint}`);
}

/** Returns true if a chain confirms the previous end: it ends at the same row, or at rows created since. */
function isConfirmed<R>(run: CursorRun<R>, worker: RangeWorker<R>, page: TimedPage<R>): boolean {
  const { newest, last, range, hasEmittedRows } = worker;
  const { time } = page;
  const end = run.ends.get(range);
  if (end === undefined || isBeforeNewest(run, worker) || !isFresh(run, worker, page)) return false;
  if (last === null || end.last === null) return last === end.last;
  if (newest === end.newest) {
    const isRepeated = end.attempts >= CONFIRMATIONS.ofSameTime;
    if (hasEmittedRows) return isRepeated;
    if (run.read.isSame(last, end.last)) return true;
    // the text of the last row may change with every response, and rows after the end date may keep arriving
    const isAlike = run.order === 'ascending' && worker.atNewest === end.atNewest;
    return isAlike || (isRepeated && worker.atNewest >= end.atNewest);
  }
  return newest > end.newest && time.clock === end.time.clock && newest - end.newest <= time.at - end.time.at;
}

/** Returns true if a chain has not seen the newest row of an ascending list. When DST ends, later rows may have earlier times. */
function isBeforeNewest<R>(run: CursorRun<R>, { newest }: RangeWorker<R>): boolean {
  return run.order === 'ascending' && newest < run.newestSeen - run.dstShift;
}
