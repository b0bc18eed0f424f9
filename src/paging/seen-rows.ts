import { CURSOR_STATE } from '../limits.ts';
import type { Fingerprint, FingerprintOf } from './identities.ts';
import { MAX_INSTANT, MIN_INSTANT, later } from './instant.ts';
import type { Instant } from './instant.ts';
import { holds } from './open-ranges.ts';
import type { Bounds } from './open-ranges.ts';

const MAX_SEEN = CURSOR_STATE.maxSeen;
/** Entries that come in before those that cannot come again are let go, at least and as a share: not for each page. */
const MIN_SWEPT = 100;
const SWEPT_SHARE = 1 / 8;

/** An emitted row that may come again: the row itself until its fingerprint is needed, since most never need one. */
export interface SeenEntry<R> {
  /** Undefined if it is not known, as of those that stem from a state. */
  readonly created: Instant | undefined;
  row: R | undefined;
  print: Fingerprint | undefined;
}

type Entries<R> = readonly SeenEntry<R>[];
/** What had been emitted when it was taken, in parts: a value, which nothing that follows changes. */
export type SeenSnapshot<R> = readonly Entries<R>[];

/** Which rows were emitted and may come again, each as often as it was; first those of a state, whose times are not known. */
export function createSeenRows<R>(saved: readonly Fingerprint[], fingerprintOf: FingerprintOf<R>) {
  const loaded = new Set(saved.map((print): SeenEntry<R> => ({ created: undefined, row: undefined, print })));
  /** Replaced where they change, since snapshots hold them: the latest page, and what stayed of those before it. */
  let latest: Entries<R> = [];
  let entries: Entries<R> = [...loaded];
  let sweepAbove = 0;
  let forgotten = MIN_INSTANT; // the latest created time of rows that were let go for want of room
  const prints = createPrintIndex(fingerprintOf);
  return {
    /** The rows in a range, by fingerprint, which a worker that starts to read it must skip. */
    lookup: (range: Bounds): Map<Fingerprint, SeenEntry<R>[]> =>
      byPrint(within([...entries, ...latest], [range]), fingerprintOf),
    /** True if a row with this fingerprint is known, of a page before the one that is being taken. */
    has: (print: Fingerprint | undefined): boolean =>
      print !== undefined && prints.has(print, entries, latest),
    /** Replaces the rows received `again` by the rows of a page. Returns the rows that may be received again in open ranges. */
    keep: (rows: Entries<R>, again: ReadonlySet<SeenEntry<R>>, open: readonly Bounds[]): SeenSnapshot<R> => {
      const isKept = (entry: SeenEntry<R>): boolean => !again.has(entry);
      if (again.size > 0) entries = entries.filter(isKept);
      const stay = within(latest.filter(isKept), open);
      prints.turnPage(stay);
      entries = [...entries, ...stay];
      latest = within(rows, open);
      if (entries.length > sweepAbove) {
        const stillOpen = within(entries, open);
        entries = latestOf(stillOpen);
        forgotten = later(forgotten, latestBut(stillOpen, entries));
        prints.reset();
        sweepAbove = entries.length + Math.max(MIN_SWEPT, entries.length * SWEPT_SHARE);
      }
      return [entries, latest];
    },
    /** Lets go of what came from a state and has not come again. */
    dropLoaded: (): void => {
      entries = entries.filter((entry) => !loaded.has(entry));
    },
    /** True once rows were let go for want of room: if they are received again, they are repeated. */
    overflows: (): boolean => forgotten > MIN_INSTANT,
    /** True if a state with these open ranges lacks rows that may be received again. */
    forgets: (open: readonly Bounds[]): boolean => {
      const kept = within([...entries, ...latest], open);
      return kept.length > MAX_SEEN || (forgotten > MIN_INSTANT && holds(open, forgotten));
    },
  };
}

/** The fingerprints that a state with these open ranges needs, the latest ones if they are too many. */
export function printsIn<R>(seen: SeenSnapshot<R>, open: readonly Bounds[], fingerprintOf: FingerprintOf<R>) {
  return latestOf(within(seen.flat(), open)).map((entry) => printOf(entry, fingerprintOf));
}

/** The fingerprints of entries and of the latest page, which are computed when needed. */
function createPrintIndex<R>(fingerprintOf: FingerprintOf<R>) {
  const printsOf = (some: Entries<R>): Set<Fingerprint> =>
    new Set(some.map((entry) => printOf(entry, fingerprintOf)));
  let prints: Set<Fingerprint> | null = null;
  let latestPrints: Set<Fingerprint> | null = null;
  return {
    has: (print: Fingerprint, entries: Entries<R>, latest: Entries<R>): boolean => {
      prints ??= printsOf(entries);
      latestPrints ??= printsOf(latest);
      return prints.has(print) || latestPrints.has(print);
    },
    /** Moves these entries of the latest page to the others; another page follows. */
    turnPage: (stay: Entries<R>): void => {
      for (const entry of stay) {
        const print = printOf(entry, fingerprintOf);
        prints?.add(print);
      }
      latestPrints = null;
    },
    reset: (): void => {
      prints = null;
    },
  };
}

const within = <R>(entries: Entries<R>, open: readonly Bounds[]): Entries<R> =>
  entries.filter(({ created }) => holds(open, created));

function byPrint<R>(entries: Entries<R>, fingerprintOf: FingerprintOf<R>): Map<Fingerprint, SeenEntry<R>[]> {
  const found = new Map<Fingerprint, SeenEntry<R>[]>();
  for (const entry of entries) {
    const print = printOf(entry, fingerprintOf);
    const same = found.get(print);
    if (same === undefined) found.set(print, [entry]);
    else same.push(entry);
  }
  return found;
}

function printOf<R>(entry: SeenEntry<R>, fingerprintOf: FingerprintOf<R>): Fingerprint {
  entry.print ??= fingerprintOf(entry.row as R);
  entry.row = undefined;
  return entry.print;
}

/** The latest created time among the entries that were not kept, `MAX_INSTANT` for one without; `MIN_INSTANT` if all were. */
function latestBut<R>(entries: Entries<R>, kept: Entries<R>): Instant {
  if (entries.length === kept.length) return MIN_INSTANT;
  const stayed = new Set(kept);
  const gone = entries.filter((entry) => !stayed.has(entry));
  return gone.reduce((latest, { created }) => later(latest, created ?? MAX_INSTANT), MIN_INSTANT);
}

/** As many entries as a state holds, in their order: those without a known time go first, then the oldest. */
function latestOf<R>(entries: Entries<R>): Entries<R> {
  if (entries.length <= MAX_SEEN) return entries;
  const byTime = entries.toSorted((a, b) => Number((a.created ?? MIN_INSTANT) - (b.created ?? MIN_INSTANT)));
  const kept = new Set(byTime.slice(-MAX_SEEN));
  return entries.filter((entry) => kept.has(entry));
}
