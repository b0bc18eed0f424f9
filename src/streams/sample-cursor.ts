import type { CursorRead } from '../paging/cursor-run.ts';
import { MAX_INSTANT, MIN_INSTANT, earliest, later } from '../paging/instant.ts';
import { mergedFormat, resolutionOf, writeTime } from '../paging/instant.ts';
import type { TimeFormat } from '../paging/instant.ts';
import { createLoopGuard } from '../paging/loop-guard.ts';

/** A cursor-paged list as its sample sees it: no row beyond its dates is looked at. */
export interface SampledList<R> extends Pick<
  CursorRead<R>,
  'fetchPage' | 'createdOf' | 'isSame' | 'start' | 'end' | 'isRefusal' | 'info' | 'signal'
> {
  /** `start` as configured; null for the beginning of the list. */
  readonly since: string | null;
}

const MINUTE = 60_000_000_000n;
const DAY = 24n * 60n * MINUTE;
/** By what a stretch of time grows at most where it holds too few rows, and shrinks where it holds too many. */
const GROWTH = 8n;
/** Rows read in search of the newest, in units of those wanted, after which the search is given up. */
const MOST_SPENT = 12;
/** From a minute on, growing by the factor above, eight of them go further back than there are fleets; the others narrow down. */
const MOST_STRETCHES = 48;

/**
 * About `count` rows of a list in ascending order of created time, half of them the oldest and half of them the newest; all
 * of a list that is no longer. The newest are found by `createdSince` close to the server's time; more of the oldest take
 * the place of those that are lacking. Where none can be had (a list in another order, no readable times, a server that
 * refuses or disregards `createdSince` close to now), a log line says so; `fetchPage` throws for all else.
 */
export async function* sampleCursor<R>(list: SampledList<R>, count: number): AsyncGenerator<readonly R[]> {
  const oldest = newLook(list, list.since);
  const half = Math.ceil(count / 2);
  yield* follow(list, oldest, half);
  if (oldest.isOver || count === half) return;
  const had = yield* sampleNewest(list, oldest, count - half);
  yield* follow(list, oldest, count - half - had);
}

/** About `count` rows from the start of a list, each of them once. */
export function firstRows<R>(list: SampledList<R>, count: number): AsyncGenerator<readonly R[]> {
  return follow(list, newLook(list, list.since), count);
}

/** A chain of pages from a created time on, and what its rows have told so far. */
type Look<R> = ReturnType<typeof newLook<R>>;

function newLook<R>(list: SampledList<R>, createdSince: string | null) {
  return {
    createdSince,
    after: null as string | null,
    guard: createLoopGuard<R>(null, list.isSame),
    rows: 0,
    /** Nothing follows within the dates. */
    isOver: false,
    /** The finest format of its created times; null if none can be read. */
    format: null as TimeFormat | null,
    first: MIN_INSTANT,
    last: MIN_INSTANT,
    latest: MIN_INSTANT,
    /** Server time at the first answer. */
    started: MIN_INSTANT,
  };
}

/** Goes on along a chain until `most` more rows within the dates have come, or as many others, or it is over. */
async function* follow<R>(list: SampledList<R>, look: Look<R>, most: number): AsyncGenerator<readonly R[]> {
  const { start, end } = list;
  const enough = look.rows + most;
  for (let others = 0; !look.isOver && look.rows < enough && others < most;) {
    const page = await list.fetchPage(look.after, look.createdSince, list.signal);
    look.after = page.next;
    if (page.next !== null) look.guard.page(page.next, page.rows);
    if (look.started === MIN_INSTANT) look.started = page.serverTime;
    let late = 0;
    const rows = page.rows.filter((row) => {
      const created = list.createdOf(row);
      if (created === undefined) return true;
      const { instant } = created;
      if (look.format === null) look.first = instant;
      look.format = mergedFormat(look.format, created.format);
      look.last = instant;
      look.latest = later(look.latest, instant);
      const isLate = instant > end;
      if (isLate) late++;
      return !isLate && instant >= start;
    });
    look.rows += rows.length;
    others += page.rows.length - rows.length;
    look.isOver = page.next === null || (late > 0 && late === page.rows.length);
    if (rows.length > 0) yield rows;
  }
}

/**
 * At most `count` of the newest rows, and some before them: those of a stretch of time before now, which grows while it holds
 * too few, and narrows while it holds too many to be read to its end. Gives how many were had; a log line says why none can be.
 */
async function* sampleNewest<R>(
  list: SampledList<R>,
  { format, first, last, latest: bottom, started }: Look<R>,
  count: number,
): AsyncGenerator<readonly R[], number> {
  let [had, spent] = [0, 0];
  const giveUp = async (problem: string): Promise<number> => {
    await list.info(`only the first rows of the list are looked at, not the newest: ${problem}`);
    return had;
  };
  if (format === null) return giveUp('no created time can be read');
  if (last < first) return giveUp('the list does not come in ascending order of created time');
  const now = earliest(started, list.end);
  const resolution = resolutionOf(format);
  let [stretch, tooShort, tooLong] = [MINUTE, 0n, MAX_INSTANT];
  for (let tries = 0; tries < MOST_STRETCHES && stretch > tooShort && stretch >= resolution; tries++) {
    const since = later(now - stretch, bottom);
    const look = newLook(list, writeTime(since, format));
    try {
      yield* follow(list, look, count);
    } catch (error) {
      if (!list.isRefusal(error)) throw error;
      return giveUp(`the server refuses createdSince=${look.createdSince}`);
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
    const byRate = BigInt(Math.min(Number(GROWTH), Math.ceil((3 * count) / (4 * look.rows))));
    if (tooLong === MAX_INSTANT) stretch = tooShort * byRate;
    else stretch = tooShort === 0n ? tooLong / GROWTH : (tooShort + tooLong) / 2n;
  }
  return had;
}
