import { earlierOf, mergedFormat, resolutionOf, laterOf, readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../paging/instant.ts';
import { createLoopGuard } from '../paging/loop-guard.ts';

/** A page of a chain of cursors. */
interface CursorPage<R> {
  readonly rows: readonly R[];
  /** The cursor of the next page, null on the last one. */
  readonly next: string | null;
  /** Server time not later than the answer. */
  readonly serverTime: Instant;
}

/** A cursor-paged list as its sample sees it. */
export interface SampledList<R> {
  /** A page behind a cursor (null: the first one) of the chain from a created time on (null: from the beginning). */
  readonly fetchPage: (after: string | null, createdSince: string | null) => Promise<CursorPage<R>>;
  readonly createdOf: (row: R) => WrittenTime | undefined;
  readonly isSame: (one: R, other: R) => boolean;
  /** Where reads begin, as configured: no row created before is looked at; null for the beginning. */
  readonly start: string | null;
  /** Where reads end, as configured: no row created later is looked at; null for no end. */
  readonly end: string | null;
  /** True if the server refused the request itself. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (words: string) => Promise<void>;
}

const MINUTE = 60_000_000_000n;
const DAY = 24n * 60n * MINUTE;
/** By what a stretch of time grows while no row lies in it, and shrinks while too many do. */
const GROWTH = 8n;
/** Rows read in search of the newest, in units of those wanted: after so many, any that were had will do. */
const ENOUGH_SPENT = 3;
const MOST_SPENT = 12;
/** From a minute on, growing by the factor above, eight of them go further back than there are fleets; the others narrow down. */
const MOST_STRETCHES = 48;

/**
 * About `count` rows of a list in ascending order of created time, half of them the oldest and half of them the newest; all
 * of a list that is no longer. The newest are found by `createdSince` close to the server's time, stepping back until there
 * are rows; more of the oldest take the place of those that are lacking. Where none can be had (a list in another order, no
 * readable times, a server that refuses or disregards `createdSince`), a log line says so.
 *
 * @throws what `fetchPage` throws, refusals of `createdSince` close to now excepted
 */
export async function* sampleCursor<R>(list: SampledList<R>, count: number): AsyncGenerator<readonly R[]> {
  const chain = chainFrom(list, list.start);
  const oldest = newLook();
  const half = Math.ceil(count / 2);
  yield* follow(list, chain, half, oldest);
  if (oldest.isOver) return;
  const newest = yield* sampleNewest(list, oldest, count - half);
  yield* follow(list, chain, count - half - newest, oldest);
}

/** About `count` rows from the start of a list, each of them once. */
export async function* firstRows<R>(list: SampledList<R>, count: number): AsyncGenerator<readonly R[]> {
  yield* follow(list, chainFrom(list, list.start), count, newLook());
}

/** What the rows looked at have told so far. */
interface Look {
  rows: number;
  /** Nothing follows within the range. */
  isOver: boolean;
  /** The finest of their times. */
  format: TimeFormat | null;
  /** Created times: the first one, the last one, the latest one and the earliest one, as far as they can be read. */
  first: Instant | undefined;
  last: Instant | undefined;
  latest: Instant | undefined;
  /** Server time at the first answer. */
  started: Instant | null;
}

function newLook(): Look {
  return {
    rows: 0,
    isOver: false,
    format: null,
    first: undefined,
    last: undefined,
    latest: undefined,
    started: null,
  };
}

/** Goes on along a chain until `most` more rows within the range have come, or as many others, or it is over. */
async function* follow<R>(
  list: SampledList<R>,
  chain: AsyncGenerator<CursorPage<R>>,
  most: number,
  look: Look,
): AsyncGenerator<readonly R[]> {
  const [start, end] = [instantIn(list.start), instantIn(list.end)];
  let others = 0;
  const enough = look.rows + most;
  while (!look.isOver && look.rows < enough && others < most) {
    const step = await chain.next();
    if (step.done === true) break;
    const page = step.value;
    look.started ??= page.serverTime;
    let late = 0;
    const rows = page.rows.filter((row) => {
      const created = list.createdOf(row);
      if (created === undefined) return true;
      const { instant } = created;
      look.format = mergedFormat(look.format, created.format);
      look.first ??= instant;
      look.last = instant;
      look.latest = laterOf(look.latest, instant);
      const isLate = end !== undefined && instant > end;
      if (isLate) late++;
      return !isLate && !(start !== undefined && instant < start);
    });
    look.rows += rows.length;
    others += page.rows.length - rows.length;
    look.isOver = page.next === null || (late > 0 && late === page.rows.length);
    if (rows.length > 0) yield rows;
  }
}

/**
 * At most `count` of the newest rows, and some before them: the stretch of time before now that holds them is guessed, and
 * guessed again by what came.
 *
 * @returns how many of the newest were had, with none left out
 */
async function* sampleNewest<R>(
  list: SampledList<R>,
  oldest: Look,
  count: number,
): AsyncGenerator<readonly R[], number> {
  const { format, started, latest } = oldest;
  const lacking = count === 0 ? null : whyOneEnd(oldest);
  if (lacking !== null) await tellOneEnd(list, lacking);
  if (count === 0 || lacking !== null || format === null || started === null || latest === undefined)
    return 0;
  const now = earlierOf(started, instantIn(list.end));
  let range: StretchRange = { stretch: MINUTE, tooShort: 0n, tooLong: null };
  let had = 0;
  let spent = 0;
  for (let tries = 0; tries < MOST_STRETCHES; tries++) {
    const isRest = range.stretch >= now - latest;
    const since = isRest ? latest : now - range.stretch;
    const look = newLook();
    try {
      yield* follow(list, chainFrom(list, writeTime(since, format)), count, look);
    } catch (error) {
      if (!list.isRefusal(error)) throw error;
      await tellOneEnd(list, `the server refuses createdSince=${writeTime(since, format)}`);
      return had;
    }
    if (look.first !== undefined && look.first < since - resolutionOf(format) - DAY) {
      await tellOneEnd(list, 'the server disregards createdSince');
      return had;
    }
    if (look.isOver) had = look.rows;
    spent += look.rows;
    if ((look.isOver && isRest) || 2 * had >= count) return had;
    if (spent > (had > 0 ? ENOUGH_SPENT : MOST_SPENT) * count) return had;
    range = nextRange(range, now, look, count);
    if (range.stretch <= range.tooShort || range.stretch < resolutionOf(format)) return had;
  }
  return had;
}

/** Why the newest rows of a list cannot be found by their created time, by what its first rows tell; null if they can. */
function whyOneEnd({ format, first, last }: Look): string | null {
  if (format === null || first === undefined || last === undefined) return 'no created time can be read';
  return last < first ? 'the list does not come in ascending order of created time' : null;
}

async function tellOneEnd<R>(list: SampledList<R>, reason: string): Promise<void> {
  await list.info(`only the first rows of the list are looked at, not the newest: ${reason}`);
}

/** The stretch to be tried next, between one that held too few rows and one that held too many. */
interface StretchRange {
  readonly stretch: bigint;
  readonly tooShort: bigint;
  readonly tooLong: bigint | null;
}

function nextRange(
  before: StretchRange,
  now: Instant,
  { isOver, rows, latest }: Look,
  count: number,
): StretchRange {
  const tooShort = isOver ? before.stretch : before.tooShort;
  // what has come of a stretch that is too long need not come again
  const unseen = earlierOf(before.stretch, latest === undefined ? undefined : now - latest);
  const tooLong = isOver ? before.tooLong : unseen;
  const middle = (tooShort + (tooLong ?? 0n)) / 2n;
  if (!isOver) return { stretch: tooShort === 0n ? unseen / GROWTH : middle, tooShort, tooLong };
  // three quarters of what is wanted, at the rate of what came
  const byRate = rows === 0 ? GROWTH : BigInt(Math.ceil((3 * count) / (4 * rows)));
  const longer = before.stretch * (byRate < GROWTH * GROWTH ? byRate : GROWTH * GROWTH);
  return { stretch: tooLong === null || longer < tooLong ? longer : middle, tooShort, tooLong };
}

function instantIn(text: string | null): Instant | undefined {
  return text === null ? undefined : readTime(text)?.instant;
}

async function* chainFrom<R>(
  list: SampledList<R>,
  createdSince: string | null,
): AsyncGenerator<CursorPage<R>> {
  const guard = createLoopGuard<R>(null, list.isSame);
  let after: string | null = null;
  do {
    const page: CursorPage<R> = await list.fetchPage(after, createdSince);
    after = page.next;
    if (after !== null) guard.page(after, page.rows);
    yield page;
  } while (after !== null);
}
