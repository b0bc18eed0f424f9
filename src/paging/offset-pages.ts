import { setMaxListeners } from 'node:events';

import { isConnectorError } from '../errors.ts';

/** A page of an offset list as paging sees it. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  /** `totalCount` where it is a count; a hint and a witness, never the guide. */
  readonly total: number | undefined;
  /** What it takes in memory, about. */
  readonly bytes: number;
}

export type FetchOffsetPage<R> = (offset: number, signal: AbortSignal) => Promise<OffsetPage<R>>;

/** A page, where it was asked for, and the number of its request in the order of asking. */
export interface AskedPage<R> extends OffsetPage<R> {
  readonly offset: number;
  readonly request: number;
}

/** What to ask for ahead: pages at each `stride` below `end`, and one at `end - 1`, which may show the end. */
export type Ahead = { readonly stride: number; readonly end: number; readonly most: number };

export type PageWindow<R> = ReturnType<typeof createPageWindow<R>>;

/**
 * Pages of an offset list, in the order in which they are taken: at most `concurrency` requests in flight, and at most as
 * many pages asked for or held as `ahead` says, so that a slow page does not idle the others.
 */
export function createPageWindow<R>(fetchPage: FetchOffsetPage<R>, concurrency: number, signal: AbortSignal) {
  let queue: { readonly offset: number; readonly page: Promise<AskedPage<R>> }[] = [];
  let group = startGroup(signal);
  let asked = 0;
  let inFlight = 0;
  /** What to ask for behind the page taken last. */
  let plan: (Ahead & { readonly behind: number }) | null = null;

  const ask = async (offset: number): Promise<AskedPage<R>> => {
    const request = ++asked;
    inFlight++;
    const page = await fetchPage(offset, group.signal).finally(() => {
      inFlight--;
      askAhead();
    });
    return { ...page, offset, request };
  };
  const askAhead = (): void => {
    if (plan === null) return;
    const { behind, stride, end, most } = plan;
    let offset = queue.at(-1)?.offset ?? behind;
    const hasRoom = (): boolean => inFlight < concurrency && queue.length < most;
    while (offset < end - 1 && hasRoom()) {
      offset = Math.min(offset + stride, end - 1);
      const page = ask(offset);
      // one that fails is an error only once it is taken
      page.catch(() => undefined);
      queue.push({ offset, page });
    }
  };
  const drop = (): void => {
    if (queue.length === 0) return;
    queue = [];
    // a page that is taken is awaited before anything is dropped, so it is not hit
    group.drop();
    group = startGroup(signal);
  };
  return {
    /** The page at `offset`. What was asked for ahead at other offsets is dropped, and more behind it is asked for. */
    take: (offset: number, ahead: Ahead | null): Promise<AskedPage<R>> => {
      plan = ahead && { ...ahead, behind: offset };
      if (queue[0]?.offset !== offset) drop();
      const page = queue.shift()?.page ?? ask(offset);
      askAhead();
      return page;
    },
    /** Offset of the next page that has been asked for ahead; undefined if there is none. */
    next: (): number | undefined => queue[0]?.offset,
    asked: (): number => asked,
    close: (): void => {
      plan = null;
      drop();
    },
  };
}

/** One signal for all requests that are dropped together: for each of its own, Node.js 20 would keep a little for ever. */
function startGroup(parent: AbortSignal) {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, parent]);
  // each request listens to it
  setMaxListeners(0, signal);
  return { signal, drop: () => abort.abort() };
}

/** Sizes that servers commonly allow, tried in turn below the one that was refused. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 2];

/**
 * A fetch of pages that learns which page size the server accepts: a refusal before any page has come is answered with the
 * next smaller common size; the first refusal is thrown if all are refused. (Paging goes by rows received, if fewer come.)
 */
export function withAcceptedSize<R>(
  pageSize: number,
  info: (words: string) => Promise<void>,
  fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<OffsetPage<R>>,
): FetchOffsetPage<R> {
  let sizes = [pageSize, ...COMMON_SIZES.filter((size) => size < pageSize)];
  return async (offset, signal) => {
    let refusal: unknown;
    for (const limit of sizes)
      try {
        if (refusal !== undefined) await info(`the server refuses the page size; trying ${limit} rows`);
        const page = await fetchPage(offset, limit, signal);
        sizes = [limit];
        return page;
      } catch (error) {
        if (!isConnectorError(error, 'REQUEST_REFUSED')) throw error;
        refusal ??= error;
      }
    throw refusal;
  };
}
