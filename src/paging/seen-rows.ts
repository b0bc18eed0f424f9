import { ALARMS_STATE } from '../limits.ts';
import type { Fingerprint } from './identities.ts';
import type { Instant } from './instant.ts';
import { holds } from './open-ranges.ts';
import type { Bounds } from './open-ranges.ts';

const MOST_SEEN = ALARMS_STATE.mostSeen;
/** Entries that come in before those that cannot come again are let go: not for each page. */
const SWEEP_EVERY = 1000;

/** An emitted row that may come again: the row itself until its fingerprint is needed, since most never need one. */
export interface SeenEntry<R> {
  /** Undefined if it is not known. */
  readonly created: Instant | undefined;
  /** True if it stems from a state and has not come again. */
  readonly isLoaded: boolean;
  row: R | undefined;
  print: Fingerprint | undefined;
}

/** What had been emitted when it was taken: a value, which nothing that follows changes. */
export type SeenSnapshot<R> = readonly SeenEntry<R>[];

/** Which rows were emitted and may come again, each as often as it was; first those of a state, whose times are not known. */
export function createSeenRows<R>(loaded: readonly Fingerprint[], fingerprintOf: (row: R) => Fingerprint) {
  /** Replaced where they change, since snapshots hold them: the latest page, the ones before it, and what stayed of those. */
  let latest: SeenSnapshot<R> = [];
  let before: SeenSnapshot<R> = [];
  let entries: SeenSnapshot<R> = loaded.map((print) => {
    return { created: undefined, isLoaded: true, row: undefined, print };
  });
  let sweepAbove = entries.length + SWEEP_EVERY;
  let overflows = false;

  const sweep = (open: readonly Bounds[]): void => {
    entries = entries.filter(({ created }) => holds(open, created));
    if (entries.length > MOST_SEEN + SWEEP_EVERY) {
      overflows = true;
      entries = latestOf(entries);
    }
    sweepAbove = entries.length + SWEEP_EVERY;
  };
  return {
    /** What is to be left out by a worker that begins a range now, by fingerprint. */
    lookup: (range: Bounds): Map<Fingerprint, SeenEntry<R>[]> => {
      const found = new Map<Fingerprint, SeenEntry<R>[]>();
      for (const entry of [...entries, ...before, ...latest]) {
        if (!holds([range], entry.created)) continue;
        const print = printOf(entry, fingerprintOf);
        const same = found.get(print);
        if (same === undefined) found.set(print, [entry]);
        else same.push(entry);
      }
      return found;
    },
    /** Takes over the rows of a page, emitted now or come again: what stood for these is gone. */
    keep: (rows: SeenSnapshot<R>, again: ReadonlySet<SeenEntry<R>>): void => {
      const isThere = (entry: SeenEntry<R>): boolean => !again.has(entry);
      if (again.size > 0) entries = entries.filter(isThere);
      before = [...before, ...latest].filter(isThere);
      latest = rows;
    },
    /** Lets go of what came from a state and has not come again. */
    dropLoaded: (): void => {
      entries = entries.filter(({ isLoaded }) => !isLoaded);
    },
    /** What may come again in these open ranges: of a page that another one has followed, only what stays is looked at. */
    snapshot: (open: readonly Bounds[]): SeenSnapshot<R> => {
      const isOpen = ({ created }: SeenEntry<R>): boolean => holds(open, created);
      const stay = before.filter(isOpen);
      for (const entry of stay) printOf(entry, fingerprintOf);
      before = [];
      latest = latest.filter(isOpen);
      entries = [...entries, ...stay];
      const isFull = (): boolean => entries.length + latest.length > MOST_SEEN;
      if (entries.length > sweepAbove || (!overflows && isFull())) sweep(open);
      overflows ||= isFull();
      return [...entries, ...latest];
    },
    /** True once more rows might come again than a state holds: some will be repeated. */
    overflows: (): boolean => overflows,
  };
}

/** The fingerprints that a state with these open ranges needs, the latest ones if they are too many. */
export function printsIn<R>(
  seen: SeenSnapshot<R>,
  open: readonly Bounds[],
  fingerprintOf: (row: R) => Fingerprint,
): readonly Fingerprint[] {
  const kept = seen.filter(({ created }) => holds(open, created));
  return latestOf(kept).map((entry) => printOf(entry, fingerprintOf));
}

function printOf<R>(entry: SeenEntry<R>, fingerprintOf: (row: R) => Fingerprint): Fingerprint {
  entry.print ??= fingerprintOf(entry.row as R);
  entry.row = undefined;
  return entry.print;
}

/** As many entries as a state holds, in their order: its own that have not come again go first, then the oldest ones. */
function latestOf<R>(entries: SeenSnapshot<R>): SeenSnapshot<R> {
  if (entries.length <= MOST_SEEN) return entries;
  const kept = new Set(entries.toSorted(byUse).slice(-MOST_SEEN));
  return entries.filter((entry) => kept.has(entry));
}

function byUse(one: SeenEntry<unknown>, other: SeenEntry<unknown>): number {
  if (one.isLoaded !== other.isLoaded) return one.isLoaded ? -1 : 1;
  if (one.created === other.created) return 0;
  return one.created !== undefined && (other.created === undefined || one.created < other.created) ? -1 : 1;
}
