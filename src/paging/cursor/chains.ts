/*
 * The chains of a read: which of them request a page, start again, are tied to the one ahead, or jump in ahead. The functions here change
 * `Reading`.
 */
import { MAX_INSTANT, MIN_INSTANT, earliest, later, type Instant, type TimeFormat } from '../instant.ts';
import { FAILED, limitAfter, noteReceived } from '../page-size.ts';
import { boundBelow, questionAfter, type Precision } from './bounds.ts';
import type { CursorEvent } from './list.ts';
import { noteFront } from './known.ts';
import { chainFrom, frontFrom, type Chain, type Read, type Reading } from './reading.ts';
import type { Asked } from './requests.ts';

/** Restarts without a new row, for each of the chains that may read at the same time, after which the end cannot be reached. */
const MAX_RESTARTS = 10;
/** Starts in a row after which asking again is futile: they have brought no new row, or no cursor that could be used in time. */
const FUTILE = 3;

/** Takes the chains whose next page is to be requested. */
export function takeDue(reading: Reading, { maxChains }: Pick<Read, 'maxChains'>): readonly Asked[] {
  const due = reading.chains.filter(({ status }) => status === 'due');
  for (const chain of due) chain.status = 'asked';
  const { order, restartsSinceNews, restartsSinceUse, size } = reading;
  // out of order, another chain would cost the whole list
  const mayBeOld = order === 'broken' || Math.max(restartsSinceNews, restartsSinceUse) >= FUTILE;
  return due.map((chain) => ({
    number: chain.number,
    createdSince: chain.createdSince,
    boundFrom: chain.boundFrom,
    cursor: chain.cursor,
    mayBeOld,
    isFront: chain === reading.chains[0],
    mayBeBroken: restartsSinceNews < maxChains && size.worked === null,
    limitAfter: limitsOf(chain, reading),
  }));
}

/** Returns the rows to request after failures. A chain keeps to one size, so its later pages are asked for in another chain. */
function limitsOf(
  { cursor, limit, failed, sizeAtStart }: Chain,
  { order, size }: Reading,
): Asked['limitAfter'] {
  if (cursor === null) return (failures) => limitAfter(sizeAtStart, limit, failed + failures);
  // out of order, another chain would cost the whole list
  if (order !== 'ascending') return () => limit;
  return (failures) => (limitAfter(size, limit, failures) === limit ? limit : 'ask again');
}

/** Lets another chain ask for smaller pages, because a page of this one has failed repeatedly. */
export function askForLess(reading: Reading, chain: Chain, read: Read): void {
  const front = replace(reading, chain, read);
  if (front !== null && chain.limit === reading.size.full) front.failed = FAILED;
}

/**
 * Takes note of the size of a page, and of its chain. If it is a smaller one, it may have come only because an outage was over: the front
 * asks again for the full size.
 */
export function noteSize(
  reading: Reading,
  chain: Chain,
  page: {
    readonly isFirst: boolean;
    readonly failures: number;
    readonly rows: number;
    readonly isNews: boolean;
  },
  read: Read,
): CursorEvent | null {
  const { isFirst, failures, rows, isNews } = page;
  const { limit: asked, sizeAtStart } = chain;
  const limit = isFirst ? limitAfter(sizeAtStart, asked, chain.failed + failures) : asked;
  chain.limit = limit;
  const mayAsk = isFirst || reading.order === 'ascending';
  const received = { sizeAtStart, asked, limit, failures: mayAsk ? failures : 0, rows, isNews };
  const { size, event } = noteReceived(reading.size, received);
  reading.size = size;
  if (event === null) return null;
  const isFront = chain === reading.chains[0] && chain.status === 'due';
  if (event.kind !== 'stays' && isFront) replace(reading, chain, read);
  return { kind: 'page size', change: event };
}

/**
 * Returns whether an old cursor may have expired although it was not refused. It is believed once asking again has brought nothing, but only
 * in proven order: in any other one, the rows that a false end hides may be older than the question that follows.
 */
