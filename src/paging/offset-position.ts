import type { Fingerprint, Identity } from './identities.ts';
import type { AskedPage, FetchOffsetPage, OffsetPage } from './offset-pages.ts';

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
