import {
  createIdentitySet,
  type Fingerprint,
  type Identities,
  type Identity,
  type IdentitySet,
} from './identities.ts';
import type { ScannedList } from './offset-pages.ts';
import type { TiedPage } from './offset-scan.ts';

/** Where an unfinished read of an offset list stopped. */
export type OffsetPosition = Position<Fingerprint>;

type Position<Row> = {
  readonly offset: number; // offset after the last covered row when it was read
  readonly rows: number; // emitted so far
  /** The last covered rows, in list order, which mark the place after the list has changed. */
  readonly anchors: readonly Row[];
  /** The first rows when the read began: all rows before them are newer. Then a row at each power of two, in case those are deleted. */
  readonly head: readonly Row[];
  readonly inserted: readonly Row[]; // the latest rows emitted before the frontier: inserted since the read began
};

/** Pages searched on each side of the place where the anchors were. */
const REACH = 8;

/** Searches for a page with one of the anchors near `end`, the offset at which they ended. Returns null if there is none. */
export async function locate<R>(end: number, anchors: readonly Identity[], list: ScannedList<R>) {
  const wanted = new Set(anchors);
  const around = Math.max(0, end - anchors.length);
  let span = anchors.length;
  for (let turn = 0; turn <= 2 * REACH; turn++) {
    // 0, 1 after, 1 before, 2 after, 2 before, …
    const offset = around + Math.ceil(turn / 2) * (turn % 2 === 0 ? -span : span);
    if (offset < 0) continue;
    const page = await list.fetchPage(offset, list.signal);
    if (page.rows.some((row) => wanted.has(list.identify(row)))) return { ...page, offset, request: 0 };
    // pages overlap by one row, so that no anchor falls between two
    span = Math.max(span, page.rows.length - 1);
  }
  return null;
}

/** Rows that mark each place: it is lost only if all of them are deleted. */
export const KEPT = 32;
/** Inserted rows that a state remembers; if there are more, some may be repeated after a resume. */
export const KEPT_INSERTED = 2048;

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Keeps track of emitted rows, and of the frontier of a scan: the last row up to which all rows are covered. New rows after a
 * covered one advance the frontier, and new rows before it were inserted during the read. The rows of a page without a covered row
 * may be either, so they are remembered individually and do not move the frontier.
 */
export function createLedger(from: OffsetPosition | null, { of, print }: Identities) {
  let anchors = from?.anchors.map(of) ?? [];
  let head: readonly Identity[] = from?.head.map(of) ?? [];
  const inserted = new Set(from?.inserted.map(of));
  const emitted = createIdentitySet(); // and rows that the interrupted read is known to have emitted
  for (const identity of [...anchors, ...inserted]) emitted.add(identity);
  const forgotten = (from?.rows ?? 0) - emitted.size();
  /** Rows before the anchors: the interrupted read emitted them, or they were inserted since; only the head pass can tell which. */
  const skipped = new Set<Identity>();
  const known = { inserted, passed: createIdentitySet(), isResumed: from !== null };
  let recounted: IdentitySet | null = null; // rows seen since `recount`
  const rows = (): number => recounted?.size() ?? forgotten + emitted.size() - skipped.size;
  return {
    isResumed: from !== null,
    emitted,
    /** Returns the number of distinct rows emitted so far, including those of the interrupted read. */
    rows,
    head: (): readonly Identity[] => head,
    /** True for a row that was covered, not inserted since. */
    wasThere: (identity: Identity): boolean =>
      emitted.has(identity) && !inserted.has(identity) && !skipped.has(identity),
    /** Marks a row as emitted; returns true if it must be emitted. */
    take: (identity: Identity): boolean => {
      recounted?.add(identity);
      return emitted.add(identity) || skipped.delete(identity);
    },
    /** Restarts the count: rows of the interrupted read count only if they are taken again. */
    recount: (): void => {
      recounted = createIdentitySet();
    },
    /** Takes a page of the scan. Returns which rows are new, whether none was covered, and the position if the frontier moves. */
    takeScanned: (page: TiedPage<unknown>) => {
      const { isDetached, before, skippedTo, after, offset } = splitAtFrontier(page, known);
      const isNew = page.fresh.map((isFresh, index) => isFresh && index >= skippedTo);
      for (const { identity, index } of before) (index < skippedTo ? skipped : inserted).add(identity);
      for (const identity of after) inserted.delete(identity);
      for (const identity of after) known.passed.add(identity);
      if (after.length === 0) return { isNew, isDetached, position: null };
      head = extendedHead(head, after, rows());
      anchors = [...anchors, ...after].slice(-KEPT);
      const settled = { offset, rows: rows(), anchors, head, inserted: [...inserted].slice(-KEPT_INSERTED) };
      return { isNew, isDetached, position: () => writtenPosition(settled, print) };
    },
  };
}

/** Converts a position to fingerprints, which outlive the process. */
function writtenPosition(position: Position<Identity>, print: Identities['print']): OffsetPosition {
  const { anchors, head, inserted } = position;
  return {
    ...position,
    anchors: anchors.map(print),
    head: head.map(print),
    inserted: inserted.map(print),
  };
}

interface KnownRows {
  readonly inserted: ReadonlySet<Identity>;
  readonly passed: IdentitySet; // rows after the anchors of the interrupted read
  readonly isResumed: boolean;
}

/**
 * Splits a page at the frontier. `before` contains its fresh rows only: the others are covered. Of these, the interrupted read may have
 * emitted those with an index below `skippedTo`. The page ends at `offset`.
 */
function splitAtFrontier(page: TiedPage<unknown>, { inserted, passed, isResumed }: KnownRows) {
  const { identities, fresh } = page;
  const isFresh = (index: number): boolean => fresh[index] === true;
  // only the first of several rows with the same key is fresh
  const firstFresh = fresh.indexOf(true);
  const mayRepeat = firstFresh !== -1 && fresh.includes(false, firstFresh);
  const freshHere = new Set(mayRepeat ? identities.filter((_, index) => isFresh(index)) : []);
  const frontier = identities.findLastIndex(
    (row, index) => !isFresh(index) && !freshHere.has(row) && !inserted.has(row),
  );
  const hasAnchors = isResumed || passed.size() > 0;
  const isDetached = hasAnchors && frontier === -1;
  const border = isDetached ? identities.length : frontier + 1;
  const upToBorder = identities.slice(0, border).map((identity, index) => ({ identity, index }));
  const before = upToBorder.filter(({ index }) => isFresh(index));
  // a covered row may be far from its anchor if several rows have its key
  const passedAt = upToBorder.findIndex(({ identity }) => passed.has(identity));
  const unknownTo = passedAt === -1 ? border : passedAt;
  const skippedTo = isResumed && !isDetached ? unknownTo : 0;
  // what is before the frontier may never have been emitted, so only rows after it become anchors
  const after = identities.slice(border);
  return { isDetached, before, skippedTo, after, offset: page.offset + identities.length };
}

/** Adds those rows after the frontier that belong to the head; `rows` is the number emitted, including them. */
function extendedHead(head: readonly Identity[], after: readonly Identity[], rows: number) {
  const first = head.length < KEPT ? [...head, ...after].slice(0, KEPT) : head;
  const isMilestone = crossesPowerOfTwo(Math.max(KEPT, rows - after.length), rows);
  return isMilestone ? [...first, ...after.slice(-1)] : first;
}

/** True if a power of two is above `before` and not above `after`: their binary forms differ in length. */
function crossesPowerOfTwo(before: number, after: number): boolean {
  return Math.clz32(after) < Math.clz32(before);
}
