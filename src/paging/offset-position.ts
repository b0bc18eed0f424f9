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
  const emitted = createIdentitySet([...anchors, ...inserted]); // and rows that the interrupted read is known to have emitted
  const forgotten = (from?.rows ?? 0) - emitted.size();
  /** Rows before the anchors: the interrupted read emitted them, or they were inserted since; only the head pass can tell which. */
  const skipped = new Set<Identity>();
  const known = { inserted, passed: createIdentitySet(), lastAnchor: anchors.at(-1) ?? null };
  let mayResume = true; // until a key is repeated
  let recounted: IdentitySet | null = null; // rows seen since `recount`
  const rows = (): number => recounted?.size() ?? forgotten + emitted.size() - skipped.size;
  return {
    isResumed: from !== null,
    emitted,
    rows, // distinct rows emitted so far, including those of the interrupted read
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
      const { isDetached, before, skippedTo, after, passedFrom, offset } = splitAtFrontier(page, known);
      const isNew = page.fresh.map((isFresh, index) => isFresh && index >= skippedTo);
      mayResume &&= !hasRepeatedKey(page, anchors, inserted);
      for (const { identity, index } of before) (index < skippedTo ? skipped : inserted).add(identity);
      if (inserted.size > 0) for (const identity of after) inserted.delete(identity);
      for (const identity of page.identities.slice(passedFrom)) known.passed.add(identity);
      if (after.length > 0) head = extendedHead(head, after, rows());
      anchors = [...anchors, ...after.slice(-KEPT)].slice(-KEPT);
      const isPlace = after.length > 0 && mayResume;
      const settled = { offset, rows: rows(), anchors, head, inserted: [...inserted].slice(-KEPT_INSERTED) };
      return { isNew, isDetached, position: isPlace ? () => writtenPosition(settled, print) : null };
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
  readonly lastAnchor: Identity | null; // where the interrupted read stopped; null in a read from the start
}

/**
 * Splits a page at the frontier. `before` contains its fresh rows only: the others are covered. Of these, the interrupted read may have
 * emitted those with an index below `skippedTo`. The page ends at `offset`.
 */
function splitAtFrontier(page: TiedPage<unknown>, { inserted, passed, lastAnchor }: KnownRows) {
  const { identities, fresh } = page;
  const isFresh = (index: number): boolean => fresh[index] === true;
  const frontier = identities.findLastIndex((row, index) => !isFresh(index) && !inserted.has(row));
  const isResumed = lastAnchor !== null;
  const isDetached = (isResumed || passed.size() > 0) && frontier === -1;
  const border = isDetached ? identities.length : frontier + 1;
  const before = identities
    .slice(0, border)
    .flatMap((identity, index) => (isFresh(index) ? [{ identity, index }] : []));
  // rows before the frontier may follow the place: their keys, or those of later rows, may be repeated
  const passedAt = identities.findIndex(
    (row, index) => passed.has(row) || (index > 0 && identities[index - 1] === lastAnchor),
  );
  const passedFrom = passedAt === -1 ? border : Math.min(passedAt, border);
  const skippedTo = isResumed && !isDetached ? passedFrom : 0;
  // what is before the frontier may never have been emitted, so only rows after it become anchors
  const after = identities.slice(border);
  return { isDetached, before, skippedTo, after, passedFrom, offset: page.offset + identities.length };
}

/**
 * True if a row after a new one repeats an earlier key: it is neither one of the last covered rows, in their order, nor inserted.
 * A place in such a list could not be told from others.
 */
function hasRepeatedKey(
  { identities, fresh }: TiedPage<unknown>,
  anchors: readonly Identity[],
  inserted: ReadonlySet<Identity>,
): boolean {
  const firstFresh = fresh.indexOf(true);
  if (firstFresh === -1) return false;
  let rank = anchors.lastIndexOf(identities[firstFresh - 1] ?? -1);
  return identities.some((row, index) => {
    if (index < firstFresh || fresh[index] === true || inserted.has(row)) return false;
    const before = rank;
    rank = anchors.lastIndexOf(row);
    return rank <= before;
  });
}

/** Adds those rows after the frontier that belong to the head; `rows` is the number emitted, including them. */
function extendedHead(head: readonly Identity[], after: readonly Identity[], rows: number) {
  const first = head.length < KEPT ? [...head, ...after].slice(0, KEPT) : head;
  // two numbers differ in the length of their binary forms if a power of two is between them
  const isMilestone = Math.clz32(rows) < Math.clz32(Math.max(KEPT, rows - after.length));
  return isMilestone ? [...first, ...after.slice(-1)] : first;
}
