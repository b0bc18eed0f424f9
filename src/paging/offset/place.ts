import type { Fingerprint, Identities, Identity } from '../identities.ts';
import type { NumberedPage } from './pass.ts';

/** Where an unfinished read of an offset list stopped: it has emitted every row up to the last anchor. */
export type OffsetPosition = {
  readonly offset: number; // after the last anchor, when it was read
  readonly rows: number; // emitted so far
  readonly anchors: readonly Fingerprint[]; // the last rows, in list order, which mark the place after the list has changed
  readonly head: readonly Fingerprint[]; // the first rows when the read began: all rows before them are newer
  readonly aligned?: number; // rows of a page, if the server takes only multiples of the limit as offsets
  readonly clash?: true; // a page had two different rows with one key, of which only the first was emitted
};

/** Rows that mark each place: it is lost only if all of them are deleted. */
const KEPT = 32;
/** Pages searched on each side of the place where the anchors were. */
const REACH = 8;

/** The rows that a scan has covered, from which a later read can go on. */
export interface Marks {
  head: readonly Identity[]; // its first rows
  anchors: readonly Identity[]; // its last rows
}

/** Returns the marks of a position. */
export function marksOf({ head, anchors }: OffsetPosition, { of }: Identities): Marks {
  return { head: head.map(of), anchors: anchors.map(of) };
}

/** Adds rows that the scan has covered, in list order. */
export function extendMarks(marks: Marks, { identities }: NumberedPage, indexes: readonly number[]): void {
  const identityAt = (index: number): Identity => identities[index] as Identity;
  const latest = indexes.slice(-KEPT).map(identityAt);
  if (latest.length > 0) marks.anchors = [...marks.anchors, ...latest].slice(-KEPT);
  marks.head = [...marks.head, ...indexes.slice(0, KEPT).map(identityAt)].slice(0, KEPT);
}

/** Returns the fingerprints of marks, which outlive the process. */
export function written({ head, anchors }: Marks, { print }: Identities) {
  return { anchors: anchors.map(print), head: head.map(print) };
}

/**
 * Looks for the place of a position near the offset where it was: there, one page before, one after, two before, … Returns the page there
 * from its first anchor on, because the interrupted read has emitted the rows before; null if the place is gone.
 */
export async function findPlace<P extends NumberedPage & { readonly rows: readonly unknown[] }>(
  { offset, anchors }: OffsetPosition,
  { of }: Identities,
  pageAt: (offset: number) => Promise<P>,
): Promise<P | null> {
  const wanted = anchors.map(of);
  // in a list that has grown, the page at the last anchor begins with an earlier one
  const around = Math.max(0, offset - 1);
  let reach = Math.max(1, wanted.length);
  let [low, high] = [around, around];
  for (let turn = 0; turn <= 2 * REACH; turn++) {
    const isBefore = turn % 2 === 1;
    if (isBefore && low === 0) continue;
    if (isBefore) low = Math.max(0, low - reach);
    else if (turn > 0) high += reach;
    const page = await pageAt(isBefore ? low : high);
    const first = placeIn(page.identities, new Set(wanted), wanted.at(-1) ?? -1);
    if (first !== -1) return startingAt(page, first);
    // pages overlap by one row, so that no anchor falls between two
    reach = Math.max(reach, page.rows.length - 1);
  }
  return null;
}

/** Returns the rows of a page from an index on. Such a page is shorter than it was requested, but does not end there. */
function startingAt<P extends NumberedPage & { readonly rows: readonly unknown[] }>(
  page: P,
  index: number,
): P {
  return {
    ...page,
    offset: page.offset + index,
    limit: page.limit - index,
    rows: page.rows.slice(index),
    identities: page.identities.slice(index),
  };
}

/**
 * Returns the index of the first anchor of a page; -1 if the page does not show the place. A single anchor is not enough, because
 * another row may have the same key, unless it is the last one, and the page begins with it.
 */
export function placeIn(
  identities: readonly Identity[],
  anchors: ReadonlySet<Identity>,
  last: Identity,
): number {
  const first = identities.findIndex((identity) => anchors.has(identity));
  if (first === 0 && identities[0] === last) return 0;
  const isCertain = first !== -1 && identities.slice(first + 1).some((identity) => anchors.has(identity));
  return isCertain ? first : -1;
}
