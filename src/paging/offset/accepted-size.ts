import { isConnectorError, messageOf } from '../../errors.ts';
import type { FetchOffsetPage, OffsetPage } from './window.ts';

/** Page sizes that servers commonly allow, tried in turn after a refusal. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 5, 2];

const REFUSED = { rows: [], total: undefined, bytes: 0, isRefused: true } as const;

export interface PageSource<R> {
  /** `mayBeRefused`: the offset or the limit can be a reason to refuse the request. */
  readonly fetchPage: (
    request: { readonly offset: number; readonly limit: number; readonly mayBeRefused: boolean },
    signal: AbortSignal,
  ) => Promise<OffsetPage<R>>;
  readonly isRefusal: (error: unknown) => boolean;
  readonly onRefusedSize: (next: number) => Promise<void>; // rows that are tried next
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
 * returned a page, smaller common sizes are tried; if it refuses all of them, the first refusal is thrown. Once a size
 * is accepted, a refusal of an offset above 0 means that the list has no rows there.
 */
export function createPageFetch<R>(
  pageSize: number,
  { fetchPage, isRefusal, onRefusedSize }: PageSource<R>,
): FetchOffsetPage<R> {
  let sizes = [pageSize, ...COMMON_SIZES.filter((size) => size < pageSize)];
  let isSizeAccepted = false;
  const fetchSized = (offset: number, signal: AbortSignal, atMost: number) =>
    // above 0, the offset may be refused
    firstAccepted(offset === 0 ? sizes : sizes.slice(0, 1), async (size, refusals) => {
      if (refusals > 0) await onRefusedSize(size);
      const limit = Math.min(size, atMost);
      const request = { offset, limit, mayBeRefused: offset > 0 || !isSizeAccepted };
      const page = { limit, ...(await fetchPage(request, signal)) };
      // a smaller page, requested after this one had failed, shows only that the server takes smaller ones
      if (page.limit >= limit) {
        sizes = [size];
        isSizeAccepted = true;
      }
      return page;
    });
  const orRefused = async (page: Promise<OffsetPage<R>>): Promise<OffsetPage<R>> => {
    try {
      return await page;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { ...REFUSED, refusal: messageOf(error) };
    }
  };
  return async (offset, signal, atMost) => {
    if (offset === 0) return fetchSized(0, signal, atMost);
    const page = await orRefused(fetchSized(offset, signal, atMost));
    if (isSizeAccepted || page.isRefused !== true) return page;
    // the address, the page size or the offset may be wrong: requesting the first page shows which
    const { limit } = await fetchSized(0, signal, Infinity);
    return orRefused(fetchSized(offset, signal, Math.min(atMost, limit)));
  };
}
