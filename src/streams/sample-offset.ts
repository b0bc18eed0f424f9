/** An offset-paged list as its sample sees it. */
export interface SampledOffsets<R> {
  /** Rows from an offset on, as many as the server grants; none behind the end. */
  readonly fetchPage: (offset: number) => Promise<{ rows: readonly R[]; total: number | undefined }>;
  /** True if the server refused the request itself, as some do with great offsets. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (words: string) => Promise<void>;
}

/**
 * `count` rows of a list, half of them from its head and half from its end; all of a list that is no longer. The end lies
 * where the total says, if rows stop there; else it is found by doubling and halving. Where the server refuses great
 * offsets, the last rows that it shows stand for the end, and a log line says so.
 */
export async function* sampleOffset<R>(list: SampledOffsets<R>, count: number): AsyncGenerator<readonly R[]> {
  const refused: number[] = [];
  /** A page that is refused, though the list's head was shown, counts as one behind the end. */
  const pageAt: SampledOffsets<R>['fetchPage'] = (offset) =>
    list.fetchPage(offset).catch((error: unknown) => {
      if (offset === 0 || !list.isRefusal(error)) throw error;
      refused.push(offset);
      return { rows: [], total: undefined };
    });
  const half = Math.ceil(count / 2);
  let head = 0;
  let total: number | undefined;
  while (head < half) {
    const page = await pageAt(head);
    const rows = page.rows.slice(0, half - head);
    if (rows.length === 0) break;
    yield rows;
    head += rows.length;
    total = page.total;
  }
  const isAll = head < half || count === half;
  const found = isAll ? null : await findEnd(pageAt, head, total ?? 0, count - head);
  if (found === null && !isAll)
    await list.info('the end of the list cannot be found, so only its newest rows are looked at');
  const words = `the server refuses offsets from ${refused.at(-1)} on; the rows before stand for the end of the list`;
  if (refused.length > 0) await list.info(words);
  if (found === null) return;
  yield found.rows;
  const missingTo = found.end - found.rows.length;
  for (let at = Math.max(head, found.end - (count - head)); at < missingTo;) {
    const { rows } = await pageAt(at);
    if (rows.length === 0) return;
    yield rows.slice(0, missingTo - at);
    at += rows.length;
  }
}

/** The end of a list of which the first `head` rows are known, and at most `wanted` rows before it; null if it has none. */
async function findEnd<R>(
  pageAt: SampledOffsets<R>['fetchPage'],
  head: number,
  total: number,
  wanted: number,
): Promise<{ end: number; rows: readonly R[] } | null> {
  let rows: readonly R[] = [];
  let end = head;
  let behind = Infinity;
  let step = wanted;
  for (let at = Math.max(head, total - wanted); end < behind;) {
    if (at > Number.MAX_SAFE_INTEGER) return null;
    const { rows: page } = await pageAt(at);
    if (page.length === 0) behind = at;
    else {
      rows = (at === end ? [...rows, ...page] : page).slice(-wanted);
      end = at + page.length;
    }
    if (behind < Infinity) at = behind - end <= page.length ? end : end + Math.floor((behind - end) / 2);
    else if (at < total) at = end;
    else {
      // rows behind a total show that it is wrong
      at = end + step;
      step *= 2;
    }
  }
  return { end, rows };
}
