import type { Fingerprint, Identities, Identity } from '../identities.ts';

/** Where an unfinished read of an offset list stopped: it has emitted every row up to the last anchor. */
export type OffsetPosition = {
  readonly offset: number; // after the last anchor, when it was read
  readonly rows: number; // emitted so far
  readonly anchors: readonly Fingerprint[]; // the last rows, in list order, which mark the place after the list has changed
  readonly head: readonly Fingerprint[]; // the first rows when the read began: all rows before them are newer
  readonly clash?: true; // a page had two different rows with one key, of which only the first was emitted
};

/** Rows that mark each place: it is lost only if all of them are deleted. */
export const KEPT = 32;
/** Pages searched on each side of the place where the anchors were. */
const REACH = 8;

/** Converts a position to fingerprints, which outlive the process. */
export function written(
  position: Omit<OffsetPosition, 'anchors' | 'head'> & {
    readonly anchors: readonly Identity[];
    readonly head: readonly Identity[];
  },
  { print }: Identities,
): OffsetPosition {
  const { anchors, head } = position;
  return { ...position, anchors: anchors.map(print), head: head.map(print) };
}

/** Returns the offsets at which to look for the place, nearest first; `span` is how far apart pages may be. */
export function* offsetsNear({ offset, anchors }: OffsetPosition, span: () => number): Generator<number> {
  // in a list that has grown, the page at the last anchor begins with an earlier one
  const around = Math.max(0, offset - 1);
  let reach = Math.max(1, anchors.length);
  for (let turn = 0; turn <= 2 * REACH; turn++) {
    // 0, 1 before, 1 after, 2 before, …
    const at = around + Math.ceil(turn / 2) * (turn % 2 === 0 ? reach : -reach);
    if (at >= 0) yield at;
    else if (turn === 1 && around > 0) yield 0;
    // pages overlap by one row, so that no anchor falls between two
    reach = Math.max(reach, span() - 1);
  }
}

/**
 * Returns the index of the first anchor of a page; -1 if the page does not show the place. A single anchor is not enough, because
 * another row may have the same key, unless it is the last one, and the page begins with it.
 */
export function placeIn(identities: readonly Identity[], anchors: ReadonlySet<Identity>, last: Identity) {
  const first = identities.findIndex((identity) => anchors.has(identity));
  if (first === 0 && identities[0] === last) return 0;
  const isCertain = first !== -1 && identities.slice(first + 1).some((identity) => anchors.has(identity));
  return isCertain ? first : -1;
}
