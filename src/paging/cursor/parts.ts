import { CURSOR_STATE } from '../../limits.ts';
import { earliest, later, type Instant } from '../instant.ts';
import { granuleOf, type Precision } from './bounds.ts';
import { widthOf } from './order.ts';
import { chainOf, changed, openRanges, withChain, type Progress } from './progress.ts';
import { cutIntoParts } from './ranges.ts';
import { seamAt } from './seams.ts';

/** Parts into which the rest of the list is cut per chain, so that all chains have work until the end. */
const PARTS_PER_CHAIN = 16;
/** Pages that a part is expected to have at least: each one is read beyond its end, by a page or so. */
const MIN_PAGES = 8n;

/**
 * Cuts what is left to read into parts that several chains read at the same time, once in a read, and only in proven order. Worthwhile
 * after a page of new rows only: otherwise little may be left.
 */
export function cutRest(
  progress: Progress,
  number: number,
  {
    chains,
    times,
    end,
    precision,
  }: {
    readonly chains: number;
    readonly times: readonly (Instant | undefined)[]; // of the latest page
    readonly end: Instant;
    readonly precision: Precision;
  },
): Progress {
  if (chains === 1 || progress.isCut || progress.order.kind !== 'ascending') return progress;
  const { todo, format } = progress;
  const { range, course, started } = chainOf(progress, number);
  const to = earliest(started - precision.lookback, end + 1n);
  const rest = changed(range, { since: later(course.newest + 1n, range.since) });
  const room = 1 + CURSOR_STATE.maxRanges - openRanges(progress).length;
  const parts = Math.min(PARTS_PER_CHAIN * chains, room);
  if (parts < 2 || rest.since >= earliest(to, rest.until)) return changed(progress, { isCut: true });
  const granule = granuleOf(format);
  const least = later(later(2n * precision.tolerance + 1n, 4n * granule), MIN_PAGES * widthOf(times));
  const [first = rest, ...others] = cutIntoParts([rest, ...todo], { to, parts, least, step: granule });
  if (others.length === todo.length) return changed(progress, { isCut: true });
  const own = progress.chains.map((one) =>
    one.number === number ? changed(one, { range: changed(one.range, { until: first.until }) }) : one,
  );
  const seams = others.map(({ since }) => seamAt(since));
  return changed(progress, { chains: own, todo: others, restsOnOrder: true, isCut: true, seams });
}

/** Lets a chain that reaches the next part read on through it, if no chain has begun it: rows often come in bursts. */
export function takeOver(
  progress: Progress,
  number: number,
  times: readonly (Instant | undefined)[],
): Progress {
  if (progress.order.kind !== 'ascending') return progress;
  const chain = chainOf(progress, number);
  let { range } = chain;
  let { todo } = progress;
  for (;;) {
    const { until } = range;
    const next = todo.find(({ origin, since }) => origin === 'part' && since === until);
    if (next === undefined || !times.some((time) => time !== undefined && time >= until)) break;
    range = changed(range, { until: next.until });
    todo = todo.filter((one) => one !== next);
  }
  return range === chain.range ? progress : withChain(changed(progress, { todo }), changed(chain, { range }));
}
