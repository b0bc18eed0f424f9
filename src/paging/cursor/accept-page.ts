import { mapInSlices, type Sliced } from '../../rows/slices.ts';
import { MAX_INSTANT, type TimeFormat, type WrittenTime } from '../instant.ts';
import { earliestReturned, formatWith } from './bounds.ts';
import type { Answer } from './chain-requests.ts';
import type { CursorList, CursorPage } from './list.ts';
import type { Chain, Progress } from './progress.ts';

/** A page whose created times have been read. */
export interface DatedPage<R> extends CursorPage<R> {
  readonly times: readonly (WrittenTime | undefined)[]; // of its rows
  readonly format: TimeFormat | null; // can express all created times of the list so far
}

/**
 * Returns the page of a response, or null if the chain must be read again because the server may not know its cursor any more: it refuses
 * it or breaks on it, or the cursor is old and the page ends the list or has rows from before the bound. Throws any other failure.
 */
export function* acceptedPage<R>(
  result: Answer<R>['result'],
  { next, range, from }: Chain,
  { restarts, format: before }: Progress,
  { createdOf }: Pick<CursorList<R>, 'createdOf'>,
): Sliced<DatedPage<R> | null> {
  if ('failure' in result) {
    const { failure, error } = result;
    if (failure === 'late' || (failure === 'refused' && next !== null)) return null;
    // if it breaks again without a new row in between, the cursor is not the cause
    if (failure === 'broke' && next !== null && restarts === 0) return null;
    // some servers refuse a bound after their newest row
    if (failure === 'refused' && range.origin === 'part') return { ...NO_PAGE, format: before };
    throw error;
  }
  const { page, isOld } = result;
  const times = yield* mapInSlices(page.rows, createdOf);
  const dated = { ...page, times, format: formatWith(before, times) };
  if (!isOld) return dated;
  const earliest = earliestReturned(from, dated.format);
  const isBeforeBound = times.some((time) => time !== undefined && time.instant < earliest);
  return page.next === null || isBeforeBound ? null : dated;
}

const NO_PAGE = { rows: [], times: [], bytes: 0, next: null, time: MAX_INSTANT, sentAtMs: 0 } as const;
