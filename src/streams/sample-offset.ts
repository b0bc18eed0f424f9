import type { FetchOffsetPage } from '../paging/offset-pages.ts';
import type { StreamContext } from './stream.ts';

/** Rows from an offset on, as many as the server grants; none behind the end. */
type RowsAt<R> = (offset: number) => Promise<readonly R[]>;

/**
 * `count` rows of a list, half of them from its head and half from its end; all of a list that is no longer. The end lies
 * where the total says, if rows stop there; else it is found by doubling and halving. Where the server refuses great
 * offsets, the last rows that it shows stand for the end, and a log line says so.
 */
export async function* sampleOffset<R>(fetchPage: FetchOffsetPage<R>, count: number, context: StreamContext) {
  const { signal, info } = context;
  let total: number | undefined;
  let refused: number | undefined;
  const rowsAt: RowsAt<R> = async (offset) => {
    const page = await fetchPage(offset, signal);
    if (page.isRefused === true) refused = offset;
    else total = page.total;
    return page.rows;
  };
  const half = Math.ceil(count / 2);
  const head = yield* rowsBetween(rowsAt, 0, half);
  const rest = head < half ? 0 : count - half;
  const found = await findEnd(rowsAt, half, total ?? 0, rest);
  if (found === null)
    await info('the end of the list cannot be found, so only its newest rows are looked at');
  const words = `the server refuses offsets from ${refused} on; the rows before stand for the end of the list`;
  if (refused !== undefined) await info(words);
  if (found === null) return;
  yield found.rows;
  yield* rowsBetween(rowsAt, Math.max(half, found.end - rest), found.end - found.rows.length);
}

/** The rows from one offset up to another, or to the end of the list; returns where they end. */
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

/** The end of a list that has `head` rows at least, and at most `wanted` rows before it; null if it has none. */
async function findEnd<R>(rowsAt: RowsAt<R>, head: number, total: number, wanted: number) {
  let rows: readonly R[] = [];
  let end = head;
  let behind = wanted === 0 ? head : Infinity;
  let step = wanted / 2;
  for (let at = Math.max(head, total - wanted); end < behind;) {
    if (at > Number.MAX_SAFE_INTEGER) return null;
    const page = await rowsAt(at);
    if (page.length === 0) behind = at;
    else {
      rows = (at === end ? [...rows, ...page] : page).slice(-wanted);
      end = at + page.length;
    }
    if (behind < Infinity) at = behind - end <= page.length ? end : end + Math.floor((behind - end) / 2);
    else if (at < total) at = end;
    // rows behind a total show that it is wrong
    else at = end + (step *= 2);
  }
  return { rows, end };
}
