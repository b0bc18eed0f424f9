import type { FetchOffsetPage } from '../paging/offset/window.ts';
import type { StreamContext } from './stream.ts';

/** Fetches a page of rows from an offset on; none beyond the end. */
type RowsAt<R> = (offset: number) => Promise<readonly R[]>;

/**
 * Yields `count` rows of a list, half of them from its head and half from its end; a shorter list in full. The end is taken from
 * the total if that is right; otherwise it is found by doubling and halving. If the server refuses large offsets, the last rows
 * that it returns are used instead, and this is logged.
 */
export async function* sampleOffset<R>(fetchPage: FetchOffsetPage<R>, count: number, context: StreamContext) {
  const { signal, info } = context;
  let total: number | undefined;
  let refused: number | undefined;
  const rowsAt: RowsAt<R> = async (offset) => {
    const page = await fetchPage(offset, signal, Infinity);
    if (page.isRefused === true) refused = offset;
    else total = page.total;
    return page.rows;
  };
  const half = Math.ceil(count / 2);
  const head = yield* rowsBetween(rowsAt, 0, half);
  const rest = head < half ? 0 : count - half;
  const found = await findEnd(rowsAt, half, total ?? 0, rest);
  if (found === null) await info('the end of the list cannot be found; sampling only its newest rows');
  if (refused !== undefined)
    await info(
      `the server refuses offsets from ${refused} on; sampling the rows before it as the end of the list`,
    );
  if (found === null) return;
  yield found.rows;
  yield* rowsBetween(rowsAt, Math.max(half, found.end - rest), found.end - found.rows.length);
}

/** Yields the rows from one offset up to another, or to the end of the list; returns where they end. */
async function* rowsBetween<R>(rowsAt: RowsAt<R>, from: number, to: number) {
  let end = from;
  while (end < to) {
    const rows = (await rowsAt(end)).slice(0, to - end);
    if (rows.length === 0) break;
    yield rows;
    end += rows.length;
  }
  return end;
}

/** Returns the end of a list of at least `head` rows, and at most `wanted` rows before it; null if the list has no end. */
async function findEnd<R>(rowsAt: RowsAt<R>, head: number, total: number, wanted: number) {
  let rows: readonly R[] = [];
  let end = head; // after the last row seen
  let empty = wanted === 0 ? head : Infinity; // the first offset known to show nothing
  let step = wanted / 2;
  let at = Math.max(head, total - wanted);
  while (end < empty) {
    if (at > Number.MAX_SAFE_INTEGER) return null;
    const page = await rowsAt(at);
    if (page.length === 0) empty = at;
    else {
      rows = (at === end ? [...rows, ...page] : page).slice(-wanted);
      end = at + page.length;
    }
    if (empty < Infinity) at = empty - end <= page.length ? end : end + Math.floor((empty - end) / 2);
    else if (at < total) at = end;
    else {
      // the total is wrong if there are rows beyond it
      step *= 2;
      at = end + step;
    }
  }
  return { rows, end };
}
