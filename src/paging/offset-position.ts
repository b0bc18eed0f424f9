import type { Fingerprint, Identity } from './identities.ts';
import type { AskedPage, FetchOffsetPage, OffsetPage } from './offset-pages.ts';
import type { TiedPage } from './offset-scan.ts';

/** Where an unfinished read of an offset list stands; `Mark` stands for a row. */
export interface Position<Mark> {
  /** Offset behind the last covered row when it was read. */
  readonly offset: number;
  /** The last covered rows, in the list's order, so that the place can be found again after the list has moved. */
  readonly anchors: readonly Mark[];
  /**
   * The first rows of the list when the read began: everything before them was inserted since. Behind them one row at
   * every doubling of the distance, so that not all is read again where the first ones are deleted.
   */
  readonly head: readonly Mark[];
  /** Rows emitted though they stood ahead of the frontier: inserted since the read began; the latest ones. */
  readonly inserted: readonly Mark[];
  /** Rows emitted so far. */
  readonly rows: number;
}

/** As a state keeps it. */
export type OffsetPosition = Position<Fingerprint>;

/** The same position with other marks. */
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

/**
 * Looks for a page that holds one of the anchors, around the offset where they were: rows inserted at the head have moved
 * them down since, deleted ones have moved them up. Null if none was found.
 */
export async function locate<R>(
  { offset: end, anchors }: Position<Identity>,
  identify: (row: R) => Identity,
  fetchPage: FetchOffsetPage<R>,
  signal: AbortSignal,
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

/** The frontier of a scan, which moves on with each page. */
export type Place = ReturnType<typeof createPlace>;

/**
 * Follows the frontier of a scan: the last row up to which all is covered. Rows come in at the head, so fresh rows behind
 * a covered one lie beyond the frontier and move it on; fresh rows ahead of one were inserted since.
 *
 * A page without a covered row shows neither: the scan came from the head, and its rows were inserted, or every covered
 * row is deleted. Until one turns up, the page's rows are remembered one by one and the place stays.
 */
export function createPlace(from: Position<Identity> | null) {
  let offset = from?.offset ?? 0;
  let anchors = from?.anchors ?? [];
  let head = from?.head ?? [];
  let covered = from?.rows ?? 0;
  const inserted = new Set(from?.inserted);
  const frontierIn = ({ identities, fresh }: TiedPage<unknown>): number =>
    identities.findLastIndex((identity, index) => fresh[index] === false && !inserted.has(identity));
  return {
    /** Index of the last covered row in a page, -1 if none is there: what stands before it is ahead of the frontier. */
    frontierIn,
    /** Takes note of a tied page and of which of its rows are emitted. True if the place has moved on to its end. */
    page: (page: TiedPage<unknown>, isNew: readonly boolean[]): boolean => {
      const { identities } = page;
      const frontier = frontierIn(page);
      if (anchors.length > 0) {
        const ahead = frontier === -1 ? identities : identities.slice(0, frontier);
        for (const [index, identity] of ahead.entries()) if (isNew[index] === true) inserted.add(identity);
        if (frontier === -1) return false;
      }
      // only rows behind the frontier: what stands ahead of it may never have been emitted
      const behind = identities.slice(frontier + 1);
      if (behind.length === 0) return false;
      for (const identity of behind) inserted.delete(identity);
      head = withMilestones(head, behind, covered);
      covered += behind.length;
      anchors = [...anchors, ...behind].slice(-KEPT);
      offset = page.offset + identities.length;
      return true;
    },
    /** True if the row turned up ahead of what was covered, so that it was inserted since the read began. */
    isInserted: (identity: Identity): boolean => inserted.has(identity),
    /** The place, with the number of rows emitted so far: a value, which nothing that follows changes. */
    position: (rows: number): Position<Identity> => {
      return { offset, anchors, head, inserted: [...inserted].slice(-KEPT_INSERTED), rows };
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
