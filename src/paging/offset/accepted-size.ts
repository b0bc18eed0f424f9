import { isConnectorError } from '../../errors.ts';
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
  readonly refusalOf: (error: unknown) => string | null; // the words of a server that refuses the request itself
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

/** Which limits below the accepted size a server takes: some take only certain ones. */
function createLimits() {
  let takesSmaller: boolean | null = null; // null while no refusal has shown it
  let leastAccepted = Infinity;
  let seenTo = 0; // the offset after the last row that was received
  return {
    limitOf: (size: number, atMost: number): number =>
      takesSmaller === false ? size : Math.min(size, atMost),
    /** True if the reason for a refusal may be the limit, because a row was seen at the offset. */
    isDoubtful: (offset: number, limit: number, size: number): boolean => {
      if (limit >= size || takesSmaller === true) return false;
      return takesSmaller === false || (offset < seenTo && limit < leastAccepted);
    },
    received: (offset: number, rows: number, limit: number): void => {
      leastAccepted = Math.min(leastAccepted, limit);
      seenTo = Math.max(seenTo, offset + rows);
    },
    /** If the accepted size is refused where a smaller limit is, the reason is the offset. */
    compared: (isSizeRefused: boolean): void => {
      takesSmaller = isSizeRefused && takesSmaller !== false;
    },
  };
}

/**
 * Returns a fetch function that learns which page size the server accepts. If the server refuses requests before it has
 * returned a page, smaller common sizes are tried; if it refuses all of them, the first refusal is thrown. Once a size
 * is accepted, a refusal of an offset above 0 means that the list has no rows there, if the accepted size is refused there too: a server
 * may take only certain limits.
 */
export function createPageFetch<R>(
  pageSize: number,
  { fetchPage, refusalOf, onRefusedSize }: PageSource<R>,
): FetchOffsetPage<R> {
  let sizes = [pageSize, ...COMMON_SIZES.filter((size) => size < pageSize)];
  let isSizeAccepted = false;
  const limits = createLimits();
  const orEmpty = (page: Promise<OffsetPage<R>>, limit: number) => orRefused(page, limit, refusalOf);
  const fetchSized = (offset: number, signal: AbortSignal, atMost: number) =>
    // above 0, the offset may be refused
    firstAccepted(offset === 0 ? sizes : sizes.slice(0, 1), async (size, refusals) => {
      if (refusals > 0) await onRefusedSize(size);
      const limit = limits.limitOf(size, atMost);
      const mayBeRefused = offset > 0 || !isSizeAccepted || limit < size;
      let page;
      try {
        page = { limit, ...(await fetchPage({ offset, limit, mayBeRefused }, signal)) };
      } catch (error) {
        const isDoubtful = isSizeAccepted && limits.isDoubtful(offset, limit, size);
        if (!isDoubtful || !isConnectorError(error, 'REQUEST_REFUSED')) throw error;
        const other = await orEmpty(fetchPage({ offset, limit: size, mayBeRefused: true }, signal), size);
        limits.compared(other.isRefused === true);
        if (offset === 0 && other.isRefused === true) throw error;
        return { limit: size, ...other, retries: 1 };
      }
      limits.received(offset, page.rows.length, page.limit);
      // a smaller page, requested as such or after this one had failed, shows only that the server takes smaller ones
      if (page.limit >= size) {
        sizes = [size];
        isSizeAccepted = true;
      }
      return page;
    });
  return async (offset, signal, atMost) => {
    if (offset === 0) return fetchSized(0, signal, atMost);
    const asked = limits.limitOf(sizes[0] ?? pageSize, atMost);
    const page = await orEmpty(fetchSized(offset, signal, atMost), asked);
    if (isSizeAccepted || page.isRefused !== true) return page;
    // the address, the page size or the offset may be wrong: requesting the first page shows which
    const { limit } = await fetchSized(0, signal, Infinity);
    return orEmpty(fetchSized(offset, signal, Math.min(atMost, limit)), Math.min(atMost, limit));
  };
}

/** Returns a page, or an empty one if the request for so many rows is refused. */
async function orRefused<R>(
  page: Promise<OffsetPage<R>>,
  limit: number,
  refusalOf: PageSource<R>['refusalOf'],
): Promise<OffsetPage<R>> {
  try {
    return await page;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { ...REFUSED, limit, refusal };
  }
}
