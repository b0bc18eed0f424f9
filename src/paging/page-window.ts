export interface PageWindow<P> {
  /**
   * The page at `offset`. Pages that were asked for ahead at other offsets are dropped, and those behind this one
   * are asked for ahead as `ahead` says.
   */
  readonly take: (offset: number, ahead: Ahead) => Promise<P>;
  /** Drops everything that was asked for ahead. */
  readonly close: () => void;
}

/** What to ask for ahead: pages at `offset + stride`, `offset + 2 stride`, … below `end`; none if null. */
export type Ahead = { readonly stride: number; readonly end: number } | null;

interface Asked<P> {
  readonly offset: number;
  readonly page: Promise<P>;
  readonly abort: AbortController;
}

/**
 * Pages of an offset list, in the order in which they are taken, however many are in flight: at most `concurrency`
 * requests at once, and at most twice as many pages asked for or held, so that a slow page does not idle the others.
 */
export function createPageWindow<P>(
  fetchPage: (offset: number, signal: AbortSignal) => Promise<P>,
  concurrency: number,
): PageWindow<P> {
  let queue: Asked<P>[] = [];
  let inFlight = 0;
  let plan: Ahead = null;
  /** Offset of the page taken last: what is asked for ahead lies behind it. */
  let taken = 0;

  const ask = (offset: number): void => {
    const abort = new AbortController();
    inFlight++;
    const page = fetchPage(offset, abort.signal).finally(() => {
      inFlight--;
      askAhead();
    });
    // a page asked for ahead that fails is an error only once it is taken
    page.catch(() => undefined);
    queue.push({ offset, page, abort });
  };
  const askAhead = (): void => {
    if (plan === null) return;
    let next = (queue.at(-1)?.offset ?? taken) + plan.stride;
    const hasRoom = (): boolean => inFlight < concurrency && queue.length < 2 * concurrency;
    while (next < plan.end && hasRoom()) {
      ask(next);
      next += plan.stride;
    }
  };
  const drop = (): void => {
    for (const { abort } of queue) abort.abort();
    queue = [];
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
    close: () => {
      plan = null;
      drop();
    },
  };
}
