import type { Identity } from '../identities.ts';

// What the rows of pages tell about the list, which no total does: their order, lines that repeat rows, rows that share a key.

const FIRST_ROOM = 1024;
/** Between the places of a row that was inserted and the next one. */
const LITTLE = 1e-6;

/** The places of the rows of a pass, to notice whether the list keeps its order; changed by `keepsOrder` alone. */
export interface Order {
  places: Float64Array; // by identity; 0 if a row was not seen
  last: number; // the latest place
}

/** Returns the order of a pass that has not begun. */
export function newOrder(): Order {
  return { places: new Float64Array(FIRST_ROOM), last: 0 };
}

/**
 * Takes the rows of a tied page. Returns false if rows that were seen before appear in another order, which no insertion and no
 * deletion explains. A row that is new before a known one was inserted there.
 */
export function keepsOrder(order: Order, offset: number, identities: readonly Identity[]): boolean {
  makeRoom(
    order,
    identities.reduce((most, identity) => Math.max(most, identity), 0),
  );
  const { places } = order;
  const placeAt = (index: number): number => places[identities[index] as Identity] as number;
  const known = identities.findLastIndex((identity) => places[identity] !== 0) + 1;
  // all rows were deleted or pushed down: the pass begins anew
  if (offset === 0 && known === 0) places.fill(0);
  for (let at = known - 2; at >= 0; at--)
    if (placeAt(at) === 0) places[identities[at] as Identity] = placeAt(at + 1) - LITTLE;
  let isKept = true;
  for (let at = 1; at < known; at++) isKept &&= placeAt(at) >= placeAt(at - 1);
  for (const identity of identities.slice(known)) {
    order.last++;
    places[identity] = order.last;
  }
  return isKept;
}

function makeRoom(order: Order, identity: Identity): void {
  if (identity < order.places.length) return;
  const places = new Float64Array(Math.max(2 * order.places.length, identity + 1));
  places.set(order.places);
  order.places = places;
}

/** Rows of a page with their numbers. */
interface NumberedRows<R> {
  readonly identities: readonly Identity[];
  readonly rows: readonly R[];
}

type IsSame<R> = (one: R, other: R) => boolean;

/** Lines of one page that show a row again, at most, by row: services that join tables list a row several times, and count its lines. */
export type RepeatedLines = Map<Identity, number>;

/** Counts the lines of a page that show a row again with the same text. */
export function countLines<R>(
  lines: RepeatedLines,
  { identities, rows }: NumberedRows<R>,
  isSame: IsSame<R>,
): void {
  const first = new Map<Identity, number>();
  const again = new Map<Identity, number>();
  for (const [index, identity] of identities.entries()) {
    const before = first.get(identity);
    if (before === undefined) first.set(identity, index);
    else if (isSame(rows[before] as R, rows[index] as R)) again.set(identity, (again.get(identity) ?? 0) + 1);
  }
  for (const [identity, count] of again) lines.set(identity, Math.max(count, lines.get(identity) ?? 0));
}

/** Returns how many lines show a row again. */
export function repeatedLines(lines: RepeatedLines): number {
  let sum = 0;
  for (const count of lines.values()) sum += count;
  return sum;
}

/** Returns a row of a page that has the key of a different row; undefined if there is none. `indexes`: rows that were not covered before. */
export function findClash<R>(
  { identities, rows }: NumberedRows<R>,
  indexes: readonly number[],
  isSame: IsSame<R>,
): R | undefined {
  const { length } = rows;
  // only the first row was covered
  if (length - indexes.length <= 1 && (indexes.length === length || indexes[0] === 1)) return undefined;
  const firstOf = new Map<Identity, R>();
  return rows.find((row, index) => {
    const identity = identities[index] as Identity;
    const first = firstOf.get(identity);
    if (first === undefined) firstOf.set(identity, row);
    return first !== undefined && !isSame(first, row);
  });
}
