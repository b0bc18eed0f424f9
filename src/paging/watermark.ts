import type { Fingerprint } from './fingerprint.ts';
import { earlierOf, laterOf } from './instant.ts';
import type { Instant } from './instant.ts';

/** Up to where a stream has been read: nothing created before `since` is missing, and `seen` tells what is there behind it. */
export interface Watermark {
  /** Undefined before anything was read. */
  readonly since: Instant | undefined;
  /** `seen` knows every emitted row created at or after this; at most `since`. What is older was emitted. */
  readonly seenSince: Instant | undefined;
  readonly seen: readonly Fingerprint[];
}

/** What the watermark needs to know of a row. */
export interface CreatedRow<R> {
  readonly row: R;
  /** Undefined if the created value cannot be read as a time. */
  readonly created: Instant | undefined;
}

export interface WatermarkOptions<R> {
  readonly before: Watermark;
  /** Where this read goes on inside the list, what `before.seen` knows will not be seen again; null at the list's start. */
  readonly resumed: { readonly newest: Instant | undefined } | null;
  /** Server time at the read's first response, less the lookback: the watermark never passes it. */
  readonly limit: Instant;
  /** The latest time not after the given one that a state can write: a watermark that is cut down later covers less. */
  readonly floor: (instant: Instant) => Instant;
  /** Rows created later are left out; undefined for no end. It may come down while the read goes on. */
  readonly end: () => Instant | undefined;
  /** True where the end is a border between ranges, each of which knows what it has seen. */
  readonly isRange: () => boolean;
  /** Asked for those rows only that are remembered, or looked up among those that were. */
  readonly fingerprintOf: (row: R) => Fingerprint;
}

/** A row behind the watermark: the row itself until its fingerprint is needed, or the next page has come. */
type BehindRow<R> = { readonly created: Instant | undefined } & (
  { readonly print: Fingerprint } | { readonly row: R }
);

export interface WatermarkTracker<R> {
  /** Takes rows in the order of the list; returns those to emit: not emitted before, and within the time range. */
  readonly accept: (rows: readonly CreatedRow<R>[]) => readonly R[];
  /** A watermark that is safe in the middle of the read, once all accepted rows have left. */
  readonly sofar: () => Watermark;
  /** The watermark after the list was read to its end. */
  readonly finished: () => Watermark;
  /** What is worth telling. */
  readonly facts: () => WatermarkFacts;
}

export interface WatermarkFacts {
  /** Rows not emitted because an earlier read had. */
  readonly repeats: number;
  /** Rows whose created value could not be read. */
  readonly unreadable: number;
  /** Created values came in ascending order so far. */
  readonly ascending: boolean;
  /** So many steps upwards that ascending order can be relied on. */
  readonly proven: boolean;
  /** The same of all rows, those beyond the end included: then a page beyond the end shows that no more rows follow. */
  readonly ordered: boolean;
  /** More rows are behind the watermark than `seen` can hold: some will be repeated. */
  readonly overflow: boolean;
  /** The latest created value seen, not beyond the end. */
  readonly newest: Instant | undefined;
  /** The first rows seen within the range, and the first one beyond its end: where two ranges meet, these must agree. */
  readonly first: readonly SeenRow[];
  readonly beyond: SeenRow | undefined;
}

export interface SeenRow {
  readonly created: Instant;
  readonly print: Fingerprint;
}

/**
 * ns below the watermark for which `seen` is kept too: the next read asks for rows from there on at least, since a server
 * may cut its bound down to the second, or leave out rows that are equal to it.
 */
export const MARGIN = 1_000_000_000n;

/** Rows kept of the start of a range. */
const FIRST_ROWS = 32;

/** Fingerprints kept at most: about 190 KB of state. */
export const MOST_SEEN = 10_000;

/**
 * Steps upwards in the created values after which their order counts as ascending. A list in any other order shows it
 * within so many rows; before that the watermark does not move inside a read.
 */
export const ORDER_EVIDENCE = 16;

/**
 * The watermark rule W = max(before, min(greatest created seen, limit)) with fingerprints of what lies behind it
 * (design: cursor chain). Pure: no clock, no I/O. It holds whatever the server does with equal times, inclusive or
 * exclusive bounds, late rows within the lookback, future dates, and order; only inside a read does it rely on ascending
 * order: it moves once that shows, and goes back to where it was with the first row that breaks it.
 */