export function mayBeDead({ order, restartsSinceNews }: Reading): boolean {
  return order !== 'ascending' || restartsSinceNews < FUTILE;
}

/**
 * Notes whether asking again has helped. Rows whose text differs in each response are always new, so they count only where no chain has been
 * since the question moved. Where old cursors bring them, asking again does not.
 */
export function noteProgress(
  reading: Reading,
  chain: Chain,
  { rows, isOld }: { readonly rows: readonly unknown[]; readonly isOld: boolean },
  isNews: boolean,
): void {
  if (rows.length > 0) chain.pages++;
  const isFront = chain === reading.chains[0];
  if (isNews && !isOld && (!isFront || chain.pages > reading.farthest)) reading.restartsSinceNews = 0;
  if (isFront) reading.farthest = Math.max(reading.farthest, chain.pages);
}

/** Lets another chain ask again: the cursor of this one may have expired. `refusal`: the error of its request; null if it is only old. */
export function startAgain(reading: Reading, chain: Chain, read: Read, refusal: unknown): CursorEvent {
  reading.restartsSinceNews++;
  reading.restartsSinceUse++;
  if (reading.restartsSinceNews > MAX_RESTARTS * read.maxChains)
    throw read.endlessError({ cause: 'cursors expire', isParallel: read.maxChains > 1, refusal });
  replace(reading, chain, read);
  return { kind: 'asked again' };
}

/** Lets the front ask a question again that was not answered: an index may be renewed, or a cache be old. */
export function askAgain(reading: Reading, chain: Chain, read: Read): void {
  reading.doubted = chain.bound;
  replace(reading, chain, read);
}

/** Lets the front ask the last question that has returned its rows: created times may run ahead of those that `createdSince` refers to. */
export function askBefore(reading: Reading, read: Read): CursorEvent {
  const { confirmed } = reading;
  reading.question = confirmed;
  reading.farthest = 0;
  reading.firstQuestion = earliest(reading.firstQuestion, confirmed);
  // created times do not tell the place in the list: another question made from them would be no better
  reading.order = 'broken';
  reading.chains = [frontFrom(reading, read)];
  return { kind: 'question unanswered', since: confirmed };
}

/** Lets the front ask again with a bound in the form of the rows, which is known only now. */
export function askInForm(reading: Reading, format: TimeFormat, read: Read): void {
  reading.format = format;
  reading.chains = [frontFrom(reading, read)];
}

/** Gives up a chain. Returns the front that asks the question again; null if the chain is not the front, since the one behind it comes there. */
function replace(reading: Reading, chain: Chain, read: Read): Chain | null {
  const at = reading.chains.indexOf(chain);
  if (at === 0) {
    const front = frontFrom(reading, read);
    reading.chains[0] = front;
    return front;
  }
  reading.chains.splice(at, 1);
  untie(reading.chains[at - 1]);
  return null;
}

/** Lets a chain that was tied to the one ahead go on, because that one was given up. */
function untie(chain: Chain | undefined): void {
  if (chain?.status === 'tied') chain.status = 'due';
}

/** Gives up the chains ahead of the front. The front is never tied: the chain ahead has replaced one that was. */
export function keepFront(reading: Reading): void {
  reading.chains.splice(1);
}

/** Ends a chain that has come to the end of the list, or past the end date; those ahead of it have no rows to emit. */
export function endAhead(reading: Reading, chain: Chain): void {
  chain.status = 'over';
  reading.chains.splice(reading.chains.indexOf(chain) + 1);
}

/** What decides how a chain goes on. */
interface PageEnd {
  readonly created: readonly Instant[]; // of the rows of its page that have a created time
  readonly next: string | null; // its next cursor
  readonly sentAtMs: number; // local time of the request that returned it
}

