import { CURSOR_STATE } from '../limits.ts';
import { mapInSlices, type Sliced } from '../rows/slices.ts';
import type { Fingerprint, FingerprintOf } from './identities.ts';
import { MAX_INSTANT, MIN_INSTANT, later, type Instant } from './instant.ts';
import { holds, type Bounds } from './open-ranges.ts';

const MAX_SEEN = CURSOR_STATE.maxSeen;
/** New entries, as a number and as a share, after which unneeded entries are swept: not after every page. */
const MIN_ADDED = 100;
const ADDED_SHARE = 1 / 8;

/** An emitted row that may be received again. Its fingerprint is computed when it is needed, or when its page is released. */
export interface SeenEntry<R> {
  /** Undefined if unknown, as for entries from a state. */
  readonly created: Instant | undefined;
  row: R | undefined;
  print: Fingerprint | undefined;
}

type Entries<R> = readonly SeenEntry<R>[];
/** The entries at one moment, in parts; immutable. */
export type SeenSnapshot<R> = readonly Entries<R>[];

/** Tracks emitted rows that may be received again, one entry per emission; initially those of a state, without times. */
export function createSeenRows<R>(saved: readonly Fingerprint[], fingerprintOf: FingerprintOf<R>) {
  const loaded = new Set(saved.map((print): SeenEntry<R> => ({ created: undefined, row: undefined, print })));
  /** The entries of the latest page and of earlier ones; never modified, because snapshots share them. */
  let latest: Entries<R> = [];
  let entries: Entries<R> = [...loaded];
  let sweepAbove = 0;
  let forgotten = MIN_INSTANT; // latest created time of the entries that were dropped because there were too many
  const prints = createPrintIndex(fingerprintOf);
  return {
    /** Returns the entries in a range by fingerprint: a worker that starts to read the range skips these rows. */
    lookup: (range: Bounds): Sliced<Map<Fingerprint, SeenEntry<R>[]>> =>
      byPrint(within([...entries, ...latest], [range]), fingerprintOf),
    /** Returns a test for the fingerprints of rows on earlier pages. */
    index: () => prints.of(entries, latest),
    /** Adds the rows of a page, and removes the entries of rows that were received `again`. Returns those in open ranges. */
    keep: (rows: Entries<R>, again: ReadonlySet<SeenEntry<R>>, open: readonly Bounds[]): SeenSnapshot<R> => {
      const isKept = (entry: SeenEntry<R>): boolean => !again.has(entry);
      if (again.size > 0) entries = entries.filter(isKept);
      const stay = within(latest.filter(isKept), open);
      entries = [...entries, ...stay];
      latest = within(rows, open);
      const isSwept = entries.length > sweepAbove;
      if (isSwept) {
        const stillOpen = within(entries, open);
        entries = latestOf(stillOpen);
        forgotten = later(forgotten, latestBut(stillOpen, entries));
        prints.reset();
        sweepAbove = entries.length + Math.max(MIN_ADDED, entries.length * ADDED_SHARE);
      }
      prints.add(isSwept ? entries : stay);
      return [entries, latest];
    },
    /** Removes entries of a state whose rows were not received again. */
    dropLoaded: (): void => {
      entries = entries.filter((entry) => !loaded.has(entry));
    },
    /** True once entries were dropped because there were too many: if their rows are received again, they are repeated. */
    overflows: (): boolean => forgotten > MIN_INSTANT,
    /** True if a state with these open ranges cannot contain all rows that may be received again. */
    forgets: (open: readonly Bounds[]): boolean => {
      const kept = within([...entries, ...latest], open);
      return kept.length > MAX_SEEN || (forgotten > MIN_INSTANT && holds(open, forgotten));
    },
  };
}

/** Returns the fingerprints for a state with these open ranges: the latest ones, if there are too many. */
export function printsIn<R>(seen: SeenSnapshot<R>, open: readonly Bounds[], fingerprintOf: FingerprintOf<R>) {
  return latestOf(within(seen.flat(), open)).map((entry) => printOf(entry, fingerprintOf));
}

/** An index of the fingerprints of earlier entries, which is made once it is needed. */
function createPrintIndex<R>(fingerprintOf: FingerprintOf<R>) {
  let earlier: Set<Fingerprint> | null = null;
  const print = (entry: SeenEntry<R>): Fingerprint => printOf(entry, fingerprintOf);
  return {
    of: function* (entries: Entries<R>, latest: Entries<R>): Sliced<(print: Fingerprint) => boolean> {
      const before = earlier ?? new Set(yield* mapInSlices(entries, print));
      const last = new Set(yield* mapInSlices(latest, print));
      earlier = before;
      return (one) => before.has(one) || last.has(one);
    },
    /** Adds entries. Their fingerprints are kept instead of the rows anyway, to save memory. */
    add: (entries: Entries<R>): void => {
      for (const one of entries.map(print)) earlier?.add(one);
    },
    reset: (): void => {
      earlier = null;
    },
  };
}

const within = <R>(entries: Entries<R>, open: readonly Bounds[]): Entries<R> =>
  entries.filter(({ created }) => holds(open, created));

function* byPrint<R>(
  entries: Entries<R>,
  fingerprintOf: FingerprintOf<R>,
): Sliced<Map<Fingerprint, SeenEntry<R>[]>> {
  const found = new Map<Fingerprint, SeenEntry<R>[]>();
  yield* mapInSlices(entries, (entry) => {
    const print = printOf(entry, fingerprintOf);
    const same = found.get(print);
    if (same === undefined) found.set(print, [entry]);
    else same.push(entry);
  });
  return found;
}

function printOf<R>(entry: SeenEntry<R>, fingerprintOf: FingerprintOf<R>): Fingerprint {
  entry.print ??= fingerprintOf(entry.row as R);
  entry.row = undefined;
  return entry.print;
}

/** Returns the latest created time of the entries that were not kept (`MAX_INSTANT` if unknown); `MIN_INSTANT` if all were kept. */
function latestBut<R>(entries: Entries<R>, kept: Entries<R>): Instant {
  if (entries.length === kept.length) return MIN_INSTANT;
  const stayed = new Set(kept);
  const gone = entries.filter((entry) => !stayed.has(entry));
  return gone.reduce((latest, { created }) => later(latest, created ?? MAX_INSTANT), MIN_INSTANT);
}

/** Returns as many entries as a state can contain, in their order; those without a time are dropped first, then the oldest. */
function latestOf<R>(entries: Entries<R>): Entries<R> {
  if (entries.length <= MAX_SEEN) return entries;
  const byTime = entries.toSorted((a, b) => Number((a.created ?? MIN_INSTANT) - (b.created ?? MIN_INSTANT)));
  const kept = new Set(byTime.slice(-MAX_SEEN));
  return entries.filter((entry) => kept.has(entry));
}
