import {
  MAX_INSTANT,
  MIN_INSTANT,
  earliest,
  later,
  mergedFormat,
  resolutionOf,
  writeTime,
} from '../paging/instant.ts';
import type { TimeFormat } from '../paging/instant.ts';
import { createLoopGuard } from '../paging/loop-guard.ts';
import type { CursorList } from '../paging/range-worker.ts';

const MINUTE = 60_000_000_000n;
const DAY = 24n * 60n * MINUTE;
/** By what a stretch of time grows at most where it holds too few rows, and shrinks where it holds too many. */
const GROWTH = 8;
/** Rows read in search of the newest, in units of those wanted, after which the search is given up. */
const MOST_SPENT = 12;
/** From a minute on, growing by the factor above, eight of them go further back than there are fleets; the others narrow down. */
const MOST_STRETCHES = 48;

/**
 * About `count` rows of a list in ascending order of created time, half of them the oldest and half of them the newest; all
 * of a list that is no longer; none beyond its dates. The newest are found by `createdSince` close to the server's time; more
 * of the oldest take the place of those that are lacking. Where none can be had (a list in another order, no readable times,
 * a server that refuses or disregards `createdSince` close to now), a log line says so; `fetchPage` throws for all else.
 */
export async function* sampleCursor<R>(list: CursorList<R>, count: number): AsyncGenerator<readonly R[]> {
  const oldest = lookFrom(list, list.since);
  const half = Math.ceil(count / 2);
  yield* oldest.follow(half);
  if (oldest.isOver || count === half) return;
  const had = yield* sampleNewest(list, oldest, count - half);
  yield* oldest.follow(count - half - had);
}

/** A chain of pages from a created time on, and what its rows have told so far. */
export function lookFrom<R>(list: CursorList<R>, createdSince: string | null) {
  const guard = createLoopGuard<R>(null, list.isSame);
  let after: string | null = null;
  const look = {
    rows: 0,
    isOver: false, // nothing follows within the dates
    format: null as TimeFormat | null, // of all times that can be read; null where none can
    first: MIN_INSTANT,
    last: MIN_INSTANT,
    latest: MIN_INSTANT,
    started: MAX_INSTANT, // server time at the first answer
    /** Goes on until `most` more rows within the dates have come, or as many others, or it is over; each row comes once. */
    follow: async function* (most: number): AsyncGenerator<readonly R[]> {
      const enough = look.rows + most;
      for (let others = 0; !look.isOver && look.rows < enough && others < most;) {
        const page = await list.fetchPage(after, createdSince, list.signal);
        after = page.next;
        if (after !== null) guard.page(after, page.rows);
        look.started = earliest(look.started, page.time.at);
        let late = 0;
        const rows = page.rows.filter((row) => {
          const time = list.createdOf(row);
          if (time === undefined) return true;
          if (look.format === null) look.first = time.instant;
          look.format = mergedFormat(look.format, time.format);
          look.last = time.instant;
          look.latest = later(look.latest, time.instant);
          if (time.instant > list.end) late++;
          return time.instant >= list.start && time.instant <= list.end;
        });
        look.rows += rows.length;
        others += page.rows.length - rows.length;
        look.isOver = after === null || (late > 0 && late === page.rows.length);
        if (rows.length > 0) yield rows;
      }
    },
  };
  return look;
}

/**
 * At most `count` of the newest rows, and some before them: those of a stretch of time before now, which grows while it holds
 * too few, and narrows while it holds too many to be read to its end. Gives how many were had; a log line says why none can be.
 */
async function* sampleNewest<R>(
  list: CursorList<R>,
  { format, first, last, latest: bottom, started }: ReturnType<typeof lookFrom<R>>,
  count: number,
): AsyncGenerator<readonly R[], number> {
  let [had, spent] = [0, 0];
  const giveUp = async (problem: string): Promise<number> => {
    await list.info(`only the first rows of the list are looked at, not the newest: ${problem}`);
    return had;
  };
  if (format === null) return giveUp('no created time can be read');
  if (last < first) return giveUp('the list does not come in ascending order of created time');
  const resolution = resolutionOf(format);
  const now = earliest(started, list.end);
  let [stretch, tooShort, tooLong] = [MINUTE, 0n, MAX_INSTANT];
  for (let tries = 0; tries < MOST_STRETCHES && stretch > tooShort && stretch >= resolution; tries++) {
    const since = later(now - stretch, bottom);
    const createdSince = writeTime(since, format);
    const look = lookFrom(list, createdSince);
    try {
      yield* look.follow(count);
    } catch (error) {
      if (list.isRefusal(error)) return giveUp(`the server refuses createdSince=${createdSince}`);
      throw error;
    }
    if (look.format !== null && look.first < since - resolution - DAY)
      return giveUp('the server disregards createdSince');
    spent += look.rows;
    if (look.isOver) {
      had = look.rows;
      if (since === bottom || 2 * had >= count || (had > 0 && tooLong < MAX_INSTANT)) break;
      tooShort = stretch;
    } else {
      if (had > 0 || spent > MOST_SPENT * count) break;
      // rows of a stretch that is too long need not be read twice
      tooLong = earliest(stretch, now - look.latest);
    }
    // three quarters of what is wanted, at the rate seen
    const byRate = BigInt(Math.min(GROWTH, Math.ceil((3 * count) / (4 * look.rows))));
    if (tooLong === MAX_INSTANT) stretch = tooShort * byRate;
    else stretch = tooShort === 0n ? tooLong / BigInt(GROWTH) : (tooShort + tooLong) / 2n;
  }
  return had;
}
