/** What a read has found so far, in rows. */
export interface Counts {
  readonly copies: number; // returned again by the same chain, so not emitted again
  readonly strays: number; // emitted although they are older than requested
  readonly timeless: number; // emitted without a readable created time
  readonly beforeStart: number; // not emitted: created before the start date; each receipt counts
  readonly afterEnd: number; // not emitted: created after the end date; each receipt counts
}

export const NO_COUNTS: Counts = { copies: 0, strays: 0, timeless: 0, beforeStart: 0, afterEnd: 0 };

export function added(one: Counts, other: Counts): Counts {
  return {
    copies: one.copies + other.copies,
    strays: one.strays + other.strays,
    timeless: one.timeless + other.timeless,
    beforeStart: one.beforeStart + other.beforeStart,
    afterEnd: one.afterEnd + other.afterEnd,
  };
}
