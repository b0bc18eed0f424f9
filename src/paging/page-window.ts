import { setMaxListeners } from 'node:events';

export interface PageWindow<P> {
  /**
   * The page at `offset`. Pages that were asked for ahead at other offsets are dropped, and those behind this one
   * are asked for ahead as `ahead` says.
   */
  readonly take: (offset: number, ahead: Ahead) => Promise<P>;
  /** Offset of the page that has been asked for ahead and is to be taken next; undefined if there is none. */
  readonly next: () => number | undefined;
  /** Drops everything that was asked for ahead. */
  readonly close: () => void;
}

/**
 * What to ask for ahead: pages at `offset + stride`, `offset + 2 stride`, … below `end`, and behind them one at `end - 1`,
 * which shows whether the list ends there; none if null.
 */
export type Ahead = { readonly stride: number; readonly end: number; readonly most: number } | null;

interface Asked<P> {
  readonly offset: number;
  readonly page: Promise<P>;
}

/**
 * Pages of an offset list, in the order in which they are taken, however many are in flight: at most `concurrency`
 * requests at once, and at most twice as many pages asked for or held, so that a slow page does not idle the others.
 * `signal` ends what is in flight.
 */
export function createPageWindow<P>(
  fetchPage: (offset: number, signal: AbortSignal) => Promise<P>,
  concurrency: number,
  signal: AbortSignal,
): PageWindow<P> {
  let queue: Asked<P>[] = [];
  let batch = startBatch(signal);
  let inFlight = 0;
  let plan: Ahead = null;
  /** Offset of the page taken last: what is asked for ahead lies behind it. */
  let taken = 0;

  const ask = (offset: number): void => {
    inFlight++;
    const page = fetchPage(offset, batch.signal).finally(() => {
      inFlight--;
      askAhead();
    });
    // a page asked for ahead that fails is an error only once it is taken
    page.catch(() => undefined);
    queue.push({ offset, page });
  };
  const askAhead = (): void => {
    if (plan === null) return;
    let latest = queue.at(-1)?.offset ?? taken;
    const { most } = plan;
    const hasRoom = (): boolean => inFlight < concurrency && queue.length < most;
    while (latest < plan.end - 1 && hasRoom()) {
      latest = Math.min(latest + plan.stride, plan.end - 1);
      ask(latest);
    }
  };
  const drop = (): void => {
    if (queue.length === 0) return;
    queue = [];
    // a page that is taken is awaited before anything is dropped, so it is not hit
    batch.drop();
    batch = startBatch(signal);
  };
  return {
    take: (offset, ahead) => {
      plan = ahead;
      taken = offset;
      if (queue[0]?.offset !== offset) {
        drop();
        ask(offset);
      }
      const [first] = queue as [Asked<P>];
      queue.shift();
      askAhead();
      return first.page;
    },
    next: () => queue[0]?.offset,
    close: () => {
      plan = null;
      drop();
    },
  };
}

/** One signal for all requests that are dropped together: for each of its own, Node.js 20 would keep a little for ever. */
function startBatch(parent: AbortSignal): { readonly signal: AbortSignal; readonly drop: () => void } {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, parent]);
  // each request listens to it
  setMaxListeners(0, signal);
  return { signal, drop: () => abort.abort() };
}
