/* What a read of an offset list found. */
import { isCutOff, type Stop } from './explain.ts';
import type { Pass } from './pass.ts';
import { evidenceOf, type Run } from './run.ts';
import { repeatedLines, rowsLeftOut } from './seen.ts';

/** What a read found, and what the list states. */
export interface OffsetOutcome<R> {
  readonly rows: number; // distinct rows emitted, including those of an interrupted read
  readonly expected: number; // the smallest total of the last pass; 0 if none was stated
  readonly maxTotal: number | null; // the largest total of the read; null if none was stated
  readonly hasShrunk: boolean; // its total has fallen at once, and fewer rows were found
  readonly isTotalSteady: boolean; // no other total was stated, and the head pass found no new rows
  readonly passes: number; // over the whole list
  readonly limitedAt: number | null; // offset from which the server shows nothing although `expected` is larger
  readonly beyond: number | null; // an offset at which rows follow that no pass has reached
  readonly refusedAt: number | null; // the first offset that the server refused
  readonly refusal: string | null; // the server's words about it
  readonly hasClash: boolean; // different rows of one page had the same key, so only the first one was emitted
  readonly repeatedLines: number; // lines that showed a row again on its page; totals may count them
  readonly reordered: number; // pages on which rows had changed their order
  readonly cutsPages: boolean; // pages had fewer rows than they may have, though more followed
  readonly leftOut: number; // rows that the service seems to leave out of pages after it has cut them
  readonly statedLater: number; // rows that all pages above offset 0 state, or that their counts of pages do; 0 if they state none
  readonly hidden: number; // rows that the list states after its last one
  readonly stop: (Stop & { readonly lastPage: readonly R[] }) | null; // why the read did not go on to its end
}

/** True if a read cannot go on. */
export function isStopped<R>({ stop }: Run<R>): boolean {
  return stop !== null && stop.cause !== 'rows are left out of pages' && !isLimited(stop);
}

const isLimited = ({ cause }: Stop): boolean => cause === 'nothing is shown beyond an offset';

/** True if the list states more rows than were found, or more rows after its last one. */
export function lacksRows<R>({ lines, rows }: Run<R>, end: Pass): boolean {
  return rows + repeatedLines(lines) < statedRows(end) || end.hidden > 0;
}

/** True if the total has fallen at once, and fewer rows were found than before: they were deleted, or the service has lost sight of them. */
export function hasShrunk<R>({ lines, rows, stated }: Run<R>): boolean {
  return stated.hasFallen && rows + repeatedLines(lines) < (stated.maxTotal ?? 0);
}

/** True if rows seem to be left out of pages: a list whose total stays is not moved by rows that are inserted. */
export function leavesRowsOut<R>({ stated, moves }: Run<R>): boolean {
  const isSteady = stated.maxTotal !== null && stated.minTotal === stated.maxTotal;
  return isSteady && rowsLeftOut(moves, Infinity) > 0;
}

/** Returns the smallest total of a pass; 0 if it stated none. */
export function statedRows({ minTotal }: Pass): number {
  return minTotal < Infinity ? minTotal : 0;
}

/** Returns what a read found whose last pass is `end`; `hasGrown`: the head pass found new rows. */
export function outcomeOf<R>(run: Run<R>, end: Pass, hasGrown: boolean): OffsetOutcome<R> {
  const { rows, passes, hasClash, lines, reordered, stop } = run;
  const { maxTotal, minTotal, refusedAt, refusal } = run.stated;
  const hiddenFrom = stop !== null && isLimited(stop) ? stop.hiddenFrom : null;
  return {
    rows,
    expected: statedRows(end),
    maxTotal,
    hasShrunk: hasShrunk(run),
    isTotalSteady: minTotal === maxTotal && !hasGrown,
    passes,
    limitedAt: stop === null && (isCutOff(end) || run.beyond !== null) ? end.reached : hiddenFrom,
    refusedAt,
    refusal,
    hasClash,
    repeatedLines: repeatedLines(lines),
    reordered,
    cutsPages: end.cutsPages || (!hasGrown && leavesRowsOut(run)),
    ...evidenceOf(run),
    hidden: end.hidden,
    stop: isStopped(run) ? stop : null,
  };
}
