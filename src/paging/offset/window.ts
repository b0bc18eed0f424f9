import { startGroup } from '../request-group.ts';

/** A page of an offset list. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  readonly total: number | undefined; // `totalCount`, if it is a count: a hint that is never relied on alone
  readonly bytes: number; // approximate size in memory
  readonly limit?: number; // rows that were requested
  readonly hasCursor?: boolean; // the page has a `nextCursor`, so the list may be paged by cursor
  readonly isRefused?: true; // the server refused the offset instead of returning an empty page
}

export type FetchOffsetPage<R> = (offset: number, signal: AbortSignal) => Promise<OffsetPage<R>>;

export interface RequestedPage<R> extends OffsetPage<R> {
  readonly offset: number;
}

/** What to request ahead: pages at intervals of `stride` below `end`, and one at `end - 1`, which may be the last row alone. */
export type Prefetch = { readonly stride: number; readonly end: number; readonly maxPages: number };

export interface PageWindow<R> {
  /** Returns the page at `offset`. Drops pages that were requested ahead from other offsets. */
  readonly take: (offset: number) => Promise<RequestedPage<R>>;
  /** Returns the next page if it begins before `covered`, the end of the covered rows, else that at `offset`. Requests more ahead. */
  readonly follow: (offset: number, covered: number, next: Prefetch | null) => Promise<RequestedPage<R>>;
  /** Returns the page at `offset`, before those requested ahead. `unused`: a page to be taken again after it. */
  readonly fillGap: (offset: number, unused: RequestedPage<R>) => Promise<RequestedPage<R>>;
  /** Aborts the requests in flight. */
  readonly close: () => void;
}

/** By how many pages each page taken raises the number of those requested ahead, before and after a gap was met between two pages. */
const GAIN = { noGap: 2, gap: 1 / 2 };

interface Ahead<R> {
  readonly offset: number;
  readonly page: Promise<RequestedPage<R>>;
  readonly isLast: boolean; // at the end of the list, as it was stated
}

/**
 * Pages of an offset list, in the order in which they are taken. At most `concurrency` requests are in flight, and at most twice as
 * many pages are requested or held, so that one slow page does not block the others. If the list moves so much that pages requested
 * ahead do not follow each other, fewer are requested.
 */
// oxlint-disable-next-line max-lines-per-function
export function createPageWindow<R>(
  fetchPage: FetchOffsetPage<R>,
  concurrency: number,
  signal: AbortSignal,
): PageWindow<R> {
  let queue: Ahead<R>[] = [];
  let plan: (Prefetch & { readonly after: number }) | null = null;
  const depth = createDepth(2 * concurrency);
  const prefetch = (): void => {
    if (plan === null) return;
    const { after, stride, end } = plan;
    let { offset, isLast } = queue.at(-1) ?? { offset: after, isLast: false };
    while (!isLast && offset < end - 1 && requests.hasRoom() && queue.length < depth.pages()) {
      offset = Math.min(offset + stride, end - 1);
      isLast = offset === end - 1;
      queue.push({ offset, page: requests.send(offset), isLast });
    }
  };
  const requests = createRequests(fetchPage, concurrency, signal, prefetch);
  const drop = (): void => {
    if (queue.length === 0) return;
    depth.lower(queue.length);
    queue = [];
    // never aborts a page that was taken: the caller awaits it before anything is dropped
    requests.drop();
  };
  const take: PageWindow<R>['take'] = (offset) => {
    plan = null;
    if (queue[0]?.offset !== offset) drop();
    return queue.shift()?.page ?? requests.send(offset);
  };
  const follow: PageWindow<R>['follow'] = (offset, covered, next) => {
    const [ahead] = queue;
    const isUsable = ahead !== undefined && ahead.offset < covered;
    const used = isUsable ? ahead : { offset, page: requests.send(offset) };
    if (isUsable) queue.shift();
    plan = next && { ...next, after: used.offset };
    if (next !== null) depth.raise(next.maxPages);
    prefetch();
    return used.page;
  };
  const fillGap: PageWindow<R>['fillGap'] = (offset, unused) => {
    depth.lower(depth.pages() / 2);
    queue.unshift({ offset: unused.offset, page: Promise.resolve(unused), isLast: false });
    return requests.send(offset);
  };
  const close = (): void => {
    plan = null;
    drop();
  };
  return { take, follow, fillGap, close };
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
      pages = Math.max(0, pages - by);
      gain = GAIN.gap;
    },
  };
}

/** Sends requests, at most `concurrency` at once, and drops them together. `onEnd` is called when there is room for more. */
function createRequests<R>(
  fetchPage: FetchOffsetPage<R>,
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
  const request = async (offset: number): Promise<RequestedPage<R>> => {
    const { signal: dropped } = group;
    if (inFlight < concurrency) inFlight++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return { ...(await fetchPage(offset, dropped)), offset };
    } finally {
      end();
    }
  };
  return {
    hasRoom: (): boolean => inFlight < concurrency,
    send: (offset: number): Promise<RequestedPage<R>> => {
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
