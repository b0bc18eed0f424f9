import { isConnectorError } from '../../errors.ts';
import type { FetchOffsetPage, OffsetPage } from './pages.ts';

/** Page sizes that servers commonly allow, tried in turn after a refusal. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 5, 2];

export interface PageSource<R> {
  readonly fetchPage: (
    offset: number,
    limit: number,
    signal: AbortSignal,
  ) => Promise<Omit<OffsetPage<R>, 'limit'>>;
  /** Returns the server's words if it refused the request itself, else null. */
  readonly refusalIn: (error: unknown) => string | null;
  readonly info: (message: string) => Promise<void>;
}

/** Requests a page with each size in turn until one is not refused, and returns it; throws the first refusal if all are refused. */
export async function firstAccepted<T>(
  sizes: readonly number[],
  request: (size: number, refusals: number) => Promise<T>,
): Promise<T> {
  let refusal: unknown;
  for (const [refusals, size] of sizes.entries())
    try {
      return await request(size, refusals);
    } catch (error) {
      if (!isConnectorError(error, 'REQUEST_REFUSED')) throw error;
      refusal ??= error;
    }
  throw refusal;
}

/**
 * Returns a fetch function that learns which page size the server accepts. If the server refuses requests before it has
 * returned a page, smaller common sizes are tried; if it refuses all of them, the first refusal is thrown. After the first
 * page, a refusal of an offset above 0 means that the list has no rows there.
 */
export function createPageFetch<R>({ fetchPage, refusalIn, info }: PageSource<R>): FetchOffsetPage<R> {
  let accepted: number | null = null; // the limit of the first page
  let hasReturnedPage = false;
  const fetchSized: FetchOffsetPage<R> = (offset, limit, signal) => {
    const size = Math.min(limit, accepted ?? limit);
    const smaller = accepted === null && offset === 0 ? COMMON_SIZES.filter((common) => common < size) : [];
    return firstAccepted([size, ...smaller], async (rows, refusals) => {
      if (refusals > 0) await info(`the server refused the page size; trying ${rows} rows`);
      const page = await fetchPage(offset, rows, signal);
      if (offset === 0) accepted ??= rows;
      hasReturnedPage = true;
      return { ...page, limit: rows };
    });
  };
  const pageAt: FetchOffsetPage<R> = async (offset, limit, signal) => {
    try {
      return await fetchSized(offset, limit, signal);
    } catch (error) {
      const refusal = refusalIn(error);
      if (offset === 0 || refusal === null) throw error;
      if (hasReturnedPage) return { rows: [], total: undefined, bytes: 0, limit, refusal };
      // the address, the page size or the offset may be wrong: requesting the first page shows which
      await fetchSized(0, limit, signal);
      return pageAt(offset, limit, signal);
    }
  };
  return pageAt;
}
