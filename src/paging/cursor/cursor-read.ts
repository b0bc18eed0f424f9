/*
 * Reads a cursor list, as docs/how-it-reads.md explains it.
 *
 * - created: the time of a row in the created field; ns since the epoch
 * - range: a span of created time that is still to be read, from its lower bound `since` (inclusive) to `until` (exclusive)
 * - chain: a sequence of pages, each requested with the cursor of the one before it, that reads one range
 * - requested bound: the `createdSince` of a chain: a whole minute, at least one minute below the range
 * - watermark: rows created before it were emitted, even if the order of the list still breaks; a state with it alone loses nothing
 * - newest: the latest created time that a chain has returned; reached: the time that its last rows have all reached
 * - started: the server time at the first response of a chain
 * - lookback: how late rows may appear; tolerance: the same, in whole units of the times
 * - known: received before, by this read (`fresh`, then in the `log`) or by one before it (`given` by the state)
 * - stray: a row that is older than the API was asked for, and was not emitted before
 * - part: a range that was cut off for parallel chains; seam: where it was cut
 * - fall back: read everything again by one chain from the watermark, because the order was relied on and does not hold
 *
 * The path of a page: chain-requests.ts requests it, accept-page.ts accepts it, and take-page.ts takes it: order.ts notes its order,
 * take-rows.ts chooses its rows with the help of seen-rows.ts, and progress.ts moves the lower bound of the range as bounds.ts allows.
 * parts.ts and seams.ts are for parallel chains. position.ts says where a later read goes on.
 */
import { CURSOR_STATE } from '../../limits.ts';
import { onceEach } from '../../protocol/once-each.ts';
import { inTurns } from '../../rows/slices.ts';
import { MIN_INSTANT, type Instant } from '../instant.ts';
import { loopError } from '../loop-guard.ts';
import { acceptedPage } from './accept-page.ts';
import { requestedBound } from './bounds.ts';
import { createChainRequests } from './chain-requests.ts';
import type { CursorRead } from './list.ts';
import { batchOf, formatOf, neededRows, type CursorBatch } from './position.ts';
import {
  beginRead,
  chainOf,
  changed,
  restartChain,
  startChain,
  type Chain,
  type Progress,
} from './progress.ts';
import { isWanted, joined } from './ranges.ts';
import { createSeenRows, endPage } from './seen-rows.ts';
import { takePage } from './take-page.ts';

/** Restarts without a new row, for each of the chains that may read at the same time, after which the end cannot be reached. */
const MAX_RESTARTS = 10;

/**
 * Reads a cursor list from where a state ends to its end. Yields every row that the API returns from there on, unless it was emitted
 * before or is outside the dates. The last batch has the position after the read.
 *
 * @throws what `fetchPage` throws, and transient_error CURSOR_LOOP if the end of the list cannot be reached
 */
export async function* readCursorList<R>(given: CursorRead<R>): AsyncGenerator<CursorBatch<R>> {
  // where stdout is read slowly, a line for each restart would let the cursors of the other chains expire
  const read = { ...given, info: onceEach(given.info) };
  const seen = createSeenRows(read.from.seen, read.textOf, read.isSame);
  const requests = createChainRequests(read);
  let progress = beginRead(read.from, read);
  let isConfirmed = !read.confirmsEnd;
  try {
    for (;;) {
      progress = startChains(progress, read, requests.send);
      if (progress.chains.length === 0) {
        if (isConfirmed) break;
        isConfirmed = true;
        progress = withEndAgain(progress, read);
        continue;
      }
      const { chain: number, result } = await requests.next();
      const chain = chainOf(progress, number);
      const page = await inTurns(acceptedPage(result, chain, progress, read), read.signal);
      if (page === null) {
        await sayCursorIsGone(chain, read);
        progress = restarted(progress, chain, read);
        continue;
      }
      const wasProven = progress.order.kind === 'ascending';
      const step = await inTurns(takePage(progress, number, page, seen, read), read.signal);
      progress = step.progress;
      await inTurns(endPage(seen, neededRows(progress, read), page.bytes), read.signal);
      if (step.verdict === 'falls back') {
        await read.warn(FALLS_BACK[step.cause ?? 'order']);
        requests.drop();
      } else if (step.cause === 'order') await sayOrderIsBroken(wasProven, read);
      if (step.verdict === 'goes on') {
        requests.guard(number, page.next ?? '', page.rows);
        requests.send(chainOf(progress, number), progress.order.kind !== 'ascending');
      }
      // while a state without new rows is written, a cursor could expire
      if (step.rows.length > 0) yield batchOf(progress, step.rows, seen, read, false);
    }
    yield batchOf(progress, [], seen, read, true);
  } finally {
    requests.drop();
  }
}

