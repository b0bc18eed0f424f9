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
  /** The latest created value that it has come to. */
  readonly at: Instant;
  /** Where its range ends, or where its rows can be expected to end. */
  readonly to: Instant;
  /** Time that one page covers on average, in ns; 0 before that is known. */
  readonly page: bigint;
}

/** Pages that must be left on both sides for a range to be worth cutting. */
const PAGES_WORTH = 2n;

/**
 * Where to cut so that an idle chain gets half of the largest remaining range.
 *
 * @returns the index of the range and the cut, or null if none is worth it
 */
export function steal(
  ranges: readonly Remaining[],
): { readonly index: number; readonly cut: Instant } | null {
  let best: { index: number; width: bigint; cut: Instant } | null = null;
  for (const [index, { at, to, page }] of ranges.entries()) {
    const width = to - at;
    const cut = wholeSecond(at + width / 2n);
    const isWorth = page > 0n && width > 2n * PAGES_WORTH * page && cut > at + STEP && cut < to;
    if (isWorth && (best === null || width > best.width)) best = { index, width, cut };
  }
  return best;
}

function wholeSecond(instant: Instant): Instant {
  return instant - (((instant % STEP) + STEP) % STEP);
}
