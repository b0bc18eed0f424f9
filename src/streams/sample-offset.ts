/** Rows from an offset on, as many as the server grants; none behind the end. */
interface OffsetRows<R> {
  readonly rows: readonly R[];
  readonly total: number | undefined;
}

/** An offset-paged list as its sample sees it. */
export interface OffsetList<R> {
  readonly fetchPage: (offset: number) => Promise<OffsetRows<R>>;
  /** True if the server refused the request itself, as some do with great offsets. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (words: string) => Promise<void>;
}

/**
 * `count` rows of a list, half of them from its head and half from its end; all of a list that is no longer. The end lies
 * where the total says, if rows stop there; else it is found by doubling and halving, in few requests. Where the server
 * refuses great offsets, the last rows that it shows stand for the end, and a log line says so.
 *
 * @throws what `fetchPage` throws, refusals of all but the first page excepted
 */
export async function* sampleOffset<R>(list: OffsetList<R>, count: number): AsyncGenerator<readonly R[]> {
  const wanted = Math.ceil(count / 2);
  let head = 0;
  let total: number | undefined;
  while (head < wanted) {
    const page = await pageAt(list, head);
    if (page === null) await list.info(refusalWords(head));
    const rows = page?.rows.slice(0, wanted - head) ?? [];
    if (rows.length === 0) return;
    yield rows;
    head += rows.length;
    total = page?.total;
  }
  yield* sampleEnd(list, head, total, count - head);
}

/** The last `count` rows of a list, of those from `head` on. */
async function* sampleEnd<R>(
  list: OffsetList<R>,
  head: number,
  total: number | undefined,
  count: number,
): AsyncGenerator<readonly R[]> {
  if (count === 0) return;
  const found = await findEnd(list, head, total, count);
  if (found === null) {
    await list.info('the end of the list cannot be found, so only its newest rows are looked at');
    return;
  }
  const { end, refusedAt } = found;
  if (refusedAt !== null) await list.info(refusalWords(refusedAt));
  yield found.rows;
  const missingTo = end - found.rows.length;
  for (let at = Math.max(head, end - count); at < missingTo;) {
    const rows = (await pageAt(list, at))?.rows ?? [];
    if (rows.length === 0) return;
    yield rows.slice(0, missingTo - at);
    at += rows.length;
  }
}

interface ListEnd<R> {
  /** The offset behind the last row. */
  readonly end: number;
  /** Rows directly before it, at most as many as were wanted. */
  readonly rows: readonly R[];
  /** The least offset that the server refused; null if it refused none. */
  readonly refusedAt: number | null;
}

/** Where a list ends, of which the first `head` rows are known; null if rows come from whatever offset. */
async function findEnd<R>(
  list: OffsetList<R>,
  head: number,
  total: number | undefined,
  wanted: number,
): Promise<ListEnd<R> | null> {
  let rows: readonly R[] = [];
  let refusedAt: number | null = null;
  let end = head;
  let behind = Number.POSITIVE_INFINITY;
  let step = wanted;
  let likely = total;
  let at = likely === undefined ? head : Math.max(head, likely - wanted);
  while (end < behind) {
    const answer = await pageAt(list, at);
    const page = answer?.rows ?? [];
    if (answer === null) refusedAt = at;
    if (page.length === 0) behind = at;
    else {
      // rows behind a total show that it is none
      if (likely !== undefined && at >= likely) likely = undefined;
      rows = (at === end ? [...rows, ...page] : page).slice(-wanted);
      end = at + page.length;
    }
    if (behind !== Number.POSITIVE_INFINITY)
      at = behind - end <= page.length ? end : end + Math.floor((behind - end) / 2);
    else if (likely !== undefined) at = end;
    else {
      at = end + step;
      step *= 2;
      if (at > Number.MAX_SAFE_INTEGER) return null;
    }
  }
  return { end, rows, refusedAt };
}

/** The page at an offset; null if the server refuses it, though it has shown the list's head. */
async function pageAt<R>(list: OffsetList<R>, offset: number): Promise<OffsetRows<R> | null> {
  try {
    return await list.fetchPage(offset);
  } catch (error) {
    if (offset > 0 && list.isRefusal(error)) return null;
    throw error;
  }
}

function refusalWords(offset: number): string {
  return `the server refuses offsets from ${offset} on; the rows before stand for the end of the list`;
}
