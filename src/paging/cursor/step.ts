/*
 * One step of a read: what a page changes. Plain and synchronous; the functions here change `Reading`. read.ts has the glossary, and
 * docs/how-it-reads.md explains the rules.
 */
import {
  DAY,
  MAX_INSTANT,
  MIN_INSTANT,
  earliest,
  later,
  type Instant,
  type WrittenTime,
} from '../instant.ts';
import { formatWith, precisionOf, type Precision } from './bounds.ts';
import { jumpAhead, keepFront, leaveFinished, mayBeDead, moveOn, noteProgress } from './chains.ts';
import {
  GIVEN,
  GIVEN_AHEAD,
  UNKNOWN_SECOND,
  forgetBefore,
  isOfFront,
  printIn,
  receive,
  secondOf,
} from './known.ts';
import type { Counts, CursorEvent, CursorPage, CursorRead } from './list.ts';
import { precisionIn, type Chain, type Read, type Reading } from './reading.ts';
import type { Answer } from './requests.ts';

/** A page whose created times have been read. */
export interface DatedPage<R> extends CursorPage<R> {
  readonly times: readonly (WrittenTime | undefined)[]; // of its rows
  readonly isOld: boolean; // its cursor was too old to be trusted
}

/**
 * What a response is: a page; a sign that the chain may have lost its cursor, or that its pages are too large; or that there is nothing
 * after the bound.
 */
export type Verdict<R> =
  | { readonly kind: 'page'; readonly page: DatedPage<R> }
  | { readonly kind: 'lost cursor'; readonly refusal: unknown } // null if the cursor is only old
  | { readonly kind: 'doubtful' } // the same as `unanswered`, for the first time
  | { readonly kind: 'unanswered' } // no row of the first page is one of the front, although the question was made from such rows
  | { readonly kind: 'too large' }
  | { readonly kind: 'nothing ahead' };

/** Judges the response to a chain, and notes if it answers the question of the front. Throws the failure of a request that is not due to its cursor. */
export function judge<R>(
  reading: Reading,
  chain: Chain,
  { result }: Answer<R>,
  read: Read & Pick<CursorRead<R>, 'createdOf' | 'textOf'>,
): Verdict<R> {
  const { cursor } = chain;
  if ('failure' in result) {
    const { failure, error } = result;
    if (failure === 'late') return { kind: 'lost cursor', refusal: null };
    if (failure === 'refused' && cursor !== null) return { kind: 'lost cursor', refusal: error };
    if (failure === 'large') return { kind: 'too large' };
    // if as many break as there may be chains, without a new row in between, the cursors are not the cause
    if (failure === 'broke' && cursor !== null && reading.restartsSinceNews < read.maxChains)
      return { kind: 'lost cursor', refusal: error };
    // some servers refuse a bound after their newest row
    if (failure === 'refused' && chain !== reading.chains[0]) return { kind: 'nothing ahead' };
    throw error;
  }
  const times = result.page.rows.map(read.createdOf);
  const page = { ...result.page, times, isOld: result.isOld };
  const answer = answerOf(reading, chain, page, read);
  if (answer === 'unanswered') return { kind: reading.doubted === chain.bound ? 'unanswered' : 'doubtful' };
  if (answer === 'answered') reading.confirmed = chain.bound;
  if (!result.isOld || !mayBeDead(reading)) return { kind: 'page', page };
  const oldest = oldestOf(reading, chain, times, read);
  const isCut = page.next === null || times.some((time) => isBefore(time, oldest));
  return isCut ? { kind: 'lost cursor', refusal: null } : { kind: 'page', page };
}

/**
 * Returns whether the front has got one of its own rows for the question that was made from them; `open` if the page does not tell. Rows that
 * only chains ahead have returned say nothing: those before them may be missing.
 */
function answerOf<R>(
  reading: Reading,
  chain: Chain,
  { rows, times, next }: DatedPage<R>,
  read: Read & Pick<CursorRead<R>, 'textOf'>,
): 'answered' | 'unanswered' | 'open' {
  const { chains, confirmed, known } = reading;
  if (chain !== chains[0] || chain.boundFrom === 'start date' || chain.bound <= confirmed) return 'open';
  // rows that are left out, or would be if the server ignored the bound, are not known
  const oldest = later(read.start, oldestOf(reading, chain, times, read));
  const wanted = rows.filter((_, at) => !isBefore(times[at], oldest));
  if (wanted.length === 0) return next === null ? 'unanswered' : 'open';
  const isAnswered = wanted.some((row) => isOfFront(known, printIn(known, read.textOf(row))));
  return isAnswered ? 'answered' : 'unanswered';
}

