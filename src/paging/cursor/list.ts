import { CURSOR_STATE } from '../../limits.ts';
import type { Instant, TimeFormat, WrittenTime } from '../instant.ts';
import type { Endless } from '../loop-guard.ts';
import type { Limit, SizeEvent } from '../page-size.ts';
import type { KnownLimits, Receipts, SeenRows } from './known.ts';

/** What a chain asks for. */
export interface PageRequest {
  readonly after: string | null; // the cursor of the page; null for the first page of a chain
  readonly createdSince: string | null; // the same on every request of a chain; null from the beginning of the list
  readonly boundFrom: BoundOrigin;
  readonly sendByMs: number | null; // local time, ms since the epoch, after which the request must not be sent any more
  readonly serverErrorMs: number | null; // ms after which a persistent 500 is taken for an expired cursor; null: it is not
  readonly mayBeRefused: boolean | 'in its form'; // true with a cursor, or a bound that no row of the front has confirmed
  /**
   * Returns the rows to request once so many attempts have failed in a way that fewer rows may avoid; or `ask again` if the question must
   * be asked again with fewer, because the cursor was issued for pages of another size.
   */
  readonly limitAfter: (failures: number) => Limit | 'ask again';
}

/** Where a bound comes from: the state, the start date, or the created times of rows. */
export type BoundOrigin = 'state' | 'start date' | 'rows';

/** A page of a cursor list. */
export interface CursorPage<R> {
  readonly rows: readonly R[];
  readonly next: string | null; // the cursor of the next page; null on the last one
  /** Not later than the moment that the page shows: the `Date` header, or else the local time of the request. */
  readonly time: Instant;
  readonly sentAtMs: number; // local time of the request, ms since the epoch
  readonly receivedAtMs: number; // and of the response
  readonly failures?: number | undefined; // attempts before it that fewer rows might have avoided; absent for none
}

/**
 * Why a request failed: the server `refused` the request itself, as with a cursor that it no longer knows, or it `broke` on the request
 * in every attempt, as some servers do with such a cursor; the request became `late`, so it was not sent; the page may be too `large`; or
 * anything `else`.
 */
export type Failure = 'refused' | 'broke' | 'late' | 'large' | 'else';

/** A cursor list as reads and samples see it. */
export interface CursorList<R> {
  readonly pageSize: Limit; // rows to request
  readonly fetchPage: (request: PageRequest, signal: AbortSignal) => Promise<CursorPage<R>>;
  readonly failureOf: (error: unknown) => Failure;
  readonly endlessError: (endless: Endless) => Error; // of a chain whose end cannot be reached
  readonly createdOf: (row: R) => WrittenTime | undefined; // undefined if it has no readable time
  readonly textOf: (row: R) => Buffer; // exactly as received
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  readonly start: Instant; // where reading begins; `MIN_INSTANT` for the beginning of the list
  readonly startFormat: TimeFormat | null; // in which the start is written
  readonly end: Instant; // the last created time that is wanted
  readonly signal: AbortSignal;
}

/** A question, and the answers to it that are known: where a read begins, and where a later one goes on. */
export interface CursorPosition extends SeenRows {
  readonly question: Instant; // the `createdSince` that is asked next; `MIN_INSTANT` for none
  readonly format: TimeFormat | null; // in which the question is written
  /** The last question that has returned rows of `seen`, if that is an earlier one: it is asked again unless the new one does so too. */
  readonly confirmed: Instant;
  readonly leftOut: LeftOut | null;
}

/** What a start date has left out of a question that is older: it is asked once the start date is earlier again. */
export interface LeftOut {
  readonly since: Instant; // the question
  readonly until: Instant; // the start date
}

export interface CursorStart extends CursorPosition {
  readonly floor: Instant; // earlier rows are not emitted, but known from then on; `MIN_INSTANT` for none
  readonly readAt: Instant | null; // up to when the last finished read has seen the list; null if that is not known
}

/** What happens in a read that a person should know while it goes on. */
export type CursorEvent =
  | { readonly kind: 'asked again' } // a chain may have lost its cursor, so its rows are asked for again
  | { readonly kind: 'order broken'; readonly wasProven: boolean } // the list is not in ascending order of created time
  | { readonly kind: 'left out asked'; readonly since: Instant } // what a later start date has left out is asked for
  | { readonly kind: 'question unanswered'; readonly since: Instant } // it returned no known row, so the one before it is asked again
  | { readonly kind: 'may repeat' } // rows that may have been emitted before are emitted; said once
  | { readonly kind: 'page size'; readonly change: SizeEvent }
  | { readonly kind: 'bound ignored' }; // the server returns rows from before `createdSince`, whatever it is

/** Numbers that decide when a read relies on what it has seen; tests of small lists use smaller ones. */
export interface Tuning extends KnownLimits {
  /** Created times that prove ascending order, and last rows of a chain that must all have reached a time: a single one may be wrong. */
  readonly enough: number;
  /** How far a chain jumps ahead: in overlaps of two chains, or in pages of rows if that is further. */
  readonly jumpOverlaps: bigint;
  readonly jumpPages: bigint;
}

/** For lists of any size. */
export const ORDINARY: Tuning = {
  enough: 16,
  jumpOverlaps: 10n,
  jumpPages: 20n,
  maxSeen: CURSOR_STATE.maxSeen,
  lastReceived: CURSOR_STATE.lastReceived,
  sweptAfter: 10_000,
};

export interface CursorRead<R> extends CursorList<R> {
  readonly from: CursorStart;
  readonly lookback: bigint; // ns by which a row may appear after its created time
  readonly maxChains: number; // chains at the same time, at most
  readonly maxRows: number; // rows to emit, at most
  readonly tuning: Tuning;
  readonly say: (event: CursorEvent) => Promise<void>;
}

/** What a read has found so far, in rows. */
export interface Counts {
  emitted: number;
  newest: Instant; // the latest created time of emitted rows; `MIN_INSTANT` if there is none
  copies: number; // returned again by the same chain, so not emitted again
  timeless: number; // emitted without a readable created time
  older: number; // emitted although they are from before the bound
  beforeFloor: number; // not emitted: created before the time in a state without known rows
  beforeStart: number; // not emitted: created before the start date; each receipt counts
  afterEnd: number; // not emitted: created after the end date; each receipt counts
  beforeBound: number; // not emitted: from before the bound, which the server ignores; each receipt counts
  late: number; // emitted although they were created before the last finished read
  latest: bigint; // ns by which the latest of them missed that read
  mayRepeat: number; // emitted although they may have been before, because not all rows are remembered
}

/** A moment of a read, of which `positionAt` makes the position when a state is written. */
export interface Moment extends Omit<CursorPosition, 'seen' | 'ahead'> {
  readonly receipts: Receipts;
  readonly fromSecond: number; // of the created times of rows that the question may return
  readonly serverSecond: number; // of the server time of the first response
  readonly limits: KnownLimits;
}

/** Rows to emit, and where a later read goes on once they and all rows before them were written. */
export interface CursorBatch<R> {
  readonly rows: readonly R[];
  readonly moment: Moment;
  readonly counts: Counts; // of the read so far
  readonly hasTimes: boolean; // a row with a readable created time was received
  readonly end: CursorEnd | null; // null if more follows
}

/** How a read ended: at the end of the list, or because the limit was reached. */
export type CursorEnd =
  | {
      readonly kind: 'finished';
      readonly readAt: Instant; // it has seen the list up to then
      readonly unreturned: number; // rows of the state that its question must return again, if it returned none; else 0
    }
  | { readonly kind: 'limited' };
