import { startGroup } from '../request-group.ts';
import type { FetchOffsetPage, RequestedPage } from './pages.ts';
import { stepsBack, type Pass } from './pass.ts';

/** What to request. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** What the requests of a pass depend on. */
export type Requesting = Pick<Pass, 'isAligned' | 'granted' | 'isCounted' | 'total' | 'room' | 'idle'>;

/** Returns the request for at most `limit` rows with the row at an offset, or for those before it that it may be shown with. */
export function requestAt(pass: Requesting, offset: number, limit: number): PageRequest {
  const { isAligned, granted, isCounted, total = 0, room, idle } = pass;
  if (isAligned && offset > 0)
    return alignedRequest(offset, Math.min(limit, granted), idle) ?? { offset: 0, limit };
  // services refuse offset + limit above a window
  const isFit = isCounted && total > offset;
  return { offset, limit: isFit ? Math.min(limit, Math.max(2, total + room - offset)) : limit };
}

/** Returns whether a request for the row at the offset of a pass may show the row after it, too. */
export function mayShowMore(pass: Requesting & Pick<Pass, 'offset'>, limit: number): boolean {
  if (!pass.isAligned) return true;
  const request = requestAt(pass, pass.offset, limit);
  return request.offset + Math.min(request.limit, pass.granted) > pass.offset + 1;
}

/**
 * Returns a request at a multiple of its limit whose page shows an offset and the one after it: the page that reaches farthest, or, at each
 * further `turn`, the one that begins nearest, second nearest, …; null if the page at offset 0 is needed.
 */
function alignedRequest(offset: number, most: number, turn: number): PageRequest | null {
  const sizes = Array.from({ length: Math.max(1, most - 1) }, (_, index) => Math.max(2, most - index));
  const startOf = (size: number): number => offset - (offset % size);
  const endOf = (size: number): number => startOf(size) + size;
  const farthest = sizes.reduce((best, size) => (endOf(size) > endOf(best) ? size : best));
  const others = new Map(
    sizes.filter((size) => endOf(size) > offset + 1).map((size) => [startOf(size), size] as const),
  );
  const nearest = [...others.keys()].toSorted((one, other) => other - one);
  const start = nearest[(turn - 1) % nearest.length];
  const size = start === undefined ? farthest : (others.get(start) ?? farthest);
  return offset < size ? null : { offset: startOf(size), limit: size };
}

export interface WindowSettings {
  readonly limit: number; // rows to request
  readonly concurrency: number; // requests in flight, at most
  readonly maxAheadBytes: number; // of pages requested ahead, estimated from the largest page so far
  readonly signal: AbortSignal;
}

/**
 * Requests the pages of a pass. The more pages follow each other, the more are requested ahead; if the list moves so much that they do
 * not, fewer are. At most `concurrency` requests are in flight, and twice as many pages are requested or held: a read waits up to half
 * as long again if one slow page holds up the others.
 */
export function createPageWindow<R>(fetchPage: FetchOffsetPage<R>, settings: WindowSettings) {
  const { limit, concurrency, maxAheadBytes, signal } = settings;
  let queue: Requested<R>[] = [];
  let follows: { readonly pass: Pass; readonly offset: number } | null = null; // after which page others are requested
  let depth = 1; // pages to request or hold
  let maxBytes = 1;
  const prefetch = (): void => {
    if (follows === null || signal.aborted) return;
    const { pass, offset } = follows;
    while (queue.length < Math.min(depth - 1, Math.floor(maxAheadBytes / maxBytes)) && requests.hasRoom()) {
      const next = requestAfter(pass, queue.at(-1)?.offset ?? offset, limit);
      if (next === null) return;
      queue.push(requests.send(next));
    }
  };
  const requests = createRequests(fetchPage, concurrency, signal, prefetch);
  const drop = (): void => {
    follows = null;
    if (queue.length === 0) return;
    depth = Math.max(1, depth - queue.length);
    queue = [];
    requests.drop();
  };
  return {
    /** Returns the page with the row at the offset of the pass. `isFull`: it follows a full page with new rows, so that others will. */
    next: async (pass: Pass, isFull: boolean): Promise<RequestedPage<R>> => {
      const wanted = requestAt(pass, pass.offset, limit);
      const { isBefore, isAfter } = compare(queue[0], wanted, pass);
      // after a page that ended early, those requested ahead are still to come
      if (isBefore || (isAfter && pass.idle > 0)) drop();
      const taken = (isAfter ? undefined : queue.shift()) ?? requests.send(wanted);
      follows = isFull ? { pass, offset: taken.offset } : null;
      prefetch();
      const page = await taken.page;
      maxBytes = Math.max(maxBytes, page.bytes);
      return page;
    },
    /** Adapts how many pages are requested to whether the last one was progress. */
    adapt: (isProgress: boolean): void => {
      depth = isProgress ? Math.min(2 * concurrency - 1, 2 * depth) : Math.max(1, depth >> 1);
    },
    /** Aborts the requests in flight. */
    close: drop,
  };
}

/** Returns whether a page that was requested ahead ends before the wanted row, or begins after it. */
function compare<R>(first: Requested<R> | undefined, wanted: PageRequest, { granted, offset }: Pass) {
  if (first === undefined) return { isBefore: false, isAfter: false };
  return { isBefore: first.offset + granted <= offset + 1, isAfter: first.offset > wanted.offset };
}

/** Returns the request for the full page after one at an offset; null if the list ends before it. */
function requestAfter(pass: Pass, offset: number, limit: number): PageRequest | null {
  const { granted, total = Infinity } = pass;
  const next = requestAt(pass, offset + granted - stepsBack(pass, granted), limit);
  return next.offset <= offset || next.offset >= total ? null : next;
}

interface Requested<R> {
  readonly offset: number;
  readonly page: Promise<RequestedPage<R>>;
}

/** Sends requests, at most `concurrency` at once, that can be dropped together. Calls `onEnd` when there is room for another. */
function createRequests<R>(
  fetchPage: FetchOffsetPage<R>,
  concurrency: number,
  signal: AbortSignal,
  onEnd: () => void,
) {
  const waiting: (() => void)[] = [];
  let group = startGroup(signal);
  let inFlight = 0;
  const request = async ({ offset, limit }: PageRequest): Promise<RequestedPage<R>> => {
    const { signal: dropped } = group;
    if (inFlight < concurrency) inFlight++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return { ...(await fetchPage(offset, limit, dropped)), offset };
    } finally {
      const next = waiting.shift();
      if (next === undefined) inFlight--;
      else next();
      onEnd();
    }
  };
  return {
    hasRoom: (): boolean => inFlight < concurrency,
    send: (wanted: PageRequest): Requested<R> => {
      const page = request(wanted);
      // a failure surfaces when the page is taken
      page.catch(() => undefined);
      return { offset: wanted.offset, page };
    },
    drop: (): void => {
      group.drop();
      group = startGroup(signal);
    },
  };
}
