import { createIdentitySet } from './identities.ts';
import type { Fingerprint, Identity } from './identities.ts';
import type { AskedPage, OffsetPage } from './offset-pages.ts';
import type { ScannedList, TiedPage } from './offset-scan.ts';

/** Where an unfinished read of an offset list stands; `Mark` stands for a row. */
export interface Position<Mark> {
  /** Offset behind the last covered row when it was read. */
  readonly offset: number;
  /** The last covered rows, in the list's order, so that the place can be found again after the list has moved. */
  readonly anchors: readonly Mark[];
  /** The first rows when the read began: all before them came since. Then one at each doubling, if these are deleted. */
  readonly head: readonly Mark[];
  /** Rows emitted though they stood ahead of the frontier: inserted since the read began; the latest ones. */
  readonly inserted: readonly Mark[];
  /** Rows emitted so far. */
  readonly rows: number;
}

export type OffsetPosition = Position<Fingerprint>;

export function withMarks<From, To>(position: Position<From>, markOf: (mark: From) => To): Position<To> {
  const { anchors, head, inserted } = position;
  return {
    ...position,
    anchors: anchors.map(markOf),
    head: head.map(markOf),
    inserted: inserted.map(markOf),
  };
}

/** Pages looked at on each side of the place where the anchors were. */
const REACH = 8;

/** Looks for a page with one of the anchors around where they were: rows came in and went since. Null if there is none. */
export async function locate<R>(
  { offset: end, anchors }: Position<Identity>,
  { identify, fetchPage, signal }: Pick<ScannedList<R>, 'identify' | 'fetchPage' | 'signal'>,
): Promise<AskedPage<OffsetPage<R>> | null> {
  const wanted = new Set(anchors);
  const around = Math.max(0, end - anchors.length);
  let span = anchors.length;
  for (let step = 0; step <= REACH; step++) {
    for (const direction of step === 0 ? [0] : [1, -1]) {
      const offset = around + direction * step * span;
      if (offset < 0) continue;
      const page = fetchPage(offset, signal);
      const { rows } = await page;
      if (rows.some((row) => wanted.has(identify(row)))) return { offset, request: 0, page };
      // pages overlap by one row, so that none of the anchors slips between two
      span = Math.max(span, rows.length - 1);
    }
  }
  return null;
}

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
