import {
  MAX_INSTANT,
  MIN_INSTANT,
  earliest,
  mergedFormat,
  type Instant,
  type TimeFormat,
} from '../instant.ts';
import { pageSizeOf, type Limit, type PageSize } from '../page-size.ts';
import { boundBelow, precisionOf, writtenBound, type Precision } from './bounds.ts';
import {
  UNKNOWN_SECOND,
  knownOf,
  noteFront,
  receiptsOf,
  secondOf,
  seenIn,
  type Known,
  type SeenRow,
} from './known.ts';
import type { BoundOrigin, Counts, CursorPosition, CursorRead, LeftOut, Moment } from './list.ts';
import type { IssuedCursor } from './requests.ts';

/** A read without what it does with rows. */
export type Read = Omit<CursorRead<unknown>, 'createdOf' | 'textOf' | 'fetchPage' | 'isSame'>;

/** A chain of pages. */
export interface Chain {
  readonly number: number; // from 1 on, in the order in which chains begin
  readonly bound: Instant; // its `createdSince`; `MIN_INSTANT` for none
  readonly createdSince: string | null; // the same as it is written
  readonly boundFrom: BoundOrigin;
  cursor: IssuedCursor | null; // of the page that is requested; null for the first one
  limit: Limit; // rows to request, the same for all pages after the first: some cursors are page numbers
  failed: number; // attempts of another chain to get its first page
  readonly sizeAtStart: PageSize; // when it began
  first: Instant | undefined; // the created time of its first row that has one
  newest: Instant; // the latest created time so far; `MIN_INSTANT` if there is none
  rises: number; // created times later than all before them, up to the server time; a chain that asks again shows the same ones
  pages: number; // with rows
  recent: readonly Instant[]; // created times of its last rows, at most `enough`
  met: number; // its last rows without a gap that chains ahead had returned before
  metBy: number; // the chain ahead that had returned the last of them
  /** Its next page is to be requested (`due`), or was (`asked`); it is `tied` to the chain ahead, or has come to the end of the list. */
  status: 'due' | 'asked' | 'tied' | 'over';
}

/** What a read knows; changed by step.ts and chains.ts, and by the functions here that begin a chain. */
export interface Reading {
  question: Instant; // what is asked next; `MIN_INSTANT` for no bound
  confirmed: Instant; // the last question that has returned rows of the front; one is made from created times, and may be too late
  firstQuestion: Instant; // the question when the read began
  leftOut: LeftOut | null; // by the start date
  chains: Chain[]; // the front, then those that have jumped in ahead of it
  chainCount: number;
  order: 'unproven' | 'ascending' | 'broken';
  restartsSinceNews: number; // chains that had to start again since the last new row
  restartsSinceUse: number; // and since a cursor was used before it was old
  farthest: number; // pages with rows of the chain that has come farthest since the question moved
  doubted: Instant; // a question that was not answered once, and is asked again; `MIN_INSTANT` if there was none
  awaited: ReadonlySet<number>; // created seconds of the rows of the state; empty once one has come again
  serverTime: Instant; // server time of the first response; `MAX_INSTANT` before it
  format: TimeFormat | null; // can express all created times of the list so far; null if there was none
  size: PageSize;
  isBoundIgnored: boolean | null; // the server returns rows from before `createdSince`; null if that is not known
  readonly known: Known;
  readonly counts: Counts;
}

/** Nothing has been found yet. */
const NO_COUNTS: Counts = {
  emitted: 0,
  newest: MIN_INSTANT,
  copies: 0,
  timeless: 0,
  older: 0,
  beforeFloor: 0,
  beforeStart: 0,
  afterEnd: 0,
  beforeBound: 0,
  late: 0,
  latest: 0n,
  mayRepeat: 0,
};

