import type { Instant } from './instant.ts';

/** ns: ranges meet at whole seconds, so that every format can write where. */
const STEP = 1_000_000_000n;

/** Cuts the time from `from` to `to` into `parts` of equal length; the cuts lie strictly between, fewer if there is no room. */
export function cuts(from: Instant, to: Instant, parts: number): Instant[] {
  const width = to - from;
  const all = Array.from({ length: parts - 1 }, (_, index) =>
    wholeSecond(from + (width * BigInt(index + 1)) / BigInt(parts)),
  );
  return all.filter((cut, index) => cut > from && cut < to && cut !== all[index - 1]);
}

/** A chain at work on a range of time. */
export interface Remaining {
  /** The latest created value that it has come to; undefined before there is one. */
  readonly at: Instant | undefined;
  /** Where its range ends, or where its rows can be expected to end. */
  readonly to: Instant;
  /** Time that its latest page covers, in ns; undefined if nothing can be taken from it. */
  readonly pageWidth: bigint | undefined;
}

/** Pages that must be left on both sides for a range to be worth cutting. */
const PAGES_WORTH = 2n;

/**
 * Where to cut so that an idle chain gets half of the largest remaining range. Where rows end long before the range does,
 * halves turn out empty until the rest is as long as some pages: that many requests at most are spent on nothing.
 *
 * @returns the index of the range and the cut, or null if none is worth it
 */
export function steal(
  ranges: readonly Remaining[],
): { readonly index: number; readonly cut: Instant } | null {
  let best: { index: number; width: bigint; cut: Instant } | null = null;
  for (const [index, { at, to, pageWidth }] of ranges.entries()) {
    if (at === undefined || pageWidth === undefined) continue;
    const width = to - at;
    const cut = wholeSecond(at + width / 2n);
    const isWorth = width > 2n * PAGES_WORTH * pageWidth && cut > at + STEP && cut < to;
    if (isWorth && (best === null || width > best.width)) best = { index, width, cut };
  }
  return best;
}

function wholeSecond(instant: Instant): Instant {
  return instant - (((instant % STEP) + STEP) % STEP);
}
