import type { Lane } from './chain-lane.ts';
import type { Fingerprint } from './fingerprint.ts';
import { earlierOf } from './instant.ts';
import type { Instant } from './instant.ts';
import { MARGIN } from './watermark.ts';
import type { SeenRow } from './watermark.ts';

/** What is left of a range that has been read to its end. */
export interface Finished {
  readonly from: Instant | undefined;
  readonly until: Instant | undefined;
  readonly newest: Instant | undefined;
  readonly seen: readonly Fingerprint[];
  readonly first: readonly SeenRow[];
  readonly beyond: SeenRow | undefined;
}

/** The list does not come in ascending order, on which ranges of time rest. */
export class OrderBrokenError extends Error {
  override readonly name = 'OrderBrokenError';
}

/** What a chain that has come to its end leaves behind. */
export function resultOf<R>({ latest: batch, from, until, saved, first }: Lane<R>): Finished {
  const facts = batch?.facts();
  return {
    from: from.since,
    until,
    newest: facts?.newest,
    seen: saved.watermark.seen,
    first,
    beyond: facts?.beyond,
  };
}

/** What the chains of an earlier read left behind. */
export function restored(newest: Instant | undefined, seen: readonly Fingerprint[]): Finished {
  return { from: undefined, until: undefined, newest, seen, first: [], beyond: undefined };
}

/** Ranges whose rows the next read may see again. */
export function relevant(
  all: readonly Finished[],
  newest: Instant | undefined,
  limit: Instant,
): readonly Finished[] {
  if (newest === undefined) return all;
  const from = earlierOf(newest, limit) - MARGIN;
  return all.filter((one) => one.newest === undefined || one.newest >= from);
}

/**
 * Where one range ends its chain has seen the first row beyond; the chain of the next range must have seen that row too,
 * if it lies among the first that it saw.
 */
export function checkSeams(all: readonly Finished[], limit: Instant): void {
  for (const { beyond, until } of all) {
    // a younger row may have become visible between the two requests
    if (beyond === undefined || until === undefined || beyond.created > limit) continue;
    const next = all.find(({ from }) => from === until);
    const lastKnown = next?.first.at(-1);
    if (next === undefined || lastKnown === undefined || beyond.created > lastKnown.created) continue;
    if (next.until !== undefined && beyond.created >= next.until) continue;
    if (!next.first.some(({ print }) => print === beyond.print))
      throw new OrderBrokenError('two ranges of time do not agree on the row where they meet');
  }
}
