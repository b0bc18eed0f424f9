import type { Fingerprint } from './fingerprint.ts';
import type { TiedPage } from './tied-scan.ts';

/** Where an unfinished read of an offset list stands. */
export interface OffsetPosition {
  /** Offset behind the last covered row when it was read. */
  readonly offset: number;
  /** The last covered rows, in the list's order, so that the place can be found again after the list has moved. */
  readonly anchors: readonly Fingerprint[];
  /**
   * The first rows of the list when the read began: everything before them was inserted since. Behind them one row at
   * every doubling of the distance, so that not all is read again where the first ones are deleted.
   */
  readonly head: readonly Fingerprint[];
  /** Rows emitted though they stood ahead of the frontier: inserted since the read began; the latest ones. */
  readonly inserted: readonly Fingerprint[];
  /** Rows emitted so far. */
  readonly rows: number;
}

/** Rows kept at each place: the place is lost only if all of them are deleted. */
export const KEPT = 32;
/** Inserted rows that a state remembers; of more than these some may be repeated after a resume. */
const KEPT_INSERTED = 256;
/** Fresh rows on pages without a row of the place after which it counts as deleted. */
const LOST = 2 * KEPT;

export interface Place {
  /** Index of the last row of the place in a page, -1 if none is there: what stands before it is ahead of the frontier. */
  readonly frontierIn: (page: TiedPage<unknown>) => number;
  /** Takes note of a tied page and of which of its rows are emitted. True if the place has moved on to its end. */
  readonly page: (page: TiedPage<unknown>, isNew: readonly boolean[]) => boolean;
  /** True if the row turned up ahead of what was covered, so that it was inserted since the read began. */
  readonly isInserted: (identity: Fingerprint) => boolean;
  /** The place, with the number of rows emitted so far. */
  readonly position: (rows: number) => OffsetPosition;
}

/**
 * Follows the frontier of a scan: the last covered row. A page moves it on only if it holds a row of the place so far and
 * ends with a fresh one behind it. Fresh rows that turn up elsewhere were inserted since, and are no place to go on from;
 * unless they come in such numbers that the rows of the place must have been deleted.
 */
export function createPlace(from: OffsetPosition | null): Place {
  let offset = from?.offset ?? 0;
  let anchors = from?.anchors ?? [];
  let head = from?.head ?? [];
  let astray = 0;
  let covered = from?.rows ?? 0;
  const inserted = new Set(from?.inserted);
  const frontierIn = ({ identities }: TiedPage<unknown>): number => {
    const known = new Set(anchors);
    return identities.findLastIndex((identity) => known.has(identity));
  };
  return {
    frontierIn,
    page: (page, isNew) => {
      const { offset: start, identities } = page;
      const lastAnchor = frontierIn(page);
      const isFresh = (_: Fingerprint, index: number): boolean => isNew[index] === true;
      astray = lastAnchor === -1 ? astray + identities.filter(isFresh).length : 0;
      const isLost = lastAnchor === -1 && astray > LOST;
      if (anchors.length > 0 && !isLost) {
        const ahead = lastAnchor === -1 ? identities : identities.slice(0, lastAnchor);
        for (const identity of ahead.filter(isFresh)) inserted.add(identity);
        if (lastAnchor === -1) return false;
      }
      if (isNew.at(-1) !== true) return false;
      // only rows behind the frontier: what stands ahead of it may never have been emitted
      const behind = identities.slice(lastAnchor + 1);
      head = withMilestones(head, behind, covered);
      covered += behind.length;
      anchors = [...anchors, ...behind].slice(-KEPT);
      offset = start + identities.length;
      return true;
    },
    isInserted: (identity) => inserted.has(identity),
    position: (rows) => ({ offset, anchors, head, inserted: [...inserted].slice(-KEPT_INSERTED), rows }),
  };
}

/** The marks of the list's start, with the first rows of a new stretch, and its last one where a doubling falls into it. */
function withMilestones(
  head: readonly Fingerprint[],
  stretch: readonly Fingerprint[],
  covered: number,
): readonly Fingerprint[] {
  const first = head.length < KEPT ? [...head, ...stretch].slice(0, KEPT) : head;
  const isDoubled =
    Math.floor(Math.log2(covered + stretch.length)) > Math.floor(Math.log2(Math.max(KEPT, covered)));
  return isDoubled ? [...first, ...stretch.slice(-1)] : first;
}
