import type { Fingerprint } from './identities.ts';
import { isZoneless, mergedFormat } from './instant.ts';
import type { Instant, TimeFormat } from './instant.ts';
import { byTime, isWanted, withBackfill } from './open-ranges.ts';
import type { CursorCover } from './open-ranges.ts';
import { collectOrderEvidence } from './order-evidence.ts';
import type { OrderEvidence } from './order-evidence.ts';
import type { CursorList, RangeWorker, TimedPage, WorkingRange } from './range-worker.ts';
import { createSeenRows } from './seen-rows.ts';
import type { SeenRows, SeenSnapshot } from './seen-rows.ts';

/** Where a read begins: what a state says. */
export interface CursorStart extends CursorCover {
  readonly seen: readonly Fingerprint[];
  /** How the records write times; null before any was seen. */
  readonly format: TimeFormat | null;
}

/** Where a read stands; it never changes, whatever is read after it. */
export interface CursorPosition<R> extends CursorCover {
  readonly seen: SeenSnapshot<R>;
  readonly format: TimeFormat | null;
  readonly isFinished: boolean;
}

export interface CursorRead<R> extends CursorList<R> {
  readonly from: CursorStart;
  /** True if `from` is what an unfinished read left: then something may rest on the list's order already. */
  readonly isResumed: boolean;
  /** Rows created before are not wanted, unless a state speaks of them. */
  readonly start: Instant | undefined;
  /** Rows created later are left out. */
  readonly end: Instant | undefined;
  /** ns behind the server's time within which rows may still appear late, and stand late in the list. */
  readonly lookback: bigint;
  /** Workers at once at most. */
  readonly chains: number;
  /** True if the server refused the request itself, as it does with a cursor that it no longer knows. */
  readonly isRefusal: (error: unknown) => boolean;
  /** Local time, ms since the epoch. */
  readonly now: () => number;
  readonly info: (message: string) => Promise<void>;
  readonly warn: (message: string) => Promise<void>;
  /** Ends the read, and what is in flight with it. */
  readonly signal: AbortSignal;
}

/** What a read has found so far that is worth telling. */
export interface CursorFacts {
  /** Rows that came again and were not emitted again. */
  readonly repeats: number;
  /** Rows whose created value could not be read. */
  readonly unreadable: number;
  /** The latest created value that was not left out. */
  readonly newest: Instant | undefined;
  /** True if more rows may come again than a state remembers. */
  readonly overflows: boolean;
}

export interface CursorBatch<R> {
  readonly rows: readonly R[];
  /** Safe to go on from once `rows` and all before them have left. */
  readonly position: CursorPosition<R>;
  readonly facts: CursorFacts;
}

/** A read under way: what its parts share. */
export interface CursorRun<R> {
  readonly read: CursorRead<R>;
  readonly order: OrderEvidence;
  readonly seen: SeenRows<R>;
  readonly workers: Set<RangeWorker<R>>;
  createdSince: Instant | undefined;
  readonly coveredFrom: Instant | undefined;
  ranges: WorkingRange[];
  /** Ranges that wait for a worker. */
  todo: WorkingRange[];
  /** True once ranges rest on the order of the list. */
  restsOnOrder: boolean;
  /** True once the time has been shared out among workers. */
  hasSplit: boolean;
  format: TimeFormat | null;
  /** ns by which the records' clock is ahead of the server's, at least; undefined before a row was seen. */
  clockAhead: bigint | undefined;
  isClockKnown: boolean;
  repeats: number;
  unreadable: number;
  newest: Instant | undefined;
  flight: AbortController;
}

/** A read at its beginning: the ranges that a state leaves open, and what the start date wants beyond them. */
export function beginRun<R>(read: CursorRead<R>): CursorRun<R> {
  const cover = withBackfill(read.from, read.start);
  const ranges = cover.ranges.map((range) => ({ ...range, readTo: undefined }));
  return {
    read,
    order: collectOrderEvidence(),
    seen: createSeenRows(read.from.seen, read.fingerprintOf),
    workers: new Set(),
    createdSince: cover.createdSince,
    coveredFrom: cover.coveredFrom,
    ranges,
    todo: ranges.filter((range) => isWanted(range, read.start, read.end)),
    restsOnOrder: read.isResumed,
    hasSplit: false,
    format: read.from.format,
    clockAhead: undefined,
    isClockKnown: true,
    repeats: 0,
    unreadable: 0,
    newest: undefined,
    flight: new AbortController(),
  };
}

/** Notes how a row's time is written, and how far the records' clock is ahead of the server's. */
export function noteTime<R>(
  run: CursorRun<R>,
  format: TimeFormat,
  created: Instant,
  { serverTime, isServerTime }: TimedPage<R>,
): void {
  run.format = mergedFormat(run.format, format);
  const ahead = created - serverTime;
  if (run.clockAhead === undefined || ahead > run.clockAhead) run.clockAhead = ahead;
  run.isClockKnown &&= isServerTime && !isZoneless(format);
}

/**
 * The latest time up to which no rows can appear any more in a chain that began at a time of the server. Times without a
 * zone, and a server that does not tell its time, leave open how the clocks differ: the newest row shows by how much at
 * most the records' clock is behind.
 */
export function limitOf<R>(
  { read, clockAhead, isClockKnown }: CursorRun<R>,
  started: Instant,
): Instant | undefined {
  if (isClockKnown) return started - read.lookback;
  if (clockAhead === undefined) return undefined;
  return started + (clockAhead < 0n ? clockAhead : 0n) - read.lookback;
}

/** Where the read stands now. */
export function positionOf<R>(run: CursorRun<R>, isFinished: boolean): CursorPosition<R> {
  const ranges = run.ranges.map(({ since, until, chain }) => ({ since, until, chain })).toSorted(byTime);
  return {
    createdSince: run.createdSince,
    coveredFrom: run.coveredFrom,
    ranges,
    seen: run.seen.snapshot(
      [...run.workers].map(({ latest }) => latest),
      ranges,
    ),
    format: run.format,
    isFinished,
  };
}

export function factsOf<R>({ repeats, unreadable, newest, seen }: CursorRun<R>): CursorFacts {
  return { repeats, unreadable, newest, overflows: seen.overflows() };
}
