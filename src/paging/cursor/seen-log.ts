// Flat tables: Maps and objects would take five times the memory for a million rows.
import { CURSOR_STATE } from '../../limits.ts';
import { createIdentities, type Fingerprint, type Identities } from '../identities.ts';
import type { Instant } from '../instant.ts';
import type { Bounds } from './ranges.ts';

/** How many strays are remembered, or, if a later read may go on in mid-list, rows of any kind: those received last. */
export const LAST_RECEIVED = 2000;
/** How many rows of any kind are remembered if there is room: in a list that is newest first, those received first are returned again. */
const FIRST_RECEIVED = 2000;
/** Receipts in the log above which those that are not needed are forgotten: not after every page. */
export const MIN_SWEPT = 20_000;

/** Which of the rows received so far may be received again. */
export interface Needed {
  readonly periods: readonly Bounds[]; // rows created in them; rows without a time always are
  /**
   * And the rows received first and last, whatever their created time (the list is not in ascending order, or a later read may go on in
   * mid-list); otherwise the last strays only.
   */
  readonly withLast: boolean;
  /** The rows of the given state come first: a chain that an earlier read has begun goes on. Otherwise, they give way to others. */
  readonly withGiven: boolean;
}

/** When a row was created; a `stray` is older than its chain can have requested, so its created time says nothing. */
export type Created = Instant | 'stray' | 'unknown';

/** In place of the number of a chain plus one: no chain has received the row. */
export const NEVER = 0;
/** In place of the second of a created time: it is not known, or says nothing. */
const UNKNOWN = 0xffff_ffff;
const STRAY = 0xffff_fffe;
const FIRST_ROOM = 64;

/** Receipts of rows, in order. Entries never change, so a length describes a moment. */
export interface Log {
  readonly identities: Identities;
  readonly swept: number; // entries that remained when others were forgotten
  rows: Uint32Array; // of each receipt
  seconds: Uint32Array; // the created time of that row: see `secondOf`
  chainOf: Uint32Array; // by row: the number of the chain that received it last, plus one
  length: number;
}

export function emptyLog(): Log {
  const [rows, seconds, chainOf] = [FIRST_ROOM, FIRST_ROOM, FIRST_ROOM].map((room) => new Uint32Array(room));
  return { identities: createIdentities(), swept: 0, rows, seconds, chainOf, length: 0 } as Log;
}

export function append(log: Log, row: number, created: Created, chain: number): void {
  put(log, row, secondOf(created), chain + 1);
}

function put(log: Log, row: number, second: number, chain: number): void {
  if (log.length === log.rows.length) {
    log.rows = grown(log.rows);
    log.seconds = grown(log.seconds);
  }
  while (row >= log.chainOf.length) log.chainOf = grown(log.chainOf);
  log.rows[log.length] = row;
  log.seconds[log.length] = second;
  log.chainOf[row] = chain;
  log.length++;
}

function grown(old: Uint32Array): Uint32Array {
  const larger = new Uint32Array(2 * old.length);
  larger.set(old);
  return larger;
}

/** Returns a created time in s since the epoch, exact to a second and limited to 32 bits. */
export function secondOf(created: Created): number {
  if (typeof created === 'bigint') return Math.min(Math.max(0, Math.floor(Number(created) / 1e9)), STRAY - 1);
  return created === 'stray' ? STRAY : UNKNOWN;
}

/** Returns a test for the created second of a row: true if the row may have been created in one of the periods. */
export function testOf(periods: readonly Bounds[]): (second: number) => boolean {
  const bounds = periods.map(({ since, until }) => ({
    since: secondOf(since) - 1,
    until: secondOf(until) + 1,
  }));
  return (second) =>
    second === UNKNOWN || bounds.some(({ since, until }) => second >= since && second <= until);
}

/**
 * Returns the entries of the log that are the last receipts of needed rows, in order, and marks those that are needed for being received
 * last. `others` is the number of rows that were received later.
 */
