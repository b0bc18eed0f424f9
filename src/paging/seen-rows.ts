import { CURSOR_STATE } from '../limits.ts';
import type { Fingerprint, FingerprintOf } from './identities.ts';
import { MIN_INSTANT } from './instant.ts';
import type { Instant } from './instant.ts';
import { holds } from './open-ranges.ts';
import type { Bounds } from './open-ranges.ts';

const MOST_SEEN = CURSOR_STATE.mostSeen;
/** Entries that come in before those that cannot come again are let go, at least and as a share: not for each page. */
const LEAST_SWEPT = 100;
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
export function createSeenRows<R>(prints: readonly Fingerprint[], fingerprintOf: FingerprintOf<R>) {
  const loaded = new Set(
    prints.map((print): SeenEntry<R> => ({ created: undefined, row: undefined, print })),
  );
  /** Replaced where they change, since snapshots hold them: the latest page, and what stayed of those before it. */
  let latest: Entries<R> = [];
  let entries: Entries<R> = [...loaded];
  let sweepAbove = 0;
  let overflows = false;
  return {
    /** What is to be left out by a worker that begins a range now, by fingerprint. */
    lookup: (range: Bounds): Map<Fingerprint, SeenEntry<R>[]> => {
      const found = new Map<Fingerprint, SeenEntry<R>[]>();
      for (const entry of [...entries, ...latest].filter(({ created }) => holds([range], created))) {
        const print = printOf(entry, fingerprintOf);
        const same = found.get(print);
        if (same === undefined) found.set(print, [entry]);
        else same.push(entry);
      }
      return found;
    },
    /**
     * Takes over the rows of a page, emitted now or come again: what stood for these is gone. Gives what may come again in
     * these open ranges; of a page that another one has followed, only what stays is looked at.
     */
    keep: (rows: Entries<R>, again: ReadonlySet<SeenEntry<R>>, open: readonly Bounds[]): SeenSnapshot<R> => {
      const isThere = (entry: SeenEntry<R>): boolean => !again.has(entry);
      const isOpen = ({ created }: SeenEntry<R>): boolean => holds(open, created);
      if (again.size > 0) entries = entries.filter(isThere);
      const stay = latest.filter((entry) => isThere(entry) && isOpen(entry));
      for (const entry of stay) printOf(entry, fingerprintOf);
      entries = [...entries, ...stay];
      latest = rows.filter(isOpen);
      const isFull = (): boolean => entries.length + latest.length > MOST_SEEN;
      if (entries.length > sweepAbove || (!overflows && isFull())) {
        entries = entries.filter(isOpen);
        overflows ||= isFull();
        entries = latestOf(entries);
        sweepAbove = entries.length + Math.max(LEAST_SWEPT, entries.length * SWEPT_SHARE);
      }
      return [entries, latest];
    },
    /** Lets go of what came from a state and has not come again. */
    dropLoaded: (): void => {
      entries = entries.filter((entry) => !loaded.has(entry));
    },
    /** True once more rows might come again than a state holds: some will be repeated. */
    overflows: (): boolean => overflows,
  };
}

/** The fingerprints that a state with these open ranges needs, the latest ones if they are too many. */
export function printsIn<R>(seen: SeenSnapshot<R>, open: readonly Bounds[], fingerprintOf: FingerprintOf<R>) {
  const kept = seen.flat().filter(({ created }) => holds(open, created));
  return latestOf(kept).map((entry) => printOf(entry, fingerprintOf));
}

function printOf<R>(entry: SeenEntry<R>, fingerprintOf: FingerprintOf<R>): Fingerprint {
  entry.print ??= fingerprintOf(entry.row as R);
  entry.row = undefined;
  return entry.print;
}

/** As many entries as a state holds, in their order: those without a known time go first, then the oldest. */
function latestOf<R>(entries: Entries<R>): Entries<R> {
  if (entries.length <= MOST_SEEN) return entries;
  const byTime = entries.toSorted((a, b) => Number((a.created ?? MIN_INSTANT) - (b.created ?? MIN_INSTANT)));
  const kept = new Set(byTime.slice(-MOST_SEEN));
  return entries.filter((entry) => kept.has(entry));
}
