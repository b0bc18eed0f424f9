import type { Fingerprint } from '../identities.ts';

/** The rows of a given state, whose created times are not known, and which of them have been received. */
export function createGivenRows(saved: readonly Fingerprint[]) {
  const unmet = new Map(saved.map((print, index) => [print, index]));
  const metAs = new Uint32Array(saved.length); // their order of receipt, from 1; 0 if they were not received
  let meetings = 0;
  let lastMet = 0; // rows up to and including the last one that was received
  let emittedSince = 0;
  let emittedBefore = 0;
  return {
    areMet: (): boolean => unmet.size === 0,
    /** Returns true if a row is one of them and has not been received yet. */
    meet: (print: () => Fingerprint): boolean => {
      const found = unmet.size === 0 ? undefined : print();
      const index = unmet.get(found ?? '');
      if (index === undefined || found === undefined) return false;
      unmet.delete(found);
      meetings++;
      metAs[index] = meetings;
      lastMet = Math.max(lastMet, index + 1);
      emittedBefore += emittedSince;
      emittedSince = 0;
      return true;
    },
    noteNew: (): void => {
      emittedSince++;
    },
    newBefore: (): number => emittedBefore,
    /** Returns a function that returns those that have not been received by now; if `hasSeenAll`, only those after the last one that was. */
    snapshot: (hasSeenAll: boolean): (() => readonly Fingerprint[]) => {
      const from = hasSeenAll ? lastMet : 0;
      const by = meetings;
      const isUnmet = (index: number): boolean => metAs[index] === 0 || (metAs[index] ?? 0) > by;
      return () => saved.filter((_, index) => index >= from && isUnmet(index));
    },
  };
}
