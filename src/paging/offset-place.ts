import type { Identity } from './identities.ts';
import type { Position } from './offset-position.ts';
import type { TiedPage } from './tied-scan.ts';

/** Rows kept at each place: the place is lost only if all of them are deleted. */
export const KEPT = 32;
/** Inserted rows that a state remembers; of more than these some may be repeated after a resume. */
export const KEPT_INSERTED = 2048;
/** Fresh rows on pages without a covered one after which the covered ones count as deleted, if there are few enough. */
const LOST = 2 * KEPT;
/** Covered rows that can be remembered one by one if the place has to move to where none of them is. */
const FEW = 512;

export interface Place {
  /** Index of the last covered row in a page, -1 if none is there: what stands before it is ahead of the frontier. */
  readonly frontierIn: (page: TiedPage<unknown>) => number;
  /** Takes note of a tied page and of which of its rows are emitted. True if the place has moved on to its end. */
  readonly page: (page: TiedPage<unknown>, isNew: readonly boolean[]) => boolean;
  /** True if the row turned up ahead of what was covered, so that it was inserted since the read began. */
  readonly isInserted: (identity: Identity) => boolean;
  /** The place, with the number of rows emitted so far: a value, which nothing that follows changes. */
  readonly position: (rows: number) => Position<Identity>;
}

/**
 * Follows the frontier of a scan: the last row up to which all is covered. Rows come in at the head, so fresh rows behind
 * a covered one lie beyond the frontier and move it on; fresh rows ahead of one were inserted since.
 *
 * A page without a covered row shows neither: the scan came from the head, and its rows were inserted, or every covered
 * row is deleted. Until a covered row turns up, its rows are remembered one by one and the place stays. If none turns up
 * for long, the place moves to them, and the covered rows are the ones remembered, so that none of them is emitted again
 * after a resume. Where they are too many for that, the place stays.
 */
export function createPlace(from: Position<Identity> | null): Place {
  let offset = from?.offset ?? 0;
  let anchors = from?.anchors ?? [];
  let head = from?.head ?? [];
  let astray = 0;
  let covered = from?.rows ?? 0;
  const inserted = new Set(from?.inserted);
  /** The latest of them: replaced where it changes, since positions that were handed out hold it. */
  let latest: readonly Identity[] = [...inserted];
  /** Every covered row, null once there are too many. After a resume those of this process: the reader warns then. */
  let each: Identity[] | null = [...anchors];
  const frontierIn = ({ identities, fresh }: TiedPage<unknown>): number =>
    identities.findLastIndex((identity, index) => fresh[index] === false && !inserted.has(identity));
  const insert = (came: readonly Identity[]): void => {
    for (const identity of came) inserted.add(identity);
    if (came.length > 0) latest = [...latest, ...came].slice(-KEPT_INSERTED);
  };
  const leaveTo = (elsewhere: readonly Identity[]): void => {
    insert(elsewhere);
    anchors = [];
    head = [];
    each = [];
  };
  return {
    frontierIn,
    page: (page, isNew) => {
      const { offset: start, identities } = page;
      const isFresh = (_: Identity, index: number): boolean => isNew[index] === true;
      const frontier = frontierIn(page);
      astray = frontier === -1 ? astray + identities.filter(isFresh).length : 0;
      if (frontier === -1 && astray > LOST && each !== null) leaveTo(each);
      if (anchors.length > 0) {
        const ahead = frontier === -1 ? identities : identities.slice(0, frontier);
        insert(ahead.filter(isFresh));
        if (frontier === -1) return false;
      }
      // only rows behind the frontier: what stands ahead of it may never have been emitted
      const behind = identities.slice(frontier + 1);
      if (behind.length === 0) return false;
      const wereInserted = behind.filter((identity) => inserted.delete(identity));
      if (wereInserted.length > 0) latest = latest.filter((identity) => inserted.has(identity));
      head = withMilestones(head, behind, covered);
      covered += behind.length;
      anchors = [...anchors, ...behind].slice(-KEPT);
      each = each === null || each.length > FEW ? null : [...each, ...behind];
      offset = start + identities.length;
      return true;
    },
    isInserted: (identity) => inserted.has(identity),
    position: (rows) => ({ offset, anchors, head, inserted: latest, rows }),
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
