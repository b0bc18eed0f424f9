import { BadPageError } from '../rows/page.ts';

/** An empty page without pagination, as some services send for no rows; but a service that has lost its data may send one as well. */
export class BarePageError<P> extends BadPageError {
  readonly page: P;

  constructor(page: P) {
    super('the page has no rows and no object `metadata.pagination`');
    this.page = page;
  }
}

/** True if rows of the list may follow the place that is asked for: they would be lost if a bare page there were taken for an empty one. */
export function mayFollowRows(query: URLSearchParams): boolean {
  return query.has('after') || Number(query.get('offset') ?? 0) > 0;
}
