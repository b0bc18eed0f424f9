// A fingerprint costs more than everything else that is done with a row, so only rows that may be received again get one.
import { mapInSlices, type Sliced } from '../../rows/slices.ts';
import { fingerprint, type Fingerprint } from '../identities.ts';
import {
  compareFresh,
  findFresh,
  noFreshRows,
  noteOther,
  takeEarlier,
  takeOverflow,
  takeWaiting,
} from './fresh-rows.ts';
import type { Age, Fresh, FreshRows } from './fresh-rows.ts';
import { createGivenRows } from './given-rows.ts';
import { MIN_SWEPT, NEVER, append, emptyLog, printsOf, secondOf, sweptLog, testOf } from './seen-log.ts';
import type { Created, Log, Needed } from './seen-log.ts';

/** What is known of a row: whether it is `new`, was received before, or was received before by the same chain (`copy`). */
export type Receipt = 'new' | 'known' | 'copy';

/** Which rows were received. */
export interface SeenRows<R> {
  readonly given: ReturnType<typeof createGivenRows>; // by an earlier read, whose state has their fingerprints
  readonly fresh: FreshRows<R>; // on the latest pages
  log: Log; // on earlier pages
  readonly textOf: (row: R) => Buffer;
}

export function createSeenRows<R>(
  saved: readonly Fingerprint[],
  textOf: (row: R) => Buffer,
  isSame: (one: R, other: R) => boolean,
): SeenRows<R> {
  return { given: createGivenRows(saved), fresh: noFreshRows(isSame), log: emptyLog(), textOf };
}

/** Returns whether a row is known that is not emitted if it is new; if it is known, notes its receipt. */
export function meetRow<R>(seen: SeenRows<R>, row: R, created: Created, chain: number): Receipt {
  return lookUp(seen, row, created, chain, false);
}

/** Notes the receipt of a row by a chain; a new one must be emitted. */
export function takeRow<R>(seen: SeenRows<R>, row: R, created: Created, chain: number, age: Age): Receipt {
  const { fresh, given } = seen;
  const isComparable = typeof created === 'bigint' && given.areMet();
  const compared = isComparable ? compareFresh(fresh, { row, created, chain }, age) : null;
  return compared ?? lookUp(seen, row, created, chain, true);
}

/** Looks for a row by its fingerprint, unless it was received without one; notes its receipt if it is known or `mayAdd`. */
function lookUp<R>(seen: SeenRows<R>, row: R, created: Created, chain: number, mayAdd: boolean): Receipt {
  const { fresh, given, log, textOf } = seen;
  for (const one of takeOverflow(fresh)) addToLog(seen, one);
  const twin = findFresh(fresh, row, created, 0);
  if (twin !== undefined) return twin.chain === chain ? 'copy' : 'known';
  const identity = log.identities.ofText(textOf(row));
  const last = log.chainOf[identity] ?? NEVER;
  const isKnown = last !== NEVER || given.meet(() => log.identities.print(identity));
  if (isKnown || mayAdd) {
    for (const one of takeWaiting(fresh)) addToLog(seen, one);
    append(log, identity, created, chain);
  }
  if (mayAdd) noteOther(fresh);
  if (!isKnown) return 'new';
  return last === chain + 1 ? 'copy' : 'known';
}

function addToLog<R>({ log, textOf }: SeenRows<R>, { row, created, chain }: Fresh<R>): void {
  append(log, log.identities.ofText(textOf(row)), created, chain);
}

/** Must be called after each page, which takes `bytes` of memory. Forgets rows that are not needed, but none of this page yet. */
export function* endPage<R>(seen: SeenRows<R>, needed: Needed, bytes: number): Sliced<void> {
  const isNeeded = testOf(needed.periods);
  const test = needed.withLast ? null : ({ created }: Fresh<R>): boolean => isNeeded(secondOf(created));
  const kept = takeEarlier(seen.fresh, bytes, test);
  yield* mapInSlices(kept, (one) => addToLog(seen, one));
  const { length, swept } = seen.log;
  if (!needed.withLast && length > MIN_SWEPT + 2 * swept) seen.log = sweptLog(seen.log, needed);
}

/**
 * Returns a function that returns the fingerprints for a state, the same whenever it is called. After a finished read that has seen
 * everything, rows of the given state that were not received again, although rows after them were, are gone from the list.
 */
export function snapshotOf<R>(
  { given, fresh, log, textOf }: SeenRows<R>,
  needed: Needed,
  hasSeenAll: boolean,
): () => Fingerprint[] {
  const moment = { log, length: log.length };
  const { rows } = fresh;
  const { length } = rows;
  const waiting = given.snapshot(hasSeenAll);
  return () => {
    const latest = rows.slice(0, length).map(({ row, created }) => ({
      print: fingerprint(textOf(row)),
      second: secondOf(created),
    }));
    return printsOf(waiting(), moment, latest, needed);
  };
}