function isBefore(time: WrittenTime | undefined, oldest: Instant): boolean {
  return time !== undefined && time.instant < oldest;
}

/** Returns the created time before which a row is from before the bound of its chain. */
function oldestOf(
  reading: Reading,
  { bound }: Chain,
  times: readonly (WrittenTime | undefined)[],
  { lookback }: Read,
): Instant {
  return bound - precisionOf(lookback, formatWith(reading.format, times)).margin;
}

/** Returns a bound that no row has reached if all rows of a page are from before the bound, so that the server may not know it at all. */
export function boundToProbe<R>(
  reading: Reading,
  chain: Chain,
  { times, time }: DatedPage<R>,
  read: Read,
): Instant | null {
  if (reading.isBoundIgnored !== null || times.length === 0) return null;
  const oldest = oldestOf(reading, chain, times, read);
  return times.every((one) => isBefore(one, oldest)) ? time + DAY : null;
}

/** Notes whether the server has returned rows from before the bound that was probed. */
export function noteProbe<R>(
  reading: Reading,
  probed: Instant,
  page: CursorPage<R> | null,
  { createdOf }: Pick<CursorRead<R>, 'createdOf'>,
): CursorEvent | null {
  // an empty page that another one follows does not tell
  if (page?.rows.length === 0 && page.next !== null) return null;
  reading.isBoundIgnored = page?.rows.some((row) => isBefore(createdOf(row), probed - DAY / 2n)) === true;
  if (!reading.isBoundIgnored) return null;
  keepFront(reading);
  return { kind: 'bound ignored' };
}

/** What a page leads to. */
export interface Step<R> {
  readonly rows: readonly R[]; // to emit
  readonly events: readonly CursorEvent[];
  readonly isLimited: boolean; // the limit was reached before the end of the page
}

/** Takes a page: chooses the rows to emit, moves the question, and decides how its chain goes on. */
export function takePage<R>(
  reading: Reading,
  chain: Chain,
  page: DatedPage<R>,
  read: Read & Pick<CursorRead<R>, 'textOf'>,
): Step<R> {
  if (reading.serverTime === MAX_INSTANT) reading.serverTime = page.time;
  reading.format = formatWith(reading.format, page.times);
  const precision = precisionIn(reading, read);
  const events: CursorEvent[] = [];
  const { rows, isLimited } = takeRows(reading, chain, page, {
    ...read,
    precision,
    oldest: chain.bound - precision.margin,
    events,
  });
  if (isLimited) return { rows, events, isLimited };
  noteProgress(reading, chain, page, rows.length > 0);
  if (chain.cursor !== null && !page.isOld) reading.restartsSinceUse = 0;
  if (reading.order === 'unproven' && chain.rises >= read.tuning.enough) reading.order = 'ascending';
  if (reading.chains.includes(chain)) {
    const created = page.times.filter((time) => time !== undefined).map(({ instant }) => instant);
    moveOn(reading, chain, { ...page, created }, read, precision);
  }
  leaveFinished(reading, read, precision);
  forget(reading, read, precision);
  if (rows.length > 0) jumpAhead(reading, chain, read, precision);
  return { rows, events, isLimited };
}

interface Taking extends Read {
  readonly precision: Precision;
  readonly oldest: Instant; // earlier rows are from before the bound
  readonly events: CursorEvent[]; // to which what happens is added
}

