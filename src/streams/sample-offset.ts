import type { FetchOffsetPage } from '../paging/offset-pages.ts';
import type { StreamContext } from './stream.ts';

/**
 * Yields `count` rows of a list, half of them from its head and half from its end; a shorter list in full. The total tells where
 * the end is; if it is wrong, or the server refuses large offsets, only rows from the head are yielded, and this is logged.
 */
export async function* sampleOffset<R>(
  fetchPage: FetchOffsetPage<R>,
  count: number,
  { signal, info }: StreamContext,
) {
  let total = 0;
  /** Yields the rows from one offset up to another, or to the end of the list; returns where they end. */
  async function* rowsBetween(from: number, to: number): AsyncGenerator<readonly R[], number> {
    let end = from;
    while (end < to) {
      const page = await fetchPage(end, signal);
      if (page.rows.length === 0) break;
      total = page.total ?? 0;
      const rows = page.rows.slice(0, to - end);
      yield rows;
      end += rows.length;
    }
    return end;
  }

  const half = Math.ceil(count / 2);
  const rest = count - half;
  if ((yield* rowsBetween(0, half)) < half || rest === 0) return;
  const from = Math.max(half, total - rest);
  const end = yield* rowsBetween(from, from + rest);
  const isBeyond = end === from && from > half;
  if (isBeyond || (end === from + rest && total < end))
    await info('the end of the list cannot be found; sampling only its newest rows');
  if (isBeyond) yield* rowsBetween(half, count);
}
