/** A page of a cursor list as paging sees it. */
export interface CursorPage<R> {
  readonly rows: readonly R[];
  /** The cursor of the next page, null on the last one (API document 4.2.4). */
  readonly next: string | null;
}

export interface Chain<R, P extends CursorPage<R>> {
  /** The page behind a cursor, or the first page for null (API document 4.2.2). */
  readonly fetchPage: (after: string | null, signal: AbortSignal) => Promise<P>;
  /** Cursor to start behind, null for the first page. */
  readonly from: string | null;
  /** Told of each page that is not the last; throws if the chain goes nowhere. */
  readonly guard: (page: P) => void;
  /** Ends the chain, and the request in flight with it. */
  readonly signal: AbortSignal;
}

/**
 * Follows a chain of cursors to its end: a page without a next cursor; an empty page is not the end (API document 4.2).
 * The next page is fetched while this one is written: one request ahead, never more.
 *
 * @throws what `fetchPage` and `guard` throw
 */
export async function* followCursors<R, P extends CursorPage<R>>(chain: Chain<R, P>): AsyncGenerator<P> {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, chain.signal]);
  const ask = (after: string | null): Promise<P> => {
    const page = chain.fetchPage(after, signal);
    // it is an error only once its turn comes
    page.catch(() => undefined);
    return page;
  };
  try {
    let asked: Promise<P> | null = ask(chain.from);
    while (asked !== null) {
      const page: P = await asked;
      if (page.next !== null) chain.guard(page);
      asked = page.next === null ? null : ask(page.next);
      yield page;
    }
  } finally {
    abort.abort();
  }
}
