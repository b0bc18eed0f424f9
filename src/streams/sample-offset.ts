/** An offset-paged list as its sample sees it. */
export interface SampledOffsets<R> {
  /** Rows from an offset on, as many as the server grants; none behind the end. */
  readonly fetchPage: (
    offset: number,
  ) => Promise<{ readonly rows: readonly R[]; readonly total: number | undefined }>;
  /** True if the server refused the request itself, as some do with great offsets. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (words: string) => Promise<void>;
}

/**
 * `count` rows of a list, half of them from its head and half from its end; all of a list that is no longer. The end lies
 * where the total says, if rows stop there; else it is found by doubling and halving. Where the server refuses great
 * offsets, the last rows that it shows stand for the end, and a log line says so.
 *
 * @throws what `fetchPage` throws, refusals of all but the first page excepted
 */
export async function* sampleOffset<R>(list: SampledOffsets<R>, count: number): AsyncGenerator<readonly R[]> {
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
  if (count > wanted) yield* sampleEnd(list, head, total, count - head);
}

/** The last `count` rows of a list, of those from `head` on. */
async function* sampleEnd<R>(
  list: SampledOffsets<R>,
  head: number,
  total: number | undefined,
  count: number,
): AsyncGenerator<readonly R[]> {
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

/**
 * The offset behind the last row of a list, of which the first `head` rows are known, `wanted` rows before it at most, and
 * the least offset that was refused (null: none). Null if rows come from whatever offset.
 */
async function findEnd<R>(
  list: SampledOffsets<R>,
  head: number,
  total: number | undefined,
  wanted: number,
): Promise<{ end: number; rows: readonly R[]; refusedAt: number | null } | null> {
  let rows: readonly R[] = [];
  let refusedAt: number | null = null;
  let end = head;
  let behind = Number.POSITIVE_INFINITY;
  let step = wanted;
  let likely = total;
  let at = likely === undefined ? head : Math.max(head, likely - wanted);
  while (end < behind) {
    if (at > Number.MAX_SAFE_INTEGER) return null;
    const page = await pageAt(list, at);
    const { length } = page?.rows ?? [];
    if (page === null) refusedAt = at;
    if (page === null || length === 0) behind = at;
    else {
      // rows behind a total show that it is wrong
      if (likely !== undefined && at >= likely) likely = undefined;
      rows = (at === end ? [...rows, ...page.rows] : page.rows).slice(-wanted);
      end = at + length;
    }
    if (behind !== Number.POSITIVE_INFINITY)
      at = behind - end <= length ? end : end + Math.floor((behind - end) / 2);
    else if (likely !== undefined) at = end;
    else {
      at = end + step;
      step *= 2;
    }
  }
  return { end, rows, refusedAt };
}

/** The page at an offset; null if the server refuses it, though it has shown the list's head. */
async function pageAt<R>(
  list: SampledOffsets<R>,
  offset: number,
): Promise<Awaited<ReturnType<SampledOffsets<R>['fetchPage']>> | null> {
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
