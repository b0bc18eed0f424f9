import type { Fingerprint } from '../identities.ts';
import type { Instant, TimeFormat, WrittenTime } from '../instant.ts';
import type { Range } from './ranges.ts';

/** What a chain asks for. */
export interface PageRequest {
  readonly after: string | null; // the cursor of the page; null for the first page of a chain
  readonly createdSince: string | null; // the same on every request of a chain; null from the beginning of the list
  readonly sendByMs: number | null; // local time, ms since the epoch, after which the request must not be sent any more
}

/** A page of a cursor list. */
export interface CursorPage<R> {
  readonly rows: readonly R[];
  readonly bytes: number; // approximate size in memory
  readonly next: string | null; // the cursor of the next page; null on the last one
  /** Not later than the moment that the page shows: the `Date` header, or else the local time of the request. */
  readonly time: Instant;
  readonly sentAtMs: number; // local time of the request, ms since the epoch
}

/**
 * Why a request failed: the server `refused` the request itself, as with a cursor that it no longer knows, or it `broke` on the request
 * in every attempt, as some servers do with such a cursor; the request became `late`, so it was not sent; or anything `else`.
 */
export type Failure = 'refused' | 'broke' | 'late' | 'else';

/** A cursor list as reads and samples see it. */
export interface CursorList<R> {
  readonly name: string; // in errors
  readonly fetchPage: (request: PageRequest, signal: AbortSignal) => Promise<CursorPage<R>>;
  readonly failureOf: (error: unknown) => Failure;
  readonly createdOf: (row: R) => WrittenTime | undefined; // undefined if it has no readable time
  readonly textOf: (row: R) => Buffer; // exactly as received
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  readonly start: Instant; // where reading begins
  readonly startText: string | null; // the same as configured; null for the beginning of the list
  readonly end: Instant; // the last created time that is wanted
  readonly info: (message: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Where a read begins: every row created from `coveredFrom` on and outside all ranges was emitted. */
export interface CursorStart {
  readonly watermark: Instant; // rows created from `coveredFrom` to it were emitted; a state with it alone loses nothing
  readonly coveredFrom: Instant; // `MIN_INSTANT` for the beginning of the list
  readonly ranges: readonly Range[]; // ascending and disjoint
  readonly seen: readonly Fingerprint[]; // of emitted rows that may be received again
  readonly format: TimeFormat | null; // of the times in the state, or of the start date
}

export interface CursorRead<R> extends CursorList<R> {
  readonly from: CursorStart;
  readonly lookback: bigint; // ns by which a row may appear after its created time
  readonly enough: number; // see `ENOUGH_ROWS`
  readonly chains: number; // chains at the same time, at most
  readonly confirmsEnd: boolean; // no later read will repair a false end
  readonly warn: (message: string) => Promise<void>;
}