/** Begins a read with one chain. */
export function beginReading(read: Read): Reading {
  const { from, start } = read;
  const asked = from.leftOut !== null && start < from.leftOut.until ? from.leftOut : null;
  const question = asked?.since ?? from.question;
  const reading: Reading = {
    question,
    confirmed: asked === null && canAnswer(read) ? earliest(from.confirmed, question) : question,
    firstQuestion: question,
    leftOut: asked === null ? from.leftOut : null,
    chains: [],
    chainCount: 0,
    order: 'unproven',
    restartsSinceNews: 0,
    restartsSinceUse: 0,
    farthest: 0,
    doubted: MIN_INSTANT,
    // the text of a row may differ in each response
    awaited: new Set(from.seen.map(({ second }) => second)),
    serverTime: MAX_INSTANT,
    format: null,
    size: pageSizeOf(read.pageSize),
    isBoundIgnored: null,
    known: knownOf(from),
    counts: { ...NO_COUNTS },
  };
  reading.chains = [frontFrom(reading, read)];
  return reading;
}

/** Returns whether the state has all rows of the front that its question must return. */
function canAnswer({ from: { seen }, tuning: { maxSeen } }: Read): boolean {
  return seen.length < maxSeen;
}

/** Begins the front at the question. A start date raises what is sent, and not the question itself. */
export function frontFrom(reading: Reading, read: Read): Chain {
  const { question, firstQuestion } = reading;
  const start = boundBelow(read.start, precisionIn(reading, read));
  const front =
    start > question
      ? chainFrom(reading, start, 'start date', read)
      : chainFrom(reading, question, question === firstQuestion ? 'state' : 'rows', read);
  noteFront(reading.known, front.number);
  return front;
}

/** Begins a chain, whose first page is due. */
export function chainFrom(reading: Reading, bound: Instant, boundFrom: BoundOrigin, read: Read): Chain {
  reading.chainCount++;
  return {
    number: reading.chainCount,
    bound,
    createdSince: writtenBound(bound, boundFormat(reading, read)),
    boundFrom,
    cursor: null,
    limit: reading.size.full,
    failed: 0,
    sizeAtStart: reading.size,
    first: undefined,
    newest: MIN_INSTANT,
    rises: 0,
    pages: 0,
    recent: [],
    met: 0,
    metBy: 0,
    status: 'due',
  };
}

/** Returns the format in which bounds are written: that of the rows, or of the state or the start date until there is one. */
export function boundFormat({ format }: Reading, { from, startFormat }: Read): TimeFormat | null {
  const given = from.format ?? startFormat;
  return format === null ? given : mergedFormat(given, format);
}

/** Returns how exact times are; until there is a row, as those of the state or the start date. */
export function precisionIn(reading: Reading, read: Read): Precision {
  return precisionOf(read.lookback, reading.format ?? boundFormat(reading, read));
}

/**
 * Returns how many rows of the state its question must return again, if none of them came: then the server may take the question for a later
 * one.
 */
export function unreturnedIn({ awaited }: Reading, { from, start, end, lookback }: Read): number {
  const { question, readAt } = from;
  if (awaited.size === 0 || readAt === null || start > question) return 0;
  const { margin } = precisionOf(lookback, from.format);
  // from then on, rows count as created when they were received
  const [least, most] = [secondOf(question + margin), secondOf(earliest(end, readAt))];
  return from.seen.filter(({ second }) => second > least && second < most).length;
}

/** Returns this moment of a read, as plain data. */
export function momentOf(reading: Reading, read: Read, isFinished: boolean): Moment {
  const { question, leftOut, known, serverTime } = reading;
  return {
    question,
    confirmed: isFinished ? question : earliest(reading.confirmed, question),
    format: boundFormat(reading, read),
    leftOut,
    receipts: receiptsOf(known),
    fromSecond: secondOf(question - precisionIn(reading, read).margin),
    serverSecond: secondOf(serverTime),
    limits: read.tuning,
  };
}

/** Returns where a later read goes on after a moment, the same whenever it is called; `isFull` if there is no room for rows that may come again. */
export function positionAt(moment: Moment): CursorPosition & { readonly isFull: boolean } {
  const { question, confirmed, format, leftOut, receipts, fromSecond, serverSecond, limits } = moment;
  const { seen, ahead, isFull } = seenIn(receipts, fromSecond, limits);
  const dated = (row: SeenRow): SeenRow =>
    row.second === UNKNOWN_SECOND ? { ...row, second: serverSecond } : row;
  return { question, confirmed, format, leftOut, seen: seen.map(dated), ahead: ahead.map(dated), isFull };
}
