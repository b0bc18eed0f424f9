import type { Fingerprint, Identity } from './identities.ts';
import type { AskedPage, FetchOffsetPage, OffsetPage } from './offset-pages.ts';

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
