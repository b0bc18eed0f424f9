import type { Identity } from '../identities.ts';

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
  const highest = identities.reduce((most, identity) => Math.max(most, identity), 0);
  makeRoom(order, highest);
  const { places } = order;
  const known = identities.findLastIndex((identity) => places[identity] !== 0) + 1;
  // all rows were deleted or pushed down: the pass begins anew
  if (offset === 0 && known === 0) places.fill(0);
  for (let at = known - 2; at >= 0; at--) {
    const identity = identities[at] as Identity;
    if (places[identity] === 0)
      places[identity] = (places[identities[at + 1] as Identity] as number) - LITTLE;
  }
  let isKept = true;
  for (let at = 1; at < known; at++)
    isKept &&=
      (places[identities[at] as Identity] as number) >= (places[identities[at - 1] as Identity] as number);
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
