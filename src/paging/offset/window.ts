import { startGroup } from '../request-group.ts';

/** A page of an offset list. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  readonly total: number | undefined; // `totalCount`, if it is a count: a hint that is never relied on alone
  readonly atLeast?: number | undefined; // rows of the list, as far as its count of pages tells
  readonly moreAt?: number | undefined; // an offset at which it says that rows follow
  readonly saysMore?: boolean | undefined; // it says that rows follow, but not where
  readonly bytes: number; // approximate size in memory
  readonly limit?: number; // rows that were requested
  readonly hasCursor?: boolean; // the page has a `nextCursor`, so the list may be paged by cursor
  readonly isRefused?: true; // the server refused the offset instead of returning an empty page
  readonly refusal?: string; // its words
  readonly retries?: number; // requests with another limit, beside the one that was answered
}

/** Returns the page at an offset, with at most so many rows; Infinity: as many as a page may have. */
export type FetchOffsetPage<R> = (
  offset: number,
  signal: AbortSignal,
  atMost: number,
) => Promise<OffsetPage<R>>;

/** What the window knows of a page. */
interface Placed {
  readonly offset: number;
}

/** Requests the page with the row at an offset. */
type RequestPage<P> = (offset: number, signal: AbortSignal) => Promise<P>;

/** What to request ahead: pages at intervals of `stride`, unless they begin at the last row before `end` or later. */
export type Prefetch = { readonly stride: number; readonly end: number; readonly maxPages: number };

export interface PageWindow<P> {
  /** Returns the page at `offset`. Drops pages that were requested ahead from other offsets. */
  readonly take: (offset: number) => Promise<P>;
  /** Returns the next page if it begins before `covered`, the end of the covered rows, else that at `offset`. Requests more ahead. */
  readonly follow: (offset: number, covered: number, next: Prefetch | null) => Promise<P>;
  /** Returns the page at `offset`, before those requested ahead. `unused`: a page to be taken again after it. */
  readonly fillGap: (offset: number, unused: P) => Promise<P>;
  /** Aborts the requests in flight. */
  readonly close: () => void;
}

/** By how many pages each page taken raises the number of those requested ahead, before and after a gap was met between two pages. */
const GAIN = { noGap: 2, gap: 1 / 2 };

/**
 * Pages of an offset list, in the order in which they are taken. At most `concurrency` requests are in flight, and at most twice as
 * many pages are requested or held, so that one slow page does not block the others. If the list moves so much that pages requested
 * ahead do not follow each other, fewer are requested.
 */
export function createPageWindow<P extends Placed>(
  requestPage: RequestPage<P>,
  concurrency: number,
  signal: AbortSignal,
): PageWindow<P> {
  const depth = createDepth(2 * concurrency);
  const ahead = createAhead(requestPage, concurrency, signal, depth.pages);
  const drop = (): void => depth.lower(ahead.drop());
  return {
    take: (offset) => {
      ahead.plan(null);
      if (ahead.offset() !== offset) drop();
      return ahead.shift() ?? ahead.send(offset);
    },
    follow: (offset, covered, next) => {
      const at = ahead.offset();
      const isUsable = at !== undefined && at < covered;
      const page = isUsable ? ahead.shift() : undefined;
      const used = page ?? ahead.send(offset);
      if (next !== null) depth.raise(next.maxPages);
      ahead.plan(next && { ...next, after: isUsable ? at : offset });
      return used;
    },
    fillGap: (offset, unused) => {
      depth.lower(depth.pages() / 2);
      ahead.unshift(unused);
      return ahead.send(offset);
    },
    close: () => {
      ahead.plan(null);
      drop();
    },
  };
}

interface Ahead<P> {
  readonly offset: number;
  readonly page: Promise<P>;
}

/** Pages that are requested before they are taken, at most `maxPages`, in the order of their offsets. */
function createAhead<P extends Placed>(
  requestPage: RequestPage<P>,
  concurrency: number,
  signal: AbortSignal,
  maxPages: () => number,
) {
  let queue: Ahead<P>[] = [];
  let planned: (Prefetch & { readonly after: number }) | null = null;
  const prefetch = (): void => {
    if (planned === null) return;
    const { after, stride, end } = planned;
    let offset = (queue.at(-1)?.offset ?? after) + stride;
    for (; offset < end - 1 && requests.hasRoom() && queue.length < maxPages(); offset += stride)
      queue.push({ offset, page: requests.send(offset) });
  };
  const requests = createRequests(requestPage, concurrency, signal, prefetch);
  return {
    send: requests.send,
    offset: (): number | undefined => queue[0]?.offset,
    shift: (): Promise<P> | undefined => queue.shift()?.page,
    unshift: (page: P): void => {
      queue.unshift({ offset: page.offset, page: Promise.resolve(page) });
    },
    /** Requests pages after an offset; null: none. */
    plan: (next: typeof planned): void => {
      planned = next;
      prefetch();
    },
    /** Drops the pages, and returns how many there were. Never aborts one that was taken: the caller awaits it first. */
    drop: (): number => {
      const { length } = queue;
      queue = [];
      // each new group keeps a signal on Node.js 20, so an empty queue must not cost one
      if (length > 0) requests.drop();
      return length;
    },
  };
}

/** How many pages may be requested ahead: at most `most`. */
function createDepth(most: number) {
  let pages = 0;
  let gain: number = GAIN.noGap;
  return {
    pages: (): number => Math.floor(pages),
    raise: (max: number): void => {
      pages = Math.min(most, max, pages + gain);
    },
    lower: (by: number): void => {
      if (by === 0) return;
      pages = Math.max(0, pages - by);
      gain = GAIN.gap;
    },
  };
}

/** Sends requests, at most `concurrency` at once, and drops them together. `onEnd` is called when there is room for more. */
function createRequests<P>(
  requestPage: RequestPage<P>,
  concurrency: number,
  signal: AbortSignal,
  onEnd: () => void,
) {
  const waiting: (() => void)[] = [];
  let group = startGroup(signal);
  let inFlight = 0;
  const end = (): void => {
    const next = waiting.shift();
    if (next !== undefined) next();
    else {
      inFlight--;
      onEnd();
    }
  };
  const request = async (offset: number): Promise<P> => {
    const { signal: dropped } = group;
    if (inFlight < concurrency) inFlight++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await requestPage(offset, dropped);
    } finally {
      end();
    }
  };
  return {
    hasRoom: (): boolean => inFlight < concurrency,
    send: (offset: number): Promise<P> => {
      const page = request(offset);
      // a failure surfaces when the page is taken
      page.catch(() => undefined);
      return page;
    },
    drop: (): void => {
      group.drop();
      group = startGroup(signal);
    },
  };
}
