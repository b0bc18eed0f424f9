import type { Identity } from './identities.ts';

export interface IdentitySet {
  /** True if it was not in the set before. */
  readonly add: (identity: Identity) => boolean;
  readonly has: (identity: Identity) => boolean;
  readonly size: () => number;
}

const FIRST_ROOM = 64;

/** A set of identities, a byte for each number up to the highest: a Set of a million would take fifty times the memory. */
export function createIdentitySet(): IdentitySet {
  let marks = new Uint8Array(FIRST_ROOM);
  let size = 0;
  return {
    add: (identity) => {
      if (identity >= marks.length) {
        const old = marks;
        marks = new Uint8Array(Math.max(identity + 1, 2 * old.length));
        marks.set(old);
      }
      if (marks[identity] === 1) return false;
      marks[identity] = 1;
      size++;
      return true;
    },
    has: (identity) => marks[identity] === 1,
    size: () => size,
  };
}
