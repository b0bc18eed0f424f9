import { MAX_INSTANT, earliest, type Instant } from '../instant.ts';

/** Where a range was cut in two, and what the chains on both sides have seen there. */
export interface Seam {
  readonly at: Instant;
  readonly seenFromBelow: Instant; // the oldest row at or after the seam that the chain of the earlier part has returned
  readonly seenFromAbove: Instant; // and that the chain of the later part has; `MAX_INSTANT` if none
}

export function seamAt(at: Instant): Seam {
  return { at, seenFromBelow: MAX_INSTANT, seenFromAbove: MAX_INSTANT };
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
    return seam.at === until
      ? { ...seam, seenFromBelow: earliest(seam.seenFromBelow, ...known) }
      : { ...seam, seenFromAbove: earliest(seam.seenFromAbove, ...known) };
  });
}

/**
 * True if the chain of an earlier part has returned a row that the chain of the later part did not, although it is older by more than the
 * tolerance than all that it returned: the created field is not the time that `createdSince` refers to. A row that appeared after the
 * later chain had passed opens no seam: what that chain returned is then not newer by more than the lookback.
 */
export function isOpen({ seenFromBelow, seenFromAbove }: Seam, tolerance: bigint): boolean {
  return seenFromAbove < MAX_INSTANT && seenFromBelow + tolerance < seenFromAbove;
}
