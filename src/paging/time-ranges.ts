import { floorTo } from './instant.ts';
import type { Instant } from './instant.ts';

/** ns: ranges meet at whole seconds at least, so that most formats can write where. */
const STEP = 1_000_000_000n;

/** A worker on a range of time. */
export interface Remaining {
  /** The latest created value that it has come to; undefined before there is one. */
  readonly at: Instant | undefined;
  /** Where its range ends, or where its rows can be expected to end. */
  readonly to: Instant | undefined;
  /** Time that its latest page covers, in ns; undefined if nothing can be taken from it. */
  readonly pageWidth: bigint | undefined;
}

/** Where to cut the rest of a range so that all its parts are equally long; fewer cuts, or none, if there is no room. */
export function equalCuts({ at, to }: Remaining, parts: number, granule: bigint): Instant[] {
  if (at === undefined || to === undefined) return [];
  const from = at + STEP;
  const all = Array.from({ length: parts - 1 }, (_, index) =>
    wholeStep(from + ((to - from) * BigInt(index + 1)) / BigInt(parts), granule),
  );
  return all.filter((cut, index) => cut > from && cut < to && cut !== all[index - 1]);
}

/** Pages that must be left on both sides for a range to be worth cutting. */
const PAGES_WORTH = 2n;

/**
 * Where to cut so that an idle worker gets half of the largest remaining range. Where rows end long before the range does,
 * halves turn out empty until the rest is as long as some pages: that many requests at most are spent on nothing.
 *
 * @returns the index of the range and the cut, or null if none is worth it
 */
export function steal(
  ranges: readonly Remaining[],
  granule: bigint,
): { readonly index: number; readonly cuts: readonly Instant[] } | null {
  let best: { index: number; width: bigint; cut: Instant } | null = null;
  for (const [index, { at, to, pageWidth }] of ranges.entries()) {
    if (at === undefined || to === undefined || pageWidth === undefined) continue;
    const width = to - at;
    const cut = wholeStep(at + width / 2n, granule);
    const isWorth = width > 2n * PAGES_WORTH * pageWidth && cut > at + STEP && cut < to;
    if (isWorth && (best === null || width > best.width)) best = { index, width, cut };
  }
  return best === null ? null : { index: best.index, cuts: [best.cut] };
}

/** The latest time, not after the given one, at which ranges may meet. */
function wholeStep(instant: Instant, granule: bigint): Instant {
  return floorTo(instant, granule > STEP ? granule : STEP);
}