export function trackWatermark<R>(options: WatermarkOptions<R>): WatermarkTracker<R> {
  const { before, limit } = options;
  const seenBefore = new Set(before.seen);
  /** Rows of this read that a next read may see again, unreadable ones included. */
  let behind: BehindRow<R>[] = [];
  let newest: Instant | undefined = options.resumed?.newest;
  let ascending = true;
  let steps = 0;
  const order = trackOrder();
  let overflow = false;
  let repeats = 0;
  let unreadable = 0;
  const first: SeenRow[] = [];
  let beyond: SeenRow | undefined;

  const printOf = (known: BehindRow<R>): Fingerprint =>
    'print' in known ? known.print : options.fingerprintOf(known.row);
  const settled = (known: BehindRow<R>): BehindRow<R> =>
    'print' in known ? known : { created: known.created, print: printOf(known) };

  const reached = (): Instant | undefined => {
    const least = newest === undefined ? undefined : options.floor(earlierOf(newest, limit));
    return laterOf(before.since, least);
  };
  /** The watermark that a state in the middle of the read may tell. */
  const told = (): Instant | undefined => (isProven() ? reached() : before.since);

  const isProven = (): boolean => ascending && steps >= ORDER_EVIDENCE;

  const observe = (created: Instant | undefined): void => {
    if (created === undefined) unreadable++;
    else if (newest !== undefined && created < newest) ascending = false;
    else {
      if (newest !== undefined && created > newest) steps++;
      newest = created;
    }
  };

  /** Keeps of what a state now must know what one at the end must, if that is more than can be kept. */
  const prune = (): void => {
    if (behind.length <= MOST_SEEN) return;
    const isBehindAtEnd = behindOf(reached());
    const final = behind.filter(({ created }) => isBehindAtEnd(created));
    const others = behind.filter(({ created }) => !isBehindAtEnd(created));
    overflow ||= final.length > MOST_SEEN;
    behind = [...others, ...final].slice(-MOST_SEEN);
  };

  const watermark = (since: Instant | undefined, earlierSeen: readonly Fingerprint[]): Watermark => {
    const isBehind = behindOf(since);
    const here = behind.filter(({ created }) => isBehind(created));
    const prints = new Set([...here.map(printOf), ...earlierSeen]);
    overflow ||= prints.size > MOST_SEEN;
    const seenSince = laterOf(before.seenSince, since === undefined ? undefined : since - MARGIN);
    return { since, seenSince, seen: [...prints].slice(0, MOST_SEEN) };
  };

  return {
    accept: (rows) => {
      const end = options.end();
      const isInRange = (created: Instant | undefined): boolean =>
        created === undefined || end === undefined || created <= end;
      for (const { created } of rows) {
        if (isInRange(created)) observe(created);
        order.observe(created);
      }
      const isBehind = behindOf(told());
      behind = behind.filter(({ created }) => isBehind(created)).map(settled);
      const wanted: R[] = [];
      for (const { row, created } of rows) {
        const isIn = isInRange(created);
        const isOld = created !== undefined && before.seenSince !== undefined && created < before.seenSince;
        const isCompared = !isOld && seenBefore.size > 0;
        const isMark =
          created !== undefined && !isOld && (isIn ? first.length < FIRST_ROWS : beyond === undefined);
        // it costs more than all the rest, and most rows of a long list need none
        const print = isCompared || isMark ? options.fingerprintOf(row) : null;
        if (isMark && print !== null && isIn) first.push({ created, print });
        if (isMark && print !== null && !isIn) beyond = { created, print };
        if (isIn && isBehind(created)) behind.push(print === null ? { created, row } : { created, print });
        if (isOld || (print !== null && seenBefore.has(print))) repeats++;
        else if (isIn) wanted.push(row);
      }
      prune();
      return wanted;
    },
    sofar: () => {
      const { seen, seenSince } = watermark(told(), before.seen);
      return { since: told(), seenSince: isProven() ? seenSince : before.seenSince, seen };
    },
    finished: () => {
      const since = reached();
      if (newest === undefined || since === undefined)
        return unreadable === 0 ? before : watermark(since, before.seen);
      // whatever was emitted before and lies behind the new watermark has been seen again in this read, unless it took up
      // a chain or stopped at an end that may have been another one before
      const hasSeenAll = options.resumed === null && (beyond === undefined || options.isRange());
      return watermark(since, since === before.since || !hasSeenAll ? before.seen : []);
    },
    facts: () => ({
      repeats,
      unreadable,
      ascending,
      proven: isProven(),
      ordered: order.isProven(),
      overflow,
      newest,
      first,
      beyond,
    }),
  };
}

/** Whether created values come in ascending order, with enough steps upwards to rely on it. */
function trackOrder(): { observe: (created: Instant | undefined) => void; isProven: () => boolean } {
  let latest: Instant | undefined;
  let steps = 0;
  let isBroken = false;
  return {
    observe: (created) => {
      if (created === undefined) return;
      if (latest !== undefined && created < latest) isBroken = true;
      if (latest !== undefined && created > latest) steps++;
      latest = created;
    },
    isProven: () => !isBroken && steps >= ORDER_EVIDENCE,
  };
}

/** Tells of created times whether the next read, from a watermark, may see such a row again; without one it always may. */
function behindOf(since: Instant | undefined): (created: Instant | undefined) => boolean {
  const from = since === undefined ? undefined : since - MARGIN;
  return (created) => created === undefined || from === undefined || created >= from;
}
