import { startGroup } from '../request-group.ts';
import type { FetchOffsetPage, RequestedPage } from './pages.ts';
import { stepsBack, type Pass } from './pass.ts';

/** What to request. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** What the requests of a pass depend on. */
export type Requesting = Pick<Pass, 'isAligned' | 'granted' | 'isCounted' | 'total' | 'room'>;

/** Returns the request for at most `limit` rows with the row at an offset, or for those before it that it may be shown with. */
export function requestAt(pass: Requesting, offset: number, limit: number): PageRequest {
  const { isAligned, granted, isCounted, total = 0, room } = pass;
  if (isAligned && offset > 0) return alignedRequest(offset, limit, granted);
  // services refuse offset + limit above a window
  const isFit = isCounted && total > offset;
  return { offset, limit: isFit ? Math.min(limit, Math.max(2, total + room - offset)) : limit };
}

/** Returns the request at a multiple of its limit whose page reaches farthest beyond an offset. */
function alignedRequest(offset: number, limit: number, granted: number): PageRequest {
  let best = Math.max(2, Math.min(limit, granted));
  for (let size = best - 1; size >= 2; size--)
    if (size - (offset % size) > best - (offset % best)) best = size;
  return offset < best ? { offset: 0, limit } : { offset: offset - (offset % best), limit: best };
}

export interface WindowSettings {
  readonly limit: number; // rows to request
  readonly concurrency: number; // requests in flight, at most
  readonly maxAheadBytes: number; // of pages requested ahead, estimated from the largest page so far
  readonly signal: AbortSignal;
}

/**
 * Requests the pages of a pass, at most `concurrency` at once. The more pages follow each other, the more are requested ahead; if the
 * list moves so much that they do not, fewer are.
 */
export function createPageWindow<R>(fetchPage: FetchOffsetPage<R>, settings: WindowSettings) {
  const { limit, concurrency, maxAheadBytes, signal } = settings;
  const requests = createRequests(fetchPage, signal);
  let queue: Requested<R>[] = [];
  let depth = 1; // pages to request at once
  let maxBytes = 1;
  const drop = (): void => {
    if (queue.length === 0) return;
    depth = Math.max(1, depth - queue.length);
    queue = [];
    requests.drop();
  };
  const prefetch = (pass: Pass, after: number): void => {
    const room = Math.min(concurrency - 1, depth - 1, Math.floor(maxAheadBytes / maxBytes));
    while (queue.length < room) {
      const next = requestAfter(pass, queue.at(-1)?.offset ?? after, limit);
      if (next === null) return;
      queue.push(requests.send(next));
    }
  };
  return {
    /** Returns the page with the row at the offset of the pass. `isFull`: it follows a full page with new rows, so that others will. */
    next: async (pass: Pass, isFull: boolean): Promise<RequestedPage<R>> => {
      const wanted = requestAt(pass, pass.offset, limit);
      const [first] = queue;
      const isAfter = first !== undefined && first.offset > wanted.offset;
      const isBefore = first !== undefined && first.offset + pass.granted <= pass.offset + 1;
      // after a page that ended early, those requested ahead are still to come
      if (isBefore || (isAfter && pass.idle > 0)) drop();
      const taken = (isAfter ? undefined : queue.shift()) ?? requests.send(wanted);
      if (isFull) prefetch(pass, taken.offset);
      const page = await taken.page;
      maxBytes = Math.max(maxBytes, page.bytes);
      return page;
    },
    /** Adapts how many pages are requested at once to whether the last one was progress. */
    adapt: (isProgress: boolean): void => {
      depth = isProgress ? Math.min(concurrency, 2 * depth) : Math.max(1, depth >> 1);
    },
    /** Aborts the requests in flight. */
    close: drop,
  };
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

/** Sends requests that can be dropped together. */
function createRequests<R>(fetchPage: FetchOffsetPage<R>, signal: AbortSignal) {
  let group = startGroup(signal);
  return {
    send: ({ offset, limit }: PageRequest): Requested<R> => {
      const page = fetchPage(offset, limit, group.signal).then((received) => ({ ...received, offset }));
      // a failure surfaces when the page is taken
      page.catch(() => undefined);
      return { offset, page };
    },
    drop: (): void => {
      group.drop();
      group = startGroup(signal);
    },
  };
}
