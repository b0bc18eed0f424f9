import { followCursors } from './cursor-chain.ts';
import type { CursorPage } from './cursor-chain.ts';
import type { Fingerprint } from './fingerprint.ts';
import { finerFormat, floorToFormat, granuleOf, writeTime } from './instant.ts';
import type { Instant, TimeFormat, WrittenTime } from './instant.ts';
import { createLoopGuard } from './loop-guard.ts';
import { MARGIN, trackWatermark } from './watermark.ts';
import type { CreatedRow, Watermark, WatermarkFacts, WatermarkTracker } from './watermark.ts';

export interface TimedPage<R> extends CursorPage<R> {
  /** Server time not later than the answer; local time where the server does not say. */
  readonly serverTime: Instant;
}

/** A chain that was being followed: a hint, tried once, given up for the watermark if the server does not know it any more. */
export interface OpenChain {
  readonly after: string;
  /** `createdSince` of the chain's requests; it stays on each of them (API document 4.2.6). */
  readonly createdSince: string | null;
  /** Server time at the chain's first answer. */
  readonly started: Instant;
  /** The latest created value that it has come to. */
  readonly newest: Instant | undefined;
}

/** A range of time that is still to be read, by a chain of its own. */
export interface OpenRange {
  readonly watermark: Watermark;
  /** Rows created at this time or later belong to the next range; undefined for the last one. */
  readonly until: Instant | undefined;
  /** The chain that reads it, to be taken up again; null to start from the watermark. */
  readonly chain: OpenChain | null;
}

/** Ranges of a read by several chains that are still open; everything between them is done. */
export interface OpenRanges {
  readonly open: readonly OpenRange[];
  /** Where the read began: one chain starts there again if the list turns out not to be in order. */
  readonly origin: Watermark;
  /** Server time at the start of the read. */
  readonly started: Instant;
  /** The latest created value seen. */
  readonly newest: Instant | undefined;
}

/** Where a read of a cursor list stands. */
export interface CursorPosition {
  readonly watermark: Watermark;
  /** How the records write times; null before any was seen. */
  readonly format: TimeFormat | null;
  /** Null between two reads, and where the watermark alone must do. */
  readonly chain: OpenChain | null;
  /** Null for a read by one chain. */
  readonly ranges: OpenRanges | null;
}

export interface CursorRead<R> {
  readonly fetchPage: (
    after: string | null,
    createdSince: string | null,
    signal: AbortSignal,
    /** True for a cursor that the chain has had: a page that leads back to one is best asked for again. */
    hasHad: (cursor: string) => boolean,
  ) => Promise<TimedPage<R>>;
  readonly createdOf: (row: R) => WrittenTime | undefined;
  readonly fingerprintOf: (row: R) => Fingerprint;
  /** True if two rows have the same text. */
  readonly isSame: (one: R, other: R) => boolean;
  readonly from: CursorPosition;
  /** ns behind the server's time within which rows may still appear late. */
  readonly lookback: bigint;
  /** Rows created later are left out. It may come down while the read goes on. */
  readonly end: () => Instant | undefined;
  /** True where the list is known to come in ascending order, so that the first page beyond the end is the last one. */
  readonly isOrdered: () => boolean;
  /** Server time at the start of the read, if that was before this one. */
  readonly started: Instant | null;
  /** True if the server refused the request itself, as it does with a cursor that it no longer knows. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly info: (message: string) => Promise<void>;
  readonly warn: (message: string) => Promise<void>;
  /** Ends the read, and what is in flight with it. */
  readonly signal: AbortSignal;
}

export interface CursorBatch<R> {
  readonly rows: readonly R[];
  /** Safe to go on from once `rows` and all before them have left. Ask before the next batch. */
  readonly position: () => CursorPosition;
  readonly facts: () => WatermarkFacts;
  /** Server time at the start of the read. */
  readonly started: Instant;
  /** The list ended here, or the range did. */
  readonly isLast: boolean;
}

/** Starts from one watermark at most: a list that is not in order moves it only at its end. */
const MOST_RESTARTS = 10;
/** Longer cursors are not kept: a state must stay small. */
const LONGEST_CURSOR = 8192;

/**
 * Reads a cursor list from a position to its end (API document 4.2): every row that is visible at the first answer and
 * is created at or after the watermark is yielded, unless an earlier read yielded it. The last batch holds the position
 * after the finished read.
 *
 * A cursor that the server refuses, or answers with rows from before the watermark, is given up: the chain starts again
 * from the watermark, as long as each start brings rows or moves the watermark.
 *
 * @throws what `fetchPage` throws, and transient_error CURSOR_LOOP (see `createLoopGuard`)
 */
