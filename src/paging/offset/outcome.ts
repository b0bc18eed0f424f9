import type { Identity } from '../identities.ts';
import { hiddenFrom, isCutOff, type Cause } from './explain.ts';
import type { Pass } from './pass.ts';
import type { Refusal, Run } from './run.ts';

/** What a read found, and what the list states. */
export interface OffsetOutcome {
  readonly cause: Cause | null; // why the end of the list was not reached; null if it was
  readonly rows: number; // distinct rows emitted, including those of an interrupted read
  readonly copies: number; // lines that show a row of their page again
  readonly expected: number; // the smallest total of the last pass; 0 if none was stated
  readonly maxTotal: number | null; // the largest total of the read; null if none was stated
  readonly isTotalSteady: boolean; // no other total was stated, and the head pass found no new rows
  readonly passes: number; // over the whole list
  readonly limitedAt: number | null; // offset from which the server shows nothing although a page should follow
  readonly refusal: Refusal | null; // of the lowest offset that the server refused
  readonly hasClash: boolean; // different rows of one page had the same key, so only the first one was emitted
  readonly isReordered: boolean; // rows changed their order, and no total shows that all were found
  readonly cutsPages: boolean; // pages had fewer rows than others, although rows followed
  readonly seen: Seen;
}

/** What was seen last. */
export interface Seen {
  readonly pages: number; // of all passes
  readonly found: number; // the most rows that a pass has covered
  readonly granted: number; // rows of the largest page
  readonly offsets: readonly [lowest: number, highest: number]; // of the latest pages
  readonly total: number | undefined; // the latest one
  readonly hasCursor: boolean; // the first page has a `nextCursor`
}

/** The end of a pass. */
export type End = Pick<Pass, 'end' | 'minTotal' | 'granted' | 'log' | 'total'>;

/** True if the list states more lines than were found, or at least a page more after the last row. */
export function isShort<R>(run: Run<R>, end: End): boolean {
  return missingIn(run, end) > 0 || isCutOff(end);
}

/** Returns how many more lines the list states than were found. */
export function missingIn<R>(run: Run<R>, { minTotal }: End): number {
  return minTotal < Infinity ? Math.max(0, minTotal - linesOf(run)) : 0;
}

/** The lines that were found: a server may repeat rows, and count each time. */
function linesOf<R>({ rows, copies }: Run<R>): number {
  return rows + sumOf(copies);
}

function sumOf(copies: ReadonlyMap<Identity, number>): number {
  return [...copies.values()].reduce((sum, more) => sum + more, 0);
}

/** Returns what a read found; `end`: of its last pass, `hasGrown`: the head pass has found new rows. */
export function outcomeOf<R>(run: Run<R>, end: End, hasGrown: boolean): OffsetOutcome {
  const { cause, passes, rows, maxTotal, minTotal, refusal, hasClash, cutsPages, first } = run;
  const isSteady = minTotal === maxTotal;
  // a total that stayed, and is reached, shows that no row is missing
  const isExact = end.minTotal === maxTotal && linesOf(run) === maxTotal;
  const offsets = end.log.map(({ offset }) => offset);
  const hidden = cause === 'nothing is shown beyond an offset' ? hiddenFrom(end.log, end.granted) : null;
  return {
    cause,
    rows,
    copies: sumOf(run.copies),
    expected: end.minTotal < Infinity ? end.minTotal : 0,
    maxTotal,
    isTotalSteady: isSteady && !hasGrown,
    passes,
    limitedAt: hidden ?? (isCutOff(end) ? end.end : null),
    refusal,
    hasClash,
    isReordered: run.isReordered && !isExact,
    cutsPages,
    seen: {
      pages: run.pages,
      found: run.found,
      granted: run.granted,
      offsets: [Math.min(...offsets), Math.max(...offsets)],
      total: end.total,
      hasCursor: first?.hasCursor === true,
    },
  };
}
