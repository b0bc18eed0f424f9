import type { Identity } from './identities.ts';
import type { FetchOffsetPage, OffsetPage } from './offset-page.ts';

export interface Located<R> {
  readonly offset: number;
  readonly page: OffsetPage<R>;
}

/** Pages looked at on each side of the place where the rows were. */
const REACH = 8;

/**
 * Looks for a page that holds one of some known rows, around the offset where they were: rows inserted at the head have
 * moved them down since, deleted ones have moved them up.
 *
 * @returns such a page and its offset, or null if none was found
 */
export async function locate<R>(
  fetchPage: FetchOffsetPage<R>,
  identify: (row: R) => Identity,
  known: readonly Identity[],
  around: number,
  signal: AbortSignal,
): Promise<Located<R> | null> {
  const wanted = new Set(known);
  let span = known.length;
  for (let step = 0; step <= REACH; step++) {
    for (const direction of step === 0 ? [0] : [1, -1]) {
      const offset = around + direction * step * span;
      if (offset < 0) continue;
      const page = await fetchPage(offset, signal);
      const { rows } = page;
      if (rows.some((row) => wanted.has(identify(row)))) return { offset, page };
      // pages overlap by one row, so that none of the known ones slips between two
      span = Math.max(span, rows.length - 1);
    }
  }
  return null;
}
