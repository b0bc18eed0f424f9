import type { CursorRun } from './cursor-run.ts';
import { slackOf } from './cursor-run.ts';
import { MIN_INSTANT, earliest, later } from './instant.ts';
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
  if (created < newest && again >= FIRST_ROWS.telling) return 'started over';
  // of rows created at the time that is being read only all of them raise a doubt: a burst may go on
  return again > 0 && (created < newest || again === firstRows.length) ? 'doubtful' : 'follows';
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
