import { isConnectorError, messageOf } from '../../errors.ts';
import type { FetchOffsetPage, OffsetPage } from './window.ts';

/** Page sizes that servers commonly allow, tried in turn after a refusal. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 5, 2];

const REFUSED = { rows: [], total: undefined, bytes: 0, isRefused: true } as const;

export interface PageSource<R> {
  readonly fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<OffsetPage<R>>;
  readonly isRefusal: (error: unknown) => boolean;
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
export function createPageFetch<R>(
  pageSize: number,
  { fetchPage, isRefusal, info }: PageSource<R>,
): FetchOffsetPage<R> {
  let sizes = [pageSize, ...COMMON_SIZES.filter((size) => size < pageSize)];
  let hasReturnedPage = false;
  const fetchSized = (offset: number, signal: AbortSignal, atMost: number) =>
    // above 0, the offset may be refused
    firstAccepted(offset === 0 ? sizes : sizes.slice(0, 1), async (size, refusals) => {
      if (refusals > 0) await info(`the server refused the page size; trying ${size} rows`);
      const limit = Math.min(size, atMost);
      const page = await fetchPage(offset, limit, signal);
      sizes = [size];
      hasReturnedPage = true;
      return { limit, ...page };
    });
  const pageAt: FetchOffsetPage<R> = async (offset, signal, atMost) => {
    try {
      return await fetchSized(offset, signal, atMost);
    } catch (error) {
      if (offset === 0 || !isRefusal(error)) throw error;
      if (hasReturnedPage) return { ...REFUSED, refusal: messageOf(error) };
      // the address, the page size or the offset may be wrong: requesting the first page shows which
      await fetchSized(0, signal, Infinity);
      return pageAt(offset, signal, atMost);
    }
  };
  return pageAt;
}
