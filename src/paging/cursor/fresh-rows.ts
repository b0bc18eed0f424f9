import type { Instant } from '../instant.ts';
import type { Created } from './seen-log.ts';

/** Rows without a fingerprint with which a row is compared at most: all of them, or those created at the newest time. */
const MAX_COMPARED = { all: 1000, ofNewestTime: 8 };
/** Rows that may wait for a fingerprint once another page follows, and bytes that stay in memory for each of them, on average. */
const MAX_WAITING = { rows: 500, bytesPerRow: 4096 };

/**
 * How old a row is: `newer` than all rows that may be the same, of the `same` created time as the newest of them, all of which the chain
 * has taken, newer than those on earlier pages (`late`), or anything else (`older`).
 */
export type Age = 'newer' | 'same' | 'late' | 'older';

/** A row that was emitted and has no fingerprint yet. */
export interface Fresh<R> {
  readonly row: R;
  readonly created: Instant;
  readonly chain: number;
}

/** The rows of the latest pages that have no fingerprint: most rows of a long list never need one. */
export interface FreshRows<R> {
  rows: Fresh<R>[]; // append-only until it is replaced
  pageAt: number; // where the rows of the latest page begin
  isLight: boolean; // the rows of the latest page may wait when another page follows
  hasOthers: boolean; // some rows of the latest page have a fingerprint
  /** Where the rows begin that a chain took with its newest created time; null if some of these have a fingerprint. */
  run: { readonly chain: number; readonly at: number } | null;
  readonly isSame: (one: R, other: R) => boolean;
}

export function noFreshRows<R>(isSame: (one: R, other: R) => boolean): FreshRows<R> {
  return { rows: [], pageAt: 0, isLight: true, hasOthers: false, run: null, isSame };
}

/** Looks for a row from an index on: rows with the same text were created at the same time. */
export function findFresh<R>(
  { rows, isSame }: FreshRows<R>,
  row: R,
  created: Created,
  from: number,
): Fresh<R> | undefined {
  for (let at = from; at < rows.length; at++) {
    const one = rows[at] as Fresh<R>;
    if (one.created === created && isSame(one.row, row)) return one;
  }
  return undefined;
}

/** Returns whether a row is new, and keeps it if so; null if that cannot be decided without its fingerprint. */
export function compareFresh<R>(fresh: FreshRows<R>, one: Fresh<R>, age: Age): 'new' | 'copy' | null {
  if (age === 'newer') fresh.run = { chain: one.chain, at: fresh.rows.length };
  else {
    const from = startOf(fresh, one.chain, age);
    if (from === null) return null;
    if (findFresh(fresh, one.row, one.created, from) !== undefined) return 'copy';
  }
  fresh.rows.push(one);
  return 'new';
}

/** Returns from where on a row must be compared to know whether it is new; null if that is not known, or too far. */
function startOf<R>({ rows, pageAt, hasOthers, run }: FreshRows<R>, chain: number, age: Age): number | null {
  if (age === 'late') return hasOthers || rows.length - pageAt >= MAX_COMPARED.all ? null : pageAt;
  if (age === 'older' || run?.chain !== chain) return null;
  return rows.length - run.at < MAX_COMPARED.ofNewestTime ? run.at : null;
}

/** Must be called if a row of the latest page gets a fingerprint at once. */
export function noteOther<R>(fresh: FreshRows<R>): void {
  fresh.hasOthers = true;
  fresh.run = null;
}

/** Removes and returns all rows if they are too many to look for a row among them. */
export function takeOverflow<R>(fresh: FreshRows<R>): readonly Fresh<R>[] {
  if (fresh.rows.length <= MAX_COMPARED.all) return [];
  const all = fresh.rows;
  Object.assign(fresh, { rows: [], pageAt: 0, hasOthers: true, run: null });
  return all;
}

/** Removes and returns the rows of earlier pages: rows that are received later must not get a fingerprint before them. */
export function takeWaiting<R>(fresh: FreshRows<R>): readonly Fresh<R>[] {
  return takeUpTo(fresh, fresh.pageAt);
}

/**
 * Must be called after each page, which takes `bytes` of memory. Removes the rows of earlier pages that are not needed any more, and removes
 * and returns those that must get a fingerprint: all of them unless `isNeeded` tells which ones are needed.
 */
export function takeEarlier<R>(
  fresh: FreshRows<R>,
  bytes: number,
  isNeeded: ((row: Fresh<R>) => boolean) | null,
): readonly Fresh<R>[] {
  const { rows, pageAt, isLight } = fresh;
  const added = rows.length - pageAt;
  const mayWait = isNeeded !== null && isLight;
  const earlier = takeUpTo(fresh, mayWait ? Math.max(0, pageAt - MAX_WAITING.rows) : pageAt);
  const taken = isNeeded === null ? earlier : earlier.filter(isNeeded);
  const first = fresh.rows.findIndex((row, at) => at >= fresh.pageAt || isNeeded?.(row) === true);
  takeUpTo(fresh, Math.max(0, first));
  fresh.isLight = added === 0 || bytes <= MAX_WAITING.bytesPerRow * added;
  fresh.pageAt = fresh.rows.length;
  fresh.hasOthers = false;
  return taken;
}

function takeUpTo<R>(fresh: FreshRows<R>, end: number): readonly Fresh<R>[] {
  if (end === 0) return [];
  const { rows, pageAt, run } = fresh;
  fresh.rows = rows.slice(end);
  fresh.run = run === null || run.at < end ? null : { ...run, at: run.at - end };
  fresh.pageAt = pageAt - end;
  return rows.slice(0, end);
}