/** Takes the rows of a page up to the limit: emits those that are not known; all of them are known then. */
function takeRows<R>(
  reading: Reading,
  chain: Chain,
  { rows, times, time }: DatedPage<R>,
  read: Taking & Pick<CursorRead<R>, 'textOf'>,
): { readonly rows: readonly R[]; readonly isLimited: boolean } {
  const { known, counts } = reading;
  const emitted: R[] = [];
  const isFull = read.from.seen.length + read.from.ahead.length >= read.tuning.maxSeen;
  const ahead = reading.chains.slice(reading.chains.indexOf(chain) + 1).map(({ number }) => number);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as R;
    if (counts.emitted >= read.maxRows) return { rows: emitted, isLimited: true };
    const created = times[at]?.instant;
    const second = created === undefined ? UNKNOWN_SECOND : secondOf(created);
    if (created !== undefined) noteOrder(reading, chain, created, read);
    const print = printIn(known, read.textOf(row));
    const receiver = known.receivers.get(print);
    const isMet = receiver !== undefined && ahead.includes(receiver);
    chain.met = isMet ? chain.met + 1 : 0;
    if (isMet) chain.metBy = receiver;
    if (receiver === chain.number) counts.copies++;
    const isGiven = receiver === GIVEN || receiver === GIVEN_AHEAD;
    if (isGiven && isFull) noteRepeats(counts, counts.emitted, read);
    // a row of the same second is an answer, too: its text may differ in each response
    if (isGiven || (created !== undefined && reading.awaited.has(second))) reading.awaited = NONE;
    const novelty = receiver === undefined ? classify(reading, created, read) : 'known';
    if (novelty === 'left out') continue;
    // where its time does not say when the question has passed it, it is the server time at which it was received
    const isDated = created !== undefined && created >= read.oldest;
    receive(known, print, isDated ? second : secondOf(time), chain.number);
    if (novelty === 'known') continue;
    emitted.push(row);
    countEmitted(counts, created, read);
  }
  return { rows: emitted, isLimited: false };
}

const NONE: ReadonlySet<number> = new Set();

/** Notes the created time of a row of a chain. */
function noteOrder(reading: Reading, chain: Chain, created: Instant, { precision, events }: Taking): void {
  if (created > chain.newest) {
    // a list in any other order shows ever newer rows, too, where it grows by more than a page per request
    if (chain.newest !== MIN_INSTANT && created <= reading.serverTime) chain.rises++;
    chain.newest = created;
  } else if (reading.order !== 'broken' && created < chain.newest - precision.tolerance) {
    events.push({ kind: 'order broken', wasProven: reading.order === 'ascending' });
    breakOrder(reading);
  }
}

/** If the order was relied on, the question goes back to where the read began. The front goes on alone. */
function breakOrder(reading: Reading): void {
  if (reading.order === 'ascending') reading.question = reading.firstQuestion;
  reading.order = 'broken';
  keepFront(reading);
}

/** Returns whether a row that was not received before is new, or only known from now on, or left out, and counts it unless it is new. */
function classify(
  { isBoundIgnored, counts }: Reading,
  created: Instant | undefined,
  { start, end, from, oldest }: Taking,
): 'new' | 'known' | 'left out' {
  if (created === undefined) return 'new';
  if (created > end) counts.afterEnd++;
  else if (created < start) counts.beforeStart++;
  else if (isBoundIgnored === true && created < oldest) counts.beforeBound++;
  else if (created >= from.floor) return 'new';
  else {
    counts.beforeFloor++;
    return 'known';
  }
  return 'left out';
}

function countEmitted(counts: Counts, created: Instant | undefined, read: Taking): void {
  const { from, precision, oldest, tuning } = read;
  counts.emitted++;
  if (created === undefined) {
    counts.timeless++;
    return;
  }
  counts.newest = later(counts.newest, created);
  if (created < oldest) {
    counts.older++;
    if (from.seen.length + from.ahead.length + counts.emitted > tuning.lastReceived)
      noteRepeats(counts, counts.mayRepeat + 1, read);
  }
  if (from.readAt === null || created >= from.readAt) return;
  // local times and dates do not say when a row was created
  if (precision.margin > precision.granule || precision.unit > precision.lookback) return;
  counts.late++;
  counts.latest = later(counts.latest, from.readAt - created);
}

/** Counts rows that may have been emitted before. The first one is said at once, because a killed read never comes to its report. */
function noteRepeats(counts: Counts, count: number, { events }: Taking): void {
  if (counts.mayRepeat === 0 && count > 0) events.push({ kind: 'may repeat' });
  counts.mayRepeat = count;
}

/** Forgets rows that no chain can return any more. */
function forget({ question, chains, known }: Reading, { tuning }: Read, { margin }: Precision): void {
  const low = earliest(question, ...chains.slice(1).map(({ bound }) => bound));
  // all are needed: looking for others would copy what is known, so that a million rows in no order took twice the memory
  if (low === MIN_INSTANT) return;
  forgetBefore(known, secondOf(low - margin), tuning);
}
