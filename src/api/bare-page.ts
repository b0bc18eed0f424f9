import { BRIEF_ANSWER_MS, LASTING_ANSWER_MS } from '../limits.ts';
import { BadPageError } from '../rows/page.ts';

/** An empty page without pagination, as some services send for no rows; but a service that has lost its data may send one as well. */
export class BarePageError<P> extends BadPageError {
  readonly page: P;

  constructor(page: P) {
    super('the page has no rows and no object `metadata.pagination`');
    this.page = page;
  }
}

/**
 * Returns a function that makes the attempts of one request, and takes a bare page for an empty one if it stays the same when asked again:
 * briefly, or for longer if rows of the list may follow the place that is asked for, because then they would be lost.
 */
export function confirmBare<P>(query: URLSearchParams, now: () => number) {
  const isStart = !query.has('after') && Number(query.get('offset') ?? 0) === 0;
  const lastingMs = isStart ? BRIEF_ANSWER_MS : LASTING_ANSWER_MS;
  let sinceMs: number | null = null;
  return async (attempt: () => Promise<P>): Promise<P> => {
    try {
      return await attempt();
    } catch (error) {
      const page = error instanceof BarePageError ? (error as BarePageError<P>).page : null;
      sinceMs = page === null ? null : (sinceMs ?? now());
      if (page !== null && sinceMs !== null && now() - sinceMs >= lastingMs) return page;
      throw error;
    }
  };
}
