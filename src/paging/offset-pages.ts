import { isConnectorError } from '../errors.ts';
import type { Identity } from './identities.ts';
import { startGroup } from './request-group.ts';

/** A page of an offset list. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  readonly total: number | undefined; // `totalCount`, if it is a count: a hint that is never relied on alone
  readonly bytes: number; // approximate size in memory
  readonly isRefused?: true; // the server refused the offset instead of returning an empty page
}

export type FetchOffsetPage<R> = (offset: number, signal: AbortSignal) => Promise<OffsetPage<R>>;

export interface ScannedList<R> {
  readonly fetchPage: FetchOffsetPage<R>;
  readonly identify: (row: R) => Identity;
  readonly concurrency: number;
  readonly maxAheadBytes: number; // of prefetched pages, estimated from the largest page so far
  /** Explains why rows cannot be recognized in another response; null if they can. */
  readonly describeUnidentifiable: (rows: readonly R[]) => string | null;
  readonly mayBeShort: boolean; // if the server returns fewer rows than its total, the scan does not fail
  readonly signal: AbortSignal;
}

export interface RequestedPage<R> extends OffsetPage<R> {
  readonly offset: number;
  readonly request: number; // requests are numbered in the order in which they are sent
}

/** What to prefetch: pages at intervals of `stride` below `end`, and one at `end - 1`, which may prove the end. */
export type Prefetch = { readonly stride: number; readonly end: number; readonly maxPages: number };

export type PageWindow<R> = ReturnType<typeof createPageWindow<R>>;

/**
 * Pages of an offset list, in the order in which they are taken. At most `concurrency` requests are in flight, and at most
 * `maxPages` pages are requested or held, so that one slow page does not block the others.
 */
export function createPageWindow<R>(fetchPage: FetchOffsetPage<R>, concurrency: number, signal: AbortSignal) {
  let queue: { readonly offset: number; readonly page: Promise<RequestedPage<R>> }[] = [];
  let plan: (Prefetch & { readonly after: number }) | null = null;
  const prefetch = (): void => {
    if (plan === null) return;
    const { after, stride, end, maxPages } = plan;
    let offset = queue.at(-1)?.offset ?? after;
    while (offset < end - 1 && requests.inFlight() < concurrency && queue.length < maxPages) {
      offset = Math.min(offset + stride, end - 1);
      const page = requests.send(offset);
      // a failure surfaces when the page is taken
      page.catch(() => undefined);
      queue.push({ offset, page });
    }
  };
  const requests = createRequests(fetchPage, signal, prefetch);
  const drop = (): void => {
    if (queue.length === 0) return;
    queue = [];
    // never aborts a page that was taken: the caller awaits it before anything is dropped
    requests.drop();
  };
  return {
    /** Returns the page at `offset`. Drops pages prefetched from other offsets, and prefetches the pages after it. */
    take: (offset: number, next: Prefetch | null): Promise<RequestedPage<R>> => {
      plan = next && { ...next, after: offset };
      if (queue[0]?.offset !== offset) drop();
      const page = queue.shift()?.page ?? requests.send(offset);
      prefetch();
      return page;
    },
    /** Returns the offset of the next prefetched page; undefined if there is none. */
    next: (): number | undefined => queue[0]?.offset,
    requests: requests.sent,
    close: (): void => {
      plan = null;
      drop();
    },
  };
}

/** Numbers requests, counts those in flight, and drops them together. `onEnd` is called at the end of each. */
function createRequests<R>(fetchPage: FetchOffsetPage<R>, signal: AbortSignal, onEnd: () => void) {
  let group = startGroup(signal);
  let sent = 0;
  let inFlight = 0;
  return {
    sent: (): number => sent,
    inFlight: (): number => inFlight,
    send: async (offset: number): Promise<RequestedPage<R>> => {
      sent++;
      inFlight++;
      const request = sent;
      const page = await fetchPage(offset, group.signal).finally(() => {
        inFlight--;
        onEnd();
      });
      return { ...page, offset, request };
    },
    drop: (): void => {
      group.drop();
      group = startGroup(signal);
    },
  };
}

/** Page sizes that servers commonly allow, tried in turn after a refusal. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 2];

const REFUSED = { rows: [], total: undefined, bytes: 0, isRefused: true } as const;

export interface PageSource<R> {
  readonly fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<OffsetPage<R>>;
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (message: string) => Promise<void>;
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
  const fetchSized: FetchOffsetPage<R> = async (offset, signal) => {
    let refusal: unknown;
    // above 0, the offset may be refused
    for (const limit of offset === 0 ? sizes : sizes.slice(0, 1))
      try {
        if (refusal !== undefined) await info(`the server refused the page size; trying ${limit} rows`);
        const page = await fetchPage(offset, limit, signal);
        sizes = [limit];
        hasReturnedPage = true;
        return page;
      } catch (error) {
        if (!isConnectorError(error, 'REQUEST_REFUSED')) throw error;
        refusal ??= error;
      }
    throw refusal;
  };
  const pageAt: FetchOffsetPage<R> = async (offset, signal) => {
    try {
      return await fetchSized(offset, signal);
    } catch (error) {
      if (offset === 0 || !isRefusal(error)) throw error;
      if (hasReturnedPage) return REFUSED;
      // the address, the page size or the offset may be wrong: requesting the first page shows which
      await fetchSized(0, signal);
      return pageAt(offset, signal);
    }
  };
  return pageAt;
}
