import type { Fingerprint } from './identities.ts';
import type { Instant } from './instant.ts';
import { ALARMS_STATE } from '../limits.ts';
import { holds } from './open-ranges.ts';
import type { Bounds } from './open-ranges.ts';

const MOST_SEEN = ALARMS_STATE.mostSeen;
/** Entries above which those that cannot come again are let go, at least: not for each page. */
const SWEEP_ABOVE = 1000;

/** An emitted row that may come again. */
export interface SeenEntry {
  readonly print: Fingerprint;
  /** Undefined if it is not known. */
  readonly created: Instant | undefined;
  /** True if it stems from a state and has not come again. */
  readonly isLoaded: boolean;
  /** The snapshots from this one on are without it. */
  goneFrom: number;
}

/** A row of a chain's latest page: fingerprinted only if the next page does not leave it behind. */
export interface LatestRow<R> {
  readonly row: R;
  readonly created: Instant | undefined;
  /** Null if it has not been needed. */
  readonly print: Fingerprint | null;
}

/** What had been emitted when it was taken: it never changes, whatever is read after it. */
export interface SeenSnapshot<R> {
  readonly entries: readonly SeenEntry[];
  readonly length: number;
  readonly number: number;
  readonly latest: readonly (readonly LatestRow<R>[])[];
}

/** Which rows have been emitted and may come again, one set for all ranges; each as often as it was emitted. */
export interface SeenRows<R> {
  /** What is to be left out by a worker that begins a range now, by fingerprint. */
  readonly lookup: (range: Bounds) => Map<Fingerprint, SeenEntry[]>;
  /** A row has come again: what stood for it is gone, for those who look now. */
  readonly cameAgain: (entry: SeenEntry) => void;
  /** Takes over rows that stay in open ranges; those outside are let go. */
  readonly keep: (rows: readonly LatestRow<R>[], open: readonly Bounds[]) => void;
  /** Lets go of what came from a state and has not come again. */
  readonly dropLoaded: () => void;
  readonly snapshot: (
    latest: readonly (readonly LatestRow<R>[])[],
    open: readonly Bounds[],
  ) => SeenSnapshot<R>;
  /** True once more rows might come again than a state holds: some will be repeated. */
  readonly overflows: () => boolean;
}

/** Starts with the fingerprints of a state, whose times are not known. */
export function createSeenRows<R>(
  loaded: readonly Fingerprint[],
  fingerprintOf: (row: R) => Fingerprint,
): SeenRows<R> {
  let entries: SeenEntry[] = loaded.map((print) => entryOf(print, undefined, true));
  let live = entries.length;
  let sweepAbove = 2 * live + SWEEP_ABOVE;
  let snapshots = 0;
  let overflows = false;

  const drop = (entry: SeenEntry): void => {
    if (!isLive(entry)) return;
    entry.goneFrom = snapshots;
    live--;
  };
  const sweep = (open: readonly Bounds[]): void => {
    // what a snapshot refers to stays as it is
    for (const entry of entries) if (isLive(entry) && !holds(open, entry.created)) drop(entry);
    entries = entries.filter(isLive);
    if (entries.length > MOST_SEEN + SWEEP_ABOVE) {
      overflows = true;
      const kept = new Set(latestOf(entries, MOST_SEEN));
      for (const entry of entries) if (!kept.has(entry)) drop(entry);
      entries = entries.filter(isLive);
    }
    sweepAbove = Math.max(2 * live, SWEEP_ABOVE);
    if (live > MOST_SEEN / 2) sweepAbove = Math.max(live, MOST_SEEN) + SWEEP_ABOVE;
  };
  return {
    lookup: (range) => {
      const found = new Map<Fingerprint, SeenEntry[]>();
      for (const entry of entries) {
        if (!isLive(entry) || !holds([range], entry.created)) continue;
        const same = found.get(entry.print);
        if (same === undefined) found.set(entry.print, [entry]);
        else same.push(entry);
      }
      return found;
    },
    cameAgain: drop,
    keep: (rows, open) => {
      for (const { row, created, print } of rows) {
        if (!holds(open, created)) continue;
        entries.push(entryOf(print ?? fingerprintOf(row), created, false));
        live++;
      }
      if (entries.length > sweepAbove) sweep(open);
    },
    dropLoaded: () => {
      for (const entry of entries) if (entry.isLoaded) drop(entry);
    },
    snapshot: (latest, open) => {
      const count = (): number => latest.reduce((sum, rows) => sum + rows.length, live);
      if (!overflows && count() > MOST_SEEN) {
        sweep(open);
        overflows = count() > MOST_SEEN;
      }
      return { entries, length: entries.length, number: snapshots++, latest };
    },
    overflows: () => overflows,
  };
}

/** The fingerprints that a state with these open ranges needs, the latest ones if they are too many. */
export function printsIn<R>(
  { entries, length, number, latest }: SeenSnapshot<R>,
  open: readonly Bounds[],
  fingerprintOf: (row: R) => Fingerprint,
): readonly Fingerprint[] {
  const kept = entries
    .slice(0, length)
    .filter(({ goneFrom, created }) => goneFrom > number && holds(open, created));
  const added = latest
    .flat()
    .filter(({ created }) => holds(open, created))
    .map(({ row, created, print }) => entryOf(print ?? fingerprintOf(row), created, false));
  return latestOf([...kept, ...added], MOST_SEEN).map(({ print }) => print);
}

function entryOf(print: Fingerprint, created: Instant | undefined, isLoaded: boolean): SeenEntry {
  return { print, created, isLoaded, goneFrom: Number.POSITIVE_INFINITY };
}

function isLive({ goneFrom }: SeenEntry): boolean {
  return goneFrom === Number.POSITIVE_INFINITY;
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
