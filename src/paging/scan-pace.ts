/** How boldly a scan goes: neighbouring pages overlap by `overlap` rows, and `depth` pages are asked for ahead at most. */
export interface Pace {
  readonly overlap: number;
  readonly depth: number;
  /** Rows by which the scan stepped back last, 0 unless it has lost what is covered. */
  readonly stepBack: number;
  /** Tied pages since the tie was missing last. */
  readonly calm: number;
  readonly unknownHeads: number;
}

/** Tied pages in a row after which a widened overlap is narrowed again. */
const CALM_PAGES = 8;

export function firstPace(deepest: number): Pace {
  return { overlap: 1, depth: deepest, stepBack: 0, calm: 0, unknownHeads: 0 };
}

/** After a page without a tie: rows vanished ahead, so it goes back, twice as far each time, and overlaps more. */
export function steppedBack(before: Pace, granted: number): Pace {
  const { overlap, depth, stepBack } = before;
  return {
    ...before,
    overlap: Math.max(overlap, Math.min(overlap * 2, granted >> 1)),
    depth: depth >> 1,
    stepBack: Math.max(stepBack * 2, overlap, granted >> 2),
    calm: 0,
  };
}

/**
 * After a tied page: reading ahead pays where it found something, and moves a restless list on for nothing where not.
 *
 * @param unknownHead rows of the page if it is the head and shows no row that was known, else 0: either many came in, or
 * all that was known is gone, so the next page is sought behind this one and within it by turns
 */
export function steppedOn(before: Pace, isProgress: boolean, unknownHead: number, deepest: number): Pace {
  const { overlap, depth } = before;
  const calm = before.calm + 1;
  const unknownHeads = before.unknownHeads + (unknownHead > 0 ? 1 : 0);
  const narrowed = calm % CALM_PAGES === 0 ? Math.max(1, overlap >> 1) : overlap;
  const sought = unknownHeads % 2 === 0 ? unknownHead : 1;
  return {
    overlap: unknownHead > 0 ? sought : narrowed,
    depth: isProgress ? Math.min(deepest, Math.max(1, depth * 2)) : depth >> 1,
    stepBack: 0,
    calm,
    unknownHeads,
  };
}
