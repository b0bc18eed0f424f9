import { ALARMS_STATE } from '../limits.ts';
import type { Fingerprint } from './identities.ts';
import type { Instant } from './instant.ts';
import { holds } from './open-ranges.ts';
import type { Bounds } from './open-ranges.ts';

const MOST_SEEN = ALARMS_STATE.mostSeen;
/** Entries that come in before those that cannot come again are let go: not for each page. */
const SWEEP_EVERY = 1000;

/** An emitted row that may come again. */
export interface SeenEntry {
  readonly print: Fingerprint;
  /** Undefined if it is not known. */
  readonly created: Instant | undefined;
  /** True if it stems from a state and has not come again. */
  readonly isLoaded: boolean;
}

/** A row of a chain's latest page: fingerprinted only if the next page does not leave it behind. */
export interface LatestRow<R> {
  readonly row: R;
  readonly created: Instant | undefined;
  /** Null if it has not been needed. */
  readonly print: Fingerprint | null;
}

/** What had been emitted when it was taken: a value, which nothing that follows changes. */
export interface SeenSnapshot<R> {
  readonly entries: readonly SeenEntry[];
  readonly latest: readonly (readonly LatestRow<R>[])[];
}

export type SeenRows<R> = ReturnType<typeof createSeenRows<R>>;

/**
 * Which rows have been emitted and may come again, one set for all ranges; each as often as it was emitted. It starts with
 * the fingerprints of a state, whose times are not known.
 */
export function createSeenRows<R>(loaded: readonly Fingerprint[], fingerprintOf: (row: R) => Fingerprint) {
  /** Replaced where it changes, since snapshots hold it. */
  let entries: readonly SeenEntry[] = loaded.map((print) => ({ print, created: undefined, isLoaded: true }));
  let sweepAbove = entries.length + SWEEP_EVERY;
  let overflows = false;

  const sweep = (open: readonly Bounds[]): void => {
    entries = entries.filter(({ created }) => holds(open, created));
    if (entries.length > MOST_SEEN + SWEEP_EVERY) {
      overflows = true;
      entries = latestOf(entries, MOST_SEEN);
    }
    sweepAbove = entries.length + SWEEP_EVERY;
  };
  return {
    /** What is to be left out by a worker that begins a range now, by fingerprint. */
    lookup: (range: Bounds): Map<Fingerprint, SeenEntry[]> => {
      const found = new Map<Fingerprint, SeenEntry[]>();
      for (const entry of entries) {
        if (!holds([range], entry.created)) continue;
        const same = found.get(entry.print);
        if (same === undefined) found.set(entry.print, [entry]);
        else same.push(entry);
      }
      return found;
    },
    /** Rows have come again: what stood for them is gone, for those who look now. */
    cameAgain: (again: ReadonlySet<SeenEntry>): void => {
      if (again.size > 0) entries = entries.filter((entry) => !again.has(entry));
    },
    /** Takes over rows that stay in open ranges; those outside are let go. */
    keep: (rows: readonly LatestRow<R>[], open: readonly Bounds[]): void => {
      entries = [...entries, ...entriesOf(rows, open, fingerprintOf)];
      if (entries.length > sweepAbove) sweep(open);
    },
    /** Lets go of what came from a state and has not come again. */
    dropLoaded: (): void => {
      entries = entries.filter(({ isLoaded }) => !isLoaded);
    },
    snapshot: (latest: SeenSnapshot<R>['latest'], open: readonly Bounds[]): SeenSnapshot<R> => {
      const count = (): number => latest.reduce((sum, rows) => sum + rows.length, entries.length);
      if (!overflows && count() > MOST_SEEN) {
        sweep(open);
        overflows ||= count() > MOST_SEEN;
      }
      return { entries, latest };
    },
    /** True once more rows might come again than a state holds: some will be repeated. */
    overflows: (): boolean => overflows,
  };
}

/** The fingerprints that a state with these open ranges needs, the latest ones if they are too many. */
export function printsIn<R>(
  { entries, latest }: SeenSnapshot<R>,
  open: readonly Bounds[],
  fingerprintOf: (row: R) => Fingerprint,
): readonly Fingerprint[] {
  const kept = entries.filter(({ created }) => holds(open, created));
  const added = entriesOf(latest.flat(), open, fingerprintOf);
  return latestOf([...kept, ...added], MOST_SEEN).map(({ print }) => print);
}

function entriesOf<R>(
  rows: readonly LatestRow<R>[],
  open: readonly Bounds[],
  fingerprintOf: (row: R) => Fingerprint,
): readonly SeenEntry[] {
  return rows
    .filter(({ created }) => holds(open, created))
    .map(({ row, created, print }) => ({ print: print ?? fingerprintOf(row), created, isLoaded: false }));
}

/** So many entries, in their order: those of a state that have not come again go first, then the oldest ones. */
function latestOf(entries: readonly SeenEntry[], most: number): readonly SeenEntry[] {
  if (entries.length <= most) return entries;
  const kept = new Set(entries.toSorted(byUse).slice(-most));
  return entries.filter((entry) => kept.has(entry));
}

function byUse(one: SeenEntry, other: SeenEntry): number {
  if (one.isLoaded !== other.isLoaded) return one.isLoaded ? -1 : 1;
  if (one.created === other.created) return 0;
  return one.created !== undefined && (other.created === undefined || one.created < other.created) ? -1 : 1;
}
