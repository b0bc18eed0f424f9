import {
  MAX_INSTANT,
  MIN_INSTANT,
  earliest,
  later,
  mergedFormat,
  resolutionOf,
  writeTime,
} from '../paging/instant.ts';
import type { TimeFormat, WrittenTime } from '../paging/instant.ts';
import { createLoopGuard } from '../paging/loop-guard.ts';
import type { CursorList } from '../paging/range-worker.ts';

const MINUTE = 60_000_000_000n;
const DAY = 24n * 60n * MINUTE;
/** Maximum factor by which a stretch grows if it holds too few rows, and factor by which it shrinks if it holds too many. */
const GROWTH = 8;
/** Rows read in search of the newest, as a multiple of those wanted, after which the search ends. */
const MAX_SPENT = 12;
/** From a minute on, eight stretches that grow by the factor above go back further than any fleet; the others narrow down. */
const MAX_STRETCHES = 48;

/**
 * Yields about `count` rows of a list in ascending order of created time, half of them the oldest and half the newest, found by
 * `createdSince` close to the server's time; the whole list if it is not longer; no row outside its dates. If the newest rows are
 * not available, a log line says why, and more of the oldest are read. Throws what `fetchPage` throws otherwise.
 */
export async function* sampleCursor<R>(list: CursorList<R>, count: number): AsyncGenerator<readonly R[]> {
  const oldest = createChainReader(list, list.since);
  const half = Math.ceil(count / 2);
  yield* oldest.read(half);
  if (oldest.isOver || count === half) return;
  const found = yield* sampleNewest(list, oldest, count - half);
  yield* oldest.read(count - half - found);
}

/** Reads a chain of pages from a created time on, and keeps what its rows have shown so far. */
export function createChainReader<R>(list: CursorList<R>, createdSince: string | null) {
  const guard = createLoopGuard<R>(null, list.isSame);
  let after: string | null = null;
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
    started: MAX_INSTANT, // server time of the first response
    /** Yields rows until `max` more within the dates were read, or as many others, or the chain is over. */
    read: async function* (max: number): AsyncGenerator<readonly R[]> {
      const enough = reader.rows + max;
      for (let others = 0; !reader.isOver && reader.rows < enough && others < max;) {
        const page = await list.fetchPage(after, createdSince, list.signal);
        after = page.next;
        if (after !== null) guard.page(after, page.rows);
        reader.started = earliest(reader.started, page.time.at);
        const times = page.rows.map(list.createdOf);
        for (const time of times) if (time !== undefined) note(time);
        const isLate = times.map((time) => time !== undefined && time.instant > list.end);
        const rows = page.rows.filter(
          (_, index) => !isLate[index] && (times[index]?.instant ?? list.start) >= list.start,
        );
        reader.rows += rows.length;
        others += page.rows.length - rows.length;
        reader.isOver = after === null || (isLate.length > 0 && !isLate.includes(false));
        if (rows.length > 0) yield rows;
      }
    },
  };
  return reader;
}

/** Stretches of time before now. One that is too short holds too few rows, one that is too long cannot be read to its end. */
interface Bracket {
  readonly tooShort: bigint;
  readonly tooLong: bigint | null; // null while none is known
}

/** Returns the stretch to try after one with so many `rows`: longer until one is too long, then between the two. */
function nextStretch({ tooShort, tooLong }: Bracket, rows: number, count: number): bigint {
  if (tooLong !== null) return tooShort === 0n ? tooLong / BigInt(GROWTH) : (tooShort + tooLong) / 2n;
  // three quarters of the rows wanted, at the rate seen
  const factor = rows === 0 ? GROWTH : Math.min(GROWTH, Math.ceil((3 * count) / (4 * rows)));
  return tooShort * BigInt(factor);
}

/** Yields at most `count` of the newest rows, and some before them. Returns how many were found; a log line says why if none. */
async function* sampleNewest<R>(
  list: CursorList<R>,
  { format, first, last, latest: bottom, started }: ReturnType<typeof createChainReader<R>>,
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
  const now = earliest(started, list.end);
  let bracket: Bracket = { tooShort: 0n, tooLong: null };
  let stretch = MINUTE;
  for (let tries = 0; tries < MAX_STRETCHES && stretch > bracket.tooShort && stretch >= resolution; tries++) {
    const since = later(now - stretch, bottom);
    const createdSince = writeTime(since, format);
    const reader = createChainReader(list, createdSince);
    try {
      yield* reader.read(count);
    } catch (error) {
      if (list.isRefusal(error)) return giveUp(`the server refuses createdSince=${createdSince}`);
      throw error;
    }
    if (reader.format !== null && reader.first < since - resolution - DAY)
      return giveUp('the server ignores createdSince');
    spent += reader.rows;
    if (reader.isOver) {
      found = reader.rows;
      if (since === bottom || 2 * found >= count || (found > 0 && bracket.tooLong !== null)) break;
      bracket = { ...bracket, tooShort: stretch };
    } else {
      if (found > 0 || spent > MAX_SPENT * count) break;
      // rows of a stretch that is too long need not be read twice
      bracket = { ...bracket, tooLong: earliest(stretch, now - reader.latest) };
    }
    stretch = nextStretch(bracket, reader.rows, count);
  }
  return found;
}
