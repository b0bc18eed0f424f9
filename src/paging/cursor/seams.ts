import { MAX_INSTANT, earliest, type Instant } from '../instant.ts';

/** Where a range was cut in two, and what the chains on both sides have seen there. */
export interface Seam {
  readonly at: Instant;
  readonly before: Instant; // rows created later may just have appeared
  readonly seenFromBelow: Instant; // the oldest row at or after the seam that the chain of the earlier part has returned
  readonly seenFromAbove: Instant; // and that the chain of the later part has; `MAX_INSTANT` if none
}

export function seamAt(at: Instant, before: Instant): Seam {
  return { at, before, seenFromBelow: MAX_INSTANT, seenFromAbove: MAX_INSTANT };
}

/** Takes the created times on a page of a chain that reads from `from` to `until`. */
export function noteSeams(
  seams: readonly Seam[],
  { from, until }: { readonly from: Instant; readonly until: Instant },
  times: readonly (Instant | undefined)[],
): readonly Seam[] {
  const lower = seams.findLastIndex(({ at }) => at <= from);
  return seams.map((seam, index) => {
    if (seam.at !== until && index !== lower) return seam;
    const known = times.filter((time) => time !== undefined && time >= seam.at) as Instant[];
    if (seam.at !== until) return { ...seam, seenFromAbove: earliest(seam.seenFromAbove, ...known) };
    const settled = known.filter((time) => time < seam.before);
    return { ...seam, seenFromBelow: earliest(seam.seenFromBelow, ...settled) };
  });
}

/**
 * True if the chain of an earlier part has returned a row that the chain of the later part did not, although it is older than all that
 * it returned: the created field is not the time that `createdSince` refers to.
 */
export function isOpen({ seenFromBelow, seenFromAbove }: Seam, tolerance: bigint): boolean {
  return seenFromAbove < MAX_INSTANT && seenFromBelow + tolerance < seenFromAbove;
}
