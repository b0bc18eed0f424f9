import { isConnectorError } from '../errors.ts';
import type { Identity } from './identities.ts';
import { startGroup } from './request-group.ts';

/** A page of an offset list as paging sees it. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  /** `totalCount` where it is a count; a hint and a witness, never the guide. */
  readonly total: number | undefined;
  /** What it takes in memory, about. */
  readonly bytes: number;
  /** The server refused the offset rather than answer with an empty page. */
  readonly isRefused?: true;
}

export type FetchOffsetPage<R> = (offset: number, signal: AbortSignal) => Promise<OffsetPage<R>>;

export interface ScannedList<R> {
  readonly fetchPage: FetchOffsetPage<R>;
  readonly identify: (row: R) => Identity;
  readonly concurrency: number;
  readonly maxAheadBytes: number; // of pages asked for ahead, as far as the pages so far show how large they are
  /** Why rows cannot be known again in another answer, in words for a person; null if they can. */
  readonly whyStrange: (rows: readonly R[]) => string | null;
  /** Whether a part of the list is enough: then a total that is larger than what is shown ends no scan. */
  readonly mayBeShort: boolean;
  readonly signal: AbortSignal;
}

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

/** Sizes that servers commonly allow, tried in turn below the one that was refused. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 2];

const REFUSED = { rows: [], total: undefined, bytes: 0, isRefused: true } as const;

/** What the fetch of pages rests on: how a page of so many rows is requested, and what is a refusal of that request. */
export interface PageSource<R> {
  readonly fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<OffsetPage<R>>;
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (words: string) => Promise<void>;
}

/**
 * A fetch of pages that learns what the server accepts. A refusal before any page has come may be about the page size: the
 * next smaller common size follows, and the first refusal is thrown if all are refused. (Paging goes by rows received, if
 * fewer come.) Once a page has come, the refusal of an offset above 0 means that the list has no rows there.
 *
 * @throws (from the result) what `fetchPage` throws, unless it counts as an empty page
 */
export function createPageFetch<R>(
  pageSize: number,
  { fetchPage, isRefusal, info }: PageSource<R>,
): FetchOffsetPage<R> {
  let sizes = [pageSize, ...COMMON_SIZES.filter((size) => size < pageSize)];
  let hasAnswered = false;
  const ask = async (
    offset: number,
    signal: AbortSignal,
    tried: readonly number[],
  ): Promise<OffsetPage<R>> => {
    let refusal: unknown;
    for (const limit of tried)
      try {
        if (refusal !== undefined) await info(`the server refuses the page size; trying ${limit} rows`);
        const page = await fetchPage(offset, limit, signal);
        sizes = [limit];
        hasAnswered = true;
        return page;
      } catch (error) {
        if (!isConnectorError(error, 'REQUEST_REFUSED')) throw error;
        refusal ??= error;
      }
    throw refusal;
  };
  const pageAt: FetchOffsetPage<R> = async (offset, signal) => {
    if (offset === 0) return ask(0, signal, sizes);
    try {
      return await ask(offset, signal, sizes.slice(0, 1));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (hasAnswered) return REFUSED;
      // the address, the page size or the offset may be what is wrong: the first page tells
      await ask(0, signal, sizes);
      return pageAt(offset, signal);
    }
  };
  return pageAt;
}
