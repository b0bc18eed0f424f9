/** Sizes that servers commonly allow, tried in turn below the one that was refused. */
const COMMON_SIZES = [5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 2];

/**
 * A fetch of pages that learns which page size the server accepts: a refusal before any page has come is answered with
 * the next smaller common size. (That a server silently grants fewer rows is no matter here: paging advances by rows
 * received.)
 *
 * @throws (from the result) the first refusal, if every size is refused
 */
export function withAcceptedSize<P>(
  fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<P>,
  pageSize: number,
  isRefusal: (error: unknown) => boolean,
  onSmaller: (limit: number) => Promise<void>,
): (offset: number, signal: AbortSignal) => Promise<P> {
  let limit = pageSize;
  let accepted = false;
  let firstRefusal: unknown;
  return async (offset, signal) => {
    for (;;) {
      try {
        const page = await fetchPage(offset, limit, signal);
        accepted = true;
        return page;
      } catch (error) {
        if (accepted || !isRefusal(error)) throw error;
        firstRefusal ??= error;
        const smaller = COMMON_SIZES.find((size) => size < limit);
        if (smaller === undefined) throw firstRefusal;
        limit = smaller;
        await onSmaller(limit);
      }
    }
  };
}
