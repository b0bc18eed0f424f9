import type { Identity } from '../identities.ts';

export type Covered = ReturnType<typeof createCovered>;

/** Covered rows, and their places in the order of the list. A flat table: a Map takes ten times the memory. */
export function createCovered() {
  let places = new Float64Array(16);
  let size = 0;
  const has = (identity: Identity): boolean => (places[identity] ?? 0) !== 0;
  const put = (identity: Identity, place: number): void => {
    if (identity >= places.length) {
      const old = places;
      places = new Float64Array(Math.max(identity + 1, 2 * old.length));
      places.set(old);
    }
    places[identity] = place;
    size++;
  };
  return {
    has,
    put,
    size: (): number => size,
    placeOf: (identity: Identity): number => places[identity] ?? 0,
    /** Puts a row after all others. Returns false if it was covered. */
    append: (identity: Identity): boolean => {
      if (has(identity)) return false;
      put(identity, size + 1);
      return true;
    },
    clear: (): void => {
      places.fill(0);
      size = 0;
    },
  };
}