function neededEntries({ rows, seconds, identities }: Log, length: number, others: number, needed: Needed) {
  const isNeeded = testOf(needed.periods);
  const isDone = new Uint8Array(identities.size());
  const entries = new Uint32Array(length);
  const isLast = new Uint8Array(length);
  const isFirst = new Uint8Array(identities.size());
  if (needed.withLast) for (const row of rows.subarray(0, Math.min(length, FIRST_RECEIVED))) isFirst[row] = 1;
  let room = Math.max(0, LAST_RECEIVED - others);
  let start = length;
  for (let at = length - 1; at >= 0; at--) {
    const row = rows[at] ?? 0;
    const second = seconds[at] ?? UNKNOWN;
    if (isDone[row] === 1) continue;
    isDone[row] = 1;
    const isAmongLast = room > 0 && (needed.withLast || second === STRAY);
    if (isAmongLast) room--;
    else if (isFirst[row] === 0 && (second === STRAY || !isNeeded(second))) continue;
    start--;
    entries[start] = at;
    isLast[start] = Number(isAmongLast);
  }
  return { entries: entries.subarray(start), isLast: isLast.subarray(start) };
}

/** Returns the log without the rows that are not needed. */
export function sweptLog(log: Log, needed: Needed): Log {
  const { entries } = neededEntries(log, log.length, 0, needed);
  const swept = { ...emptyLog(), swept: entries.length };
  for (const at of entries) {
    const row = log.rows[at] ?? 0;
    const sameRow = swept.identities.of(log.identities.print(row));
    put(swept, sameRow, log.seconds[at] ?? UNKNOWN, log.chainOf[row] ?? NEVER);
  }
  return swept;
}

/**
 * Returns the fingerprints of a state, in the order of receipt: first those of the given rows that were not received again. If they are
 * too many, those of the rows received last remain if that is needed, and then those of the latest created times.
 */
export function printsOf(
  given: readonly Fingerprint[],
  { log, length }: { readonly log: Log; readonly length: number },
  latest: readonly { readonly print: Fingerprint; readonly second: number }[],
  needed: Needed,
): Fingerprint[] {
  const isNeeded = testOf(needed.periods);
  const fresh = needed.withLast ? latest : latest.filter(({ second }) => isNeeded(second));
  const { entries, isLast } = neededEntries(log, length, needed.withLast ? fresh.length : 0, needed);
  const seconds = new Float64Array(entries.length + fresh.length);
  for (const [index, at] of entries.entries())
    seconds[index] = isLast[index] === 1 ? Infinity : (log.seconds[at] ?? UNKNOWN);
  for (const [index, { second }] of fresh.entries())
    seconds[entries.length + index] = needed.withLast ? Infinity : second;
  const { maxSeen } = CURSOR_STATE;
  const isKept = chooserOf(seconds, needed.withGiven ? Math.max(0, maxSeen - given.length) : maxSeen);
  const room = needed.withGiven ? maxSeen : Math.max(0, maxSeen - seconds.length);
  return [
    ...given.slice(Math.max(0, given.length - room)),
    ...[...entries].flatMap((at, index) => (isKept(index) ? [log.identities.print(log.rows[at] ?? 0)] : [])),
    ...fresh.flatMap(({ print }, index) => (isKept(entries.length + index) ? [print] : [])),
  ];
}

/** Chooses `max` rows in the order of receipt: those with the latest seconds, and of those with the same second the ones received later. */
function chooserOf(seconds: Float64Array, max: number): (index: number) => boolean {
  if (seconds.length <= max) return () => true;
  const limit = max === 0 ? Infinity : (seconds.toSorted()[seconds.length - max] ?? Infinity);
  let above = 0;
  for (const second of seconds) above += Number(second > limit);
  let first = seconds.length;
  for (let left = max - above; left > 0; left--) first = seconds.lastIndexOf(limit, first - 1);
  return (index) => (seconds[index] ?? 0) > limit || (seconds[index] === limit && index >= first);
}
