import { createIdentitySet } from './identities.ts';
import type { Identity } from './identities.ts';
import type { Position } from './offset-position.ts';
import type { TiedPage } from './offset-scan.ts';

/** Rows kept at each place: the place is lost only if all of them are deleted. */
export const KEPT = 32;
/** Inserted rows that a state remembers; of more than these some may be repeated after a resume. */
export const KEPT_INSERTED = 2048;

const START: Position<Identity> = { offset: 0, anchors: [], head: [], inserted: [], rows: 0 };

/** Which rows of a list have been emitted, and up to where it is covered. */
export type Ledger = ReturnType<typeof createLedger>;

/**
 * Follows the frontier of a scan: the last row up to which all is covered. Rows come in at the head, so fresh rows behind
 * a covered one move the frontier on; fresh rows ahead of one were inserted since. A page without a covered row shows neither
 * (its rows were inserted, or every covered one is deleted): its rows are remembered one by one, and the place stays.
 */
export function createLedger(from: Position<Identity> | null) {
  const { rows: rowsBefore, ...start } = from ?? START;
  let { offset, anchors, head } = start;
  const inserted = new Set(start.inserted);
  /** Rows emitted, or emitted by the read before this one. */
  const emitted = createIdentitySet();
  for (const known of [...anchors, ...inserted]) emitted.add(known);
  const knownBefore = emitted.size();
  /** Rows ahead of the anchors: emitted before, or inserted since, which only the head pass can tell. */
  const skipped = new Set<Identity>();
  const rows = (): number => rowsBefore + emitted.size() - knownBefore - skipped.size;
  /** A value, which nothing that follows changes. */
  const position = (): Position<Identity> => {
    return { offset, anchors, head, inserted: [...inserted].slice(-KEPT_INSERTED), rows: rows() };
  };
  return {
    isResumed: from !== null,
    emitted,
    /** Different rows emitted so far, those of the interrupted read included. */
    rows,
    position,
    /** True for a row that was covered, not inserted since. */
    wasThere: (identity: Identity): boolean =>
      emitted.has(identity) && !inserted.has(identity) && !skipped.has(identity),
    /** Marks a row as emitted; true if it has to be. */
    take: (identity: Identity): boolean => emitted.add(identity) || skipped.delete(identity),
    /** Which rows of a page of the scan are new, whether it has no covered one, and the position if the frontier moves. */
    scanned: ({ offset: at, identities, fresh }: TiedPage<unknown>) => {
      const frontier = identities.findLastIndex((one, index) => fresh[index] === false && !inserted.has(one));
      const isAstray = anchors.length > 0 && frontier === -1;
      const isNew = fresh.map((isFresh, index) => isFresh && (from === null || index > frontier));
      for (const [index, identity] of identities.entries())
        if (fresh[index] === true && (isAstray || index < frontier))
          (isNew[index] === true ? inserted : skipped).add(identity);
      // only rows behind the frontier: what stands ahead of it may never have been emitted
      const behind = isAstray ? [] : identities.slice(frontier + 1);
      if (behind.length === 0) return { isNew, isAstray, position: null };
      for (const identity of behind) inserted.delete(identity);
      head = withMilestones(head, behind, rows() - behind.length);
      anchors = [...anchors, ...behind].slice(-KEPT);
      offset = at + identities.length;
      return { isNew, isAstray, position: position() };
    },
  };
}

/** The marks of the list's start, with the first rows of a new stretch, and its last one where a doubling falls into it. */
function withMilestones(
  head: readonly Identity[],
  stretch: readonly Identity[],
  covered: number,
): readonly Identity[] {
  const first = head.length < KEPT ? [...head, ...stretch].slice(0, KEPT) : head;
  const isDoubled =
    Math.floor(Math.log2(covered + stretch.length)) > Math.floor(Math.log2(Math.max(KEPT, covered)));
  return isDoubled ? [...first, ...stretch.slice(-1)] : first;
}
