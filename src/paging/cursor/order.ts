import { MIN_INSTANT, earliest, later, type Instant } from '../instant.ts';

/**
 * What is known about the order of a list. It is proven `ascending` by enough created times that are later than all before them in their
 * chain, and `broken` by a row that is older than one before it in its chain by more than the tolerance. A broken order stays broken in
 * this read.
 */
export interface Order {
  readonly kind: 'unproven' | 'ascending' | 'broken';
  readonly steps: number; // created times that were later than all before them in their chain
  readonly hasLate: boolean; // a row was older than one before it
}

/**
 * Steps that prove ascending order, and last rows of a chain that must all have passed a time: a single time may be wrong. Tests of small
 * lists use fewer.
 */
export const ENOUGH_ROWS = 16;

export const UNKNOWN_ORDER: Order = { kind: 'unproven', steps: 0, hasLate: false };

/** The created times of a chain. */
export interface Course {
  readonly newest: Instant; // the latest one; `MIN_INSTANT` before there is one
  readonly last: readonly Instant[]; // those of the last `enough` rows with a time
}

/**
 * Takes the created times of a page. If one of them breaks the order and `mustStop`, the times from it on are not taken; `taken` is the
 * number of rows before it.
 */
export function noteTimes(
  order: Order,
  course: Course,
  times: readonly (Instant | undefined)[],
  { tolerance, enough }: { readonly tolerance: bigint; readonly enough: number },
  mustStop: boolean,
): { readonly order: Order; readonly course: Course; readonly taken: number } {
  let { kind, steps, hasLate } = order;
  let { newest } = course;
  let taken = times.length;
  for (const [index, time] of times.entries()) {
    if (time === undefined) continue;
    if (time >= newest) {
      if (time > newest && newest !== MIN_INSTANT) steps++;
      newest = time;
      continue;
    }
    if (time < newest - tolerance && kind !== 'broken') {
      kind = 'broken';
      taken = index;
      if (mustStop) break;
      taken = times.length;
    }
    hasLate = true;
  }
  if (kind === 'unproven' && steps >= enough) kind = 'ascending';
  const known = times.slice(Math.max(0, taken - enough), taken).filter((time) => time !== undefined);
  const last = [...course.last, ...known].slice(-enough);
  return { order: { kind, steps, hasLate }, course: { newest, last }, taken };
}

/** Returns the time that the last rows of a chain have all reached; `MIN_INSTANT` if there are too few. */
export function reachedBy({ last }: Course, enough: number): Instant {
  return last.length < enough ? MIN_INSTANT : last.reduce((one, other) => (other < one ? other : one));
}

/** True if the times of a page look like those of a list in ascending order: at least two of them rise, and fewer fall. */
export function ascend(times: readonly (Instant | undefined)[]): boolean {
  const known = times.filter((time) => time !== undefined);
  const rises = known.filter((time, at) => at > 0 && time > (known[at - 1] ?? time)).length;
  const falls = known.filter((time, at) => at > 0 && time < (known[at - 1] ?? time)).length;
  return rises > 1 && rises > falls;
}

/** Returns how many ns the times of a page cover. */
export function widthOf(times: readonly (Instant | undefined)[]): bigint {
  const known = times.filter((time) => time !== undefined);
  const [first = 0n] = known;
  return known.reduce(later, first) - earliest(first, ...known);
}