export async function* readCursorList<R>(read: CursorRead<R>): AsyncGenerator<CursorBatch<R>> {
  let position = read.from;
  let standstill = 0;
  for (;;) {
    const chain = readChain(read, position);
    let latest: CursorBatch<R> | null = null;
    let yielded = 0;
    try {
      for await (const batch of chain) {
        latest = batch;
        yielded += batch.rows.length;
        yield batch;
      }
      if (position.chain === null || latest === null) return;
      // a chain that was taken up again knows nothing of rows that appeared behind it since: one more, from the watermark
      position = latest.position();
    } catch (error) {
      const refused = error instanceof StaleCursorError || read.isRefusal(error);
      const next: CursorPosition = { ...(latest?.position() ?? position), chain: null };
      // a refusal without any page before it is not about the cursor; and each start must get further than the one before
      const moved = (next.watermark.since ?? 0n) > (position.watermark.since ?? 0n);
      standstill = moved ? 0 : standstill + 1;
      if (!refused || !(position.chain !== null || moved || yielded > 0) || standstill > MOST_RESTARTS)
        throw error;
      await read.info(
        'the server no longer knows the place in the list; going on from the created time instead',
      );
      position = next;
    }
  }
}

/** The server answered a cursor with rows from before the watermark, as some do with one that has expired. */
class StaleCursorError extends Error {
  override readonly name = 'StaleCursorError';
}

async function* readChain<R>(read: CursorRead<R>, from: CursorPosition): AsyncGenerator<CursorBatch<R>> {
  const { watermark, chain } = from;
  const createdSince = chain === null ? boundOf(watermark.since, from.format) : chain.createdSince;
  let format: TimeFormat | null = null;
  let started = chain?.started ?? read.started ?? undefined;
  let tracker: WatermarkTracker<R> | null = null;

  const withTime = (row: R): CreatedRow<R> => {
    const time = read.createdOf(row);
    if (time !== undefined) format = finerFormat(format, time.format);
    return { row, created: time?.instant };
  };
  const isOld = ({ created }: CreatedRow<R>): boolean =>
    created !== undefined && watermark.seenSince !== undefined && created < watermark.seenSince;
  const isLate = ({ created }: CreatedRow<R>): boolean => {
    const end = read.end();
    return created !== undefined && end !== undefined && created > end;
  };

  const guard = createLoopGuard(chain?.after ?? null, read.isSame);
  const pages = followCursors<R, TimedPage<R>>({
    fetchPage: (after, signal) => read.fetchPage(after, createdSince, signal, guard.hasHad),
    from: chain?.after ?? null,
    guard: (page) => guard.page(page.next ?? '', page.rows),
    signal: read.signal,
  });
  let isFirst = true;
  for await (const page of pages) {
    started ??= page.serverTime;
    tracker ??= trackWatermark<R>({
      before: watermark,
      resumed: chain,
      limit: started - read.lookback,
      end: read.end,
      isRange: read.isOrdered,
      floor: (instant) => floorToFormat(instant, format ?? from.format),
      fingerprintOf: read.fingerprintOf,
    });
    const tracked: WatermarkTracker<R> = tracker;
    const rows = page.rows.map(withTime);
    if (isFirst && chain !== null && rows.some(isOld)) throw new StaleCursorError('the cursor is stale');
    isFirst = false;
    const wanted = tracked.accept(rows);
    const { facts } = tracked;
    const { ascending, ordered, newest } = facts();
    // the read stops after the last row that is not newer; only ascending order tells which one that is
    const canTell = read.isOrdered() ? ascending : ordered;
    const isLast = page.next === null || (canTell && rows.length > 0 && rows.every(isLate));
    const open =
      ascending && page.next !== null ? openChain({ after: page.next, createdSince, started, newest }) : null;
    yield {
      rows: wanted,
      position: isLast
        ? () => ({ watermark: tracked.finished(), format: format ?? from.format, chain: null, ranges: null })
        : () => ({ watermark: tracked.sofar(), format: format ?? from.format, chain: open, ranges: null }),
      facts,
      started,
      isLast,
    };
    if (isLast) return;
  }
}

function openChain(chain: OpenChain): OpenChain | null {
  return chain.after.length > LONGEST_CURSOR ? null : chain;
}

/** `createdSince` below the watermark by a granule of the format, and the margin at least; null to read from the start. */
function boundOf(since: Instant | undefined, format: TimeFormat | null): string | null {
  if (since === undefined || format === null) return null;
  const granule = granuleOf(format);
  return writeTime(since - (granule > MARGIN ? granule : MARGIN), format);
}
