import { setImmediate as nextTurn } from 'node:timers/promises';
import { MEMBER, type Row } from './row.ts';

/** Bytes of rows that are compared and written in one turn of the event loop: signals are handled between turns. Most pages are smaller. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The cost of a member, and of a step such as reading a time or hashing a short row, in bytes of a row that take as long to process. */
const COST = { member: 200, step: 1024 };
const MAX_STEPS = MAX_BYTES / COST.step; // in one slice

/** Returns rows in slices, each for one turn; a row that fills a slice is alone in it. */
export function slicesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  let slice: Row[] = [];
  const slices = [slice];
  let size = 0;
  for (const row of rows) {
    const own = row.end - row.start + (COST.member * (row.endPlace - row.firstPlace)) / MEMBER;
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

/** Work that yields between its slices. */
type Sliced<T> = Generator<undefined, T>;

/** True if the row at an index begins a slice after the first one. */
const beginsSlice = (index: number): boolean => index > 0 && index % MAX_STEPS === 0;

export function* mapInSlices<R, T>(rows: readonly R[], map: (row: R, index: number) => T): Sliced<T[]> {
  // most pages are one slice, for which a plain map takes less time
  if (rows.length <= MAX_STEPS) return rows.map(map);
  const mapped: T[] = [];
  for (let index = 0; index < rows.length; index++) {
    if (beginsSlice(index)) yield;
    mapped.push(map(rows[index] as R, index));
  }
  return mapped;
}

/** Does work, each slice in a turn of the event loop. Returns a promise only if there are several, so that small pages never wait. */
export function inTurns<T>(work: Sliced<T>, signal: AbortSignal): T | Promise<T> {
  const { done, value } = work.next();
  return done === true ? value : finishInTurns(work, signal);
}

async function finishInTurns<T>(work: Sliced<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    await yieldToEventLoop(signal);
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
