import { setImmediate as nextTurn } from 'node:timers/promises';
import { MEMBER, type Row } from './row.ts';

/** Bytes of rows that are compared and written in one turn of the event loop: signals are handled between turns. Most pages are smaller. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The cost of a member, in bytes of a row that take as long to process. */
const MEMBER_COST = 200;

/** Returns rows in slices, each for one turn; a row that fills a slice is alone in it. */
export function slicesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  let slice: Row[] = [];
  const slices = [slice];
  let size = 0;
  for (const row of rows) {
    const own = row.end - row.start + (MEMBER_COST * (row.endPlace - row.firstPlace)) / MEMBER;
    if (size >= MAX_BYTES || (own >= MAX_BYTES && slice.length > 0)) {
      slice = [];
      slices.push(slice);
      size = 0;
    }
    slice.push(row);
    size += own;
  }
  return slices;
}

/** Lets signals and timers be handled; throws the reason of `signal` if it is aborted. */
export async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