/** Decides how a chain goes on after a page: it is over, tied to the chain ahead, or its next page is due. */
export function moveOn(
  reading: Reading,
  chain: Chain,
  { created, next: after, sentAtMs }: PageEnd,
  read: Read,
  precision: Precision,
): void {
  chain.first ??= created[0];
  chain.recent = [...chain.recent, ...created].slice(-read.tuning.enough);
  const isProven = reading.order === 'ascending';
  const reached = reachedBy(chain, read);
  const at = reading.chains.indexOf(chain);
  if (after === null || (isProven && reached > read.end + precision.tolerance)) {
    endAhead(reading, chain);
    return;
  }
  if (at === 0 && isProven) raise(reading, reached, read, precision);
  chain.cursor = { after, sentAtMs };
  const to = reading.chains.findIndex(({ number }) => number === chain.metBy);
  const ahead = to > at && chain.met >= read.tuning.enough ? reading.chains[to] : undefined;
  const isTied = ahead !== undefined && reached >= ahead.bound + precision.margin + precision.tolerance;
  chain.status = isTied ? 'tied' : 'due';
  // all rows after these are rows of the chain ahead; it has overtaken those between, which return no others
  if (isTied) reading.chains.splice(at + 1, to - at - 1);
}

/** Returns the time that the last rows of a chain have all reached; `MIN_INSTANT` if there are too few. */
function reachedBy({ recent }: Chain, { tuning: { enough } }: Read): Instant {
  return recent.length < enough ? MIN_INSTANT : earliest(MAX_INSTANT, ...recent);
}

/** Moves the question on to what may still appear once all rows up to a time have come; never back. */
function raise(reading: Reading, time: Instant, { from, start, end }: Read, precision: Precision): void {
  const { question, firstQuestion, leftOut } = reading;
  const next = questionAfter(time, { serverTime: reading.serverTime, end }, precision);
  if (next <= question) return;
  // a question without a bound may have replaced that of the state, which was not answered
  const since = firstQuestion === MIN_INSTANT ? from.question : firstQuestion;
  if (since !== MIN_INSTANT && start > since)
    reading.leftOut = { since: leftOut?.since ?? since, until: start };
  reading.question = next;
  reading.farthest = 0;
}

/** Ends chains that are over or tied once they are the front: the chain ahead of a tied one becomes the front. */
export function leaveFinished(reading: Reading, read: Read, precision: Precision): void {
  for (;;) {
    const [front, next] = reading.chains;
    if (front === undefined || (front.status !== 'over' && front.status !== 'tied')) return;
    reading.chains.shift();
    if (next !== undefined) {
      // the front has returned rows of it
      reading.confirmed = later(reading.confirmed, next.bound);
      noteFront(reading.known, next.number);
    } else raise(reading, front.newest, read, precision);
  }
}

/**
 * Lets another chain jump in ahead, as far as the rows of some pages reach: by what the chain of the latest page has shown, because lists
 * have bursts and quiet times.
 */
export function jumpAhead(
  reading: Reading,
  { first, newest, pages }: Chain,
  read: Read,
  precision: Precision,
): void {
  const { order, isBoundIgnored, chains } = reading;
  if (order !== 'ascending' || isBoundIgnored === true || chains.length >= read.maxChains) return;
  const lead = chains.at(-1);
  if (lead === undefined || lead.status === 'tied' || lead.status === 'over') return;
  const { jumpOverlaps, jumpPages } = read.tuning;
  const from = later(lead.bound, lead.newest);
  const to = earliest(reading.serverTime - precision.lookback, read.end);
  const overlap = precision.lookback + 2n * precision.granule;
  const pace = (newest - (first ?? newest)) / BigInt(pages);
  const ahead = later(jumpOverlaps * overlap, jumpPages * pace);
  // towards the end, shorter jumps let all chains finish at about the same time; a few pages are not worth a chain
  const least = later(3n * overlap, 4n * pace);
  const share = later(least, (to - from) / BigInt(read.maxChains));
  const bound = boundBelow(from + earliest(ahead, share), precision);
  if (bound >= to) return;
  reading.chains.push(chainFrom(reading, bound, 'rows', read));
}