/** In proven order, rows are forgotten that could only be returned again out of order. */
async function sayOrderIsBroken<R>(wasProven: boolean, { info, warn }: CursorRead<R>): Promise<void> {
  await (wasProven ? warn(`${OUT_OF_ORDER}, and rows may be repeated`) : info(OUT_OF_ORDER));
}

/** A state remembers only some of the rows that a chain has emitted in an interrupted read. */
async function sayCursorIsGone<R>(
  { next, range }: Chain,
  { from, info, warn }: CursorRead<R>,
): Promise<void> {
  const isSaved = next !== null && next === range.cursor;
  const mayRepeat = isSaved && from.seen.length >= CURSOR_STATE.maxSeen;
  await (mayRepeat
    ? warn(`${CURSOR_GONE}; rows of the interrupted read may be repeated`)
    : info(CURSOR_GONE));
}

const CURSOR_GONE =
  'the server may not know the cursor any more, so its range is read again from its lower bound';
const OUT_OF_ORDER =
  'the list is not in ascending order of created time, so its chain of pages is read to the end';
const FALLS_BACK = {
  order:
    'the list is not in ascending order of created time after all, so everything is read again by one chain from where the read ' +
    'began, and rows may be repeated',
  seam:
    'a part of the list lacks rows that the part before it has returned: the created field may not be the time that createdSince ' +
    'refers to. Everything is read again by one chain from where the read began, and rows may be repeated',
};

/** Starts chains on the ranges that wait for one: several at a time only in proven order. */
function startChains<R>(
  before: Progress,
  { chains: max, from }: CursorRead<R>,
  send: (chain: Chain, mayBeOld: boolean) => void,
): Progress {
  let progress = before;
  const isAscending = progress.order.kind === 'ascending';
  while (progress.todo.length > 0 && progress.chains.length < (isAscending ? max : 1)) {
    const format = formatOf(progress, from);
    const boundOf = (since: Instant): string | null =>
      since === MIN_INSTANT || format === null ? null : requestedBound(since, format);
    const begun = startChain(progress, boundOf, from.seen.length > 0);
    progress = begun.progress;
    send(begun.chain, true);
  }
  return progress;
}

function restarted<R>(progress: Progress, chain: Chain, { name, chains }: CursorRead<R>): Progress {
  if (progress.restarts >= MAX_RESTARTS * chains) {
    const hint = chains > 1 ? ' (too many parallel_chains may be the cause)' : '';
    throw loopError(name, `was interrupted repeatedly because its cursors had expired${hint}`);
  }
  return restartChain(progress, chain);
}

/** Lets one more chain read on from where rows may still appear, in proven order: it finds the rows after a false end. */
function withEndAgain<R>(progress: Progress, { start, end }: CursorRead<R>): Progress {
  const ranges = joined(progress.kept, CURSOR_STATE.maxRanges);
  const last = ranges.at(-1);
  if (progress.order.kind !== 'ascending' || last === undefined || !isWanted(last, start, end))
    return progress;
  return changed(progress, { todo: [changed(last, { origin: 'again' })], kept: ranges.slice(0, -1) });
}
