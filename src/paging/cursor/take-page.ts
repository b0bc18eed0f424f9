import type { Sliced } from '../../rows/slices.ts';
import type { DatedPage } from './accept-page.ts';
import { earliestReturned, precisionOf } from './bounds.ts';
import type { Instant } from '../instant.ts';
import type { CursorPage, CursorRead } from './list.ts';
import { ascend } from './order.ts';
import { advance, chainOf, changed, fallBack, noteOrder, openRanges, withFound } from './progress.ts';
import type { Progress, Verdict } from './progress.ts';
import { cutRest, takeOver } from './parts.ts';
import type { SeenRows } from './seen-rows.ts';
import { takeRows } from './take-rows.ts';

/** What a page leads to. */
export interface PageStep<R> {
  readonly progress: Progress;
  readonly rows: readonly R[]; // to emit
  readonly verdict: Verdict;
  readonly cause: 'order' | 'seam' | null; // of falling back; `order` also if the order broke and nothing rested on it
}

/** Takes a page of a chain: chooses the rows to emit, and moves the lower bound of the range. */
export function* takePage<R>(
  before: Progress,
  number: number,
  page: DatedPage<R>,
  seen: SeenRows<R>,
  read: CursorRead<R>,
): Sliced<PageStep<R>> {
  const { format } = page;
  const precision = precisionOf(read.lookback, read.enough, format);
  const times = page.times.map((time) => time?.instant);
  const noted = noteOrder(
    takeOver(changed(before, { format }), number, times),
    number,
    times,
    page.time,
    precision,
  );
  const { rows, progress: known } = yield* emitRows(noted, number, { ...page, times }, seen, read.end);
  if (noted.isBroken && before.restsOnOrder)
    return { progress: fallBack(known), rows, verdict: 'falls back', cause: 'order' };
  const { progress, verdict } = advance(known, number, page.next === null, read.end, precision);
  if (verdict === 'falls back') return { progress: fallBack(progress), rows, verdict, cause: 'seam' };
  const isAllNew = rows.length > 0 && rows.length === page.rows.length;
  const isLong = verdict === 'goes on' && isAllNew;
  const { end, chains } = read;
  const cut = isLong ? cutRest(progress, number, { chains, times, end, precision }) : progress;
  return { progress: cut, rows, verdict, cause: noted.isBroken ? 'order' : null };
}

/** Returns the rows of a page to emit, and the progress with what they have brought. */
function* emitRows<R>(
  noted: Pick<ReturnType<typeof noteOrder>, 'progress' | 'taken' | 'passed'>,
  number: number,
  { rows, times, next, sentAtMs }: CursorPage<R> & { readonly times: readonly (Instant | undefined)[] },
  seen: SeenRows<R>,
  end: Instant,
): Sliced<{ readonly rows: readonly R[]; readonly progress: Progress }> {
  const { progress, taken: length, passed } = noted;
  const chain = chainOf(progress, number);
  const earliest = earliestReturned(chain.from, progress.format);
  const places = {
    open: openRanges(progress),
    coveredFrom: progress.coveredFrom,
    end,
    earliest,
    ascends: progress.order.kind !== 'broken' && (chain.hasBegun || ascend(times)),
  };
  const { range, hasBegun, isFirst } = chain;
  const { since, until } = range;
  const receiver = { number, since, until, hasBegun, isFirst, isResumed: range.cursor !== null };
  const taken = yield* takeRows(receiver, { rows: rows.slice(0, length), times }, passed, seen, places);
  const cursor = next === null ? null : { after: next, sentAtMs };
  const moved = changed(chain, { hasBegun: taken.hasBegun, next: cursor });
  return { rows: taken.rows, progress: withFound(progress, moved, taken) };
}
