import { DAY, MAX_INSTANT, MIN_INSTANT, MINUTE } from '../paging/instant.ts';
import { earliest, later, mergedFormat, resolutionOf, writeTime } from '../paging/instant.ts';
import type { TimeFormat, WrittenTime } from '../paging/instant.ts';
import { createLoopGuard } from '../paging/loop-guard.ts';
import type { BoundOrigin, CursorList, CursorPage } from '../paging/cursor/list.ts';
import { FAILED, limitAfter, pageSizeOf, type Limit, type PageSize } from '../paging/page-size.ts';
import { writtenBound } from '../paging/cursor/bounds.ts';

const GROWTH = 8n; // factor by which a time range grows while it contains too few rows
const MAX_SPENT = 12; // multiple of the rows wanted, after which a range that is too long is read only to its first page
const MAX_RANGES = 48; // eight such steps go back 30 years; the other ranges narrow it down

/**
 * Yields about `count` rows of a list in ascending order of created time, half of them the oldest and half the newest; a shorter
 * list in full; no row outside its dates. The newest rows are requested by `createdSince`. If they are not available, the reason is
 * logged, and more of the oldest rows are read. Throws what `fetchPage` throws.
 */
export async function* sampleCursor<R>(
  list: CursorList<R>,
  count: number,
  info: (message: string) => Promise<void>,
): AsyncGenerator<readonly R[]> {
  const sized = { ...list, info, size: { current: pageSizeOf(list.pageSize) } };
  const oldest = createChainReader(sized, writtenBound(list.start, list.startFormat), 'start date');
  const half = Math.ceil(count / 2);
  yield* oldest.read(half);
  if (oldest.isOver || count === half) return;
  const found = yield* sampleNewest(sized, oldest, count - half);
  yield* oldest.read(count - half - found);
}

/** A list, and what is known about the size of its pages; in a sample, a smaller size stays. */
interface SampledList<R> extends CursorList<R> {
  readonly size: { current: PageSize };
  readonly info: (message: string) => Promise<void>;
}

/** Requests the pages of a chain. If one is too large, the chain begins again, with fewer rows a page. */
function createChain<R>(list: SampledList<R>, createdSince: string | null, boundFrom: BoundOrigin) {
  const { size } = list;
  let guard = createLoopGuard(list, null);
  let after: string | null = null;
  let limit = size.current.full;
  return async function next(): Promise<CursorPage<R>> {
    const isFirst = after === null;
    const request = {
      after,
      createdSince,
      boundFrom,
      sendByMs: null,
      serverErrorMs: null,
      mayBeRefused: true,
    };
    const asked = limit;
    const smaller = (failures: number): Limit => limitAfter(size.current, asked, failures);
    const mayChange = (failures: number) => (smaller(failures) === asked ? asked : 'ask again');
    try {
      const page = await list.fetchPage(
        { ...request, limitAfter: isFirst ? smaller : mayChange },
        list.signal,
      );
      if (isFirst) limit = smaller(page.failures ?? 0);
      const largest = Math.max(size.current.largest, page.rows.length);
      size.current = { ...size.current, full: limit, largest };
      after = page.next;
      if (after !== null) guard.page(after, page);
      return page;
    } catch (error) {
      if (list.failureOf(error) !== 'large') throw error;
      limit = smaller(FAILED);
      await list.info(`pages fail; sampling with requests for ${limit} rows`);
      after = null;
      guard = createLoopGuard(list, null);
      return next();
    }
  };
}

/** Reads a chain of pages from a created time on, and keeps track of the times in its rows. */
function createChainReader<R>(list: SampledList<R>, createdSince: string | null, boundFrom: BoundOrigin) {
  const nextPage = createChain(list, createdSince, boundFrom);
  const note = ({ instant, format }: WrittenTime): void => {
    if (reader.format === null) reader.first = instant;
    reader.format = mergedFormat(reader.format, format);
    reader.last = instant;
    reader.latest = later(reader.latest, instant);
  };
  const reader = {
    rows: 0, // within the dates
    isOver: false, // nothing follows within the dates
    format: null as TimeFormat | null, // of all readable times; null if there are none
    first: MIN_INSTANT,
    last: MIN_INSTANT,
    latest: MIN_INSTANT,
    serverTime: MAX_INSTANT, // of the first response
    /** Yields rows within the dates until `max` of them or `max` others were read, or the chain has ended. */
    read: async function* (max: number): AsyncGenerator<readonly R[]> {
      const enough = reader.rows + max;
      for (let others = 0; !reader.isOver && reader.rows < enough && others < max;) {
        const page = await nextPage();
        const times = page.rows.map(list.createdOf);
        reader.serverTime = earliest(reader.serverTime, page.time);
        for (const time of times) if (time !== undefined) note(time);
        const isLate = times.map((time) => time !== undefined && time.instant > list.end);
        const rows = page.rows.filter(
          (_, index) => !isLate[index] && (times[index]?.instant ?? list.start) >= list.start,
        );
        reader.rows += rows.length;
        others += page.rows.length - rows.length;
        reader.isOver = page.next === null || (isLate.length > 0 && !isLate.includes(false));
        if (rows.length > 0) yield rows;
      }
    },
  };
  return reader;
}

/** Yields about `count` of the newest rows, and some before them. Returns how many were found; if none, logs the reason. */
async function* sampleNewest<R>(
  list: SampledList<R>,
  { format, first, last, latest: bottom, serverTime }: ReturnType<typeof createChainReader<R>>,
  count: number,
): AsyncGenerator<readonly R[], number> {
  let found = 0;
  let spent = 0;
  const giveUp = async (problem: string): Promise<number> => {
    await list.info(`sampling only the first rows of the list, not the newest: ${problem}`);
    return found;
  };
  if (format === null) return giveUp('no created time is readable');
  if (last < first) return giveUp('the list is not in ascending order of created time');
  const resolution = resolutionOf(format);
  const now = earliest(serverTime, list.end);
  let tooShort = 0n; // length of a range that ends now and contains too few rows
  let tooLong: bigint | null = null; // and of one that contains too many
  let length = MINUTE;
  for (let tries = 0; tries < MAX_RANGES && length > tooShort && length >= resolution; tries++) {
    const since = later(now - length, bottom);
    const createdSince = writeTime(since, format);
    const reader = createChainReader(list, createdSince, 'rows');
    try {
      yield* reader.read(spent > MAX_SPENT * count ? 1 : count);
    } catch (error) {
      if (list.failureOf(error) === 'refused')
        return giveUp(`the server refuses createdSince=${createdSince}`);
      throw error;
    }
    if (reader.format !== null && reader.first < since - resolution - DAY)
      return giveUp('the server ignores createdSince');
    spent += reader.rows;
    if (reader.isOver) {
      found = reader.rows;
      if (since === bottom || 2 * found >= count || (found > 0 && tooLong !== null)) break;
      tooShort = length;
    } else {
      if (found > 0) break;
      tooLong = earliest(length, now - reader.latest);
    }
    length = tooLong === null ? tooShort * GROWTH : (tooShort + tooLong) / 2n;
  }
  return found;
}
