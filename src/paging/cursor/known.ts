/*
 * Which rows were received, in the order of receipt. Receipts are appended to arrays that only change by being replaced, so their
 * length describes a moment: a state that is written later still has the rows that were known when its batch was handed out.
 */
import { hash } from 'node:crypto';
import type { Instant } from '../instant.ts';

/** 72 bits of the SHA-256 of the text of a row, as 12 characters of base64url. */
export type Print = string;

/** A row in a state. */
export interface SeenRow {
  readonly print: Print;
  readonly second: number; // of its created time, since the epoch; `UNKNOWN_SECOND` if it is not known
}

/** How many rows are known. */
export interface KnownLimits {
  readonly maxSeen: number; // rows in a state
  readonly lastReceived: number; // rows that are known whatever their created time
  readonly sweptAfter: number; // receipts after which rows that are not needed are forgotten
}

/** The created time of rows of which nothing says when it has passed. */
export const UNKNOWN_SECOND = Infinity;
/** In place of the number of a chain: an earlier read has received the row. */
export const GIVEN = 0;

/** The rows received so far; changed by the functions of this file alone. */
export interface Known {
  prints: Print[]; // of all receipts since the last sweep, and of what was left then
  seconds: number[];
  receivers: Map<Print, number>; // the chain that received the row last; `GIVEN` if none of this read has
  swept: number; // receipts that were left after the last sweep
}

/** Returns the rows of a state as known. */
export function knownOf(given: readonly SeenRow[]): Known {
  return {
    prints: given.map(({ print }) => print),
    seconds: given.map(({ second }) => second),
    receivers: new Map(given.map(({ print }) => [print, GIVEN])),
    swept: given.length,
  };
}

/** Returns the print of a text. */
export function printOf(text: Buffer): Print {
  return hash('sha256', text, 'base64url').slice(0, 12);
}

/** Returns the created second of a time, rounded down. */
export function secondOf(created: Instant): number {
  return Math.floor(Number(created) / 1e9);
}

/** Notes the receipt of a row by a chain. */
export function receive(known: Known, print: Print, second: number, chain: number): void {
  known.prints.push(print);
  known.seconds.push(second);
  known.receivers.set(print, chain);
}

/**
 * Forgets rows that were created before a second, unless they are among the last received. Does so only when enough rows were received
 * since the last time.
 */
export function forgetBefore(known: Known, second: number, { lastReceived, sweptAfter }: KnownLimits): void {
  const { prints, seconds, receivers, swept } = known;
  if (prints.length < 2 * swept + sweptAfter) return;
  const left = latestOf({ prints, seconds, length: prints.length }, second, lastReceived, Infinity);
  known.prints = left.map(({ print }) => print);
  known.seconds = left.map((row) => row.second);
  known.receivers = new Map(known.prints.map((print) => [print, receivers.get(print) ?? GIVEN]));
  known.swept = left.length;
}

/**
 * Returns a function that returns the rows of a state at this moment, in the order of receipt, and whether there was no room for some that
 * may be returned again. Rows created before a second are left out, unless they are among the last received.
 */
export function snapshotOf(
  { prints, seconds }: Known,
  fromSecond: number,
  { maxSeen, lastReceived }: KnownLimits,
): () => { readonly seen: readonly SeenRow[]; readonly isFull: boolean } {
  const { length } = prints;
  return () => {
    const rows = latestOf({ prints, seconds, length }, fromSecond, lastReceived, maxSeen + 1);
    return { seen: rows.slice(-maxSeen), isFull: rows.length > maxSeen };
  };
}

/** Returns the last receipts of rows that are needed, in their order, and at most `most` of them. */
function latestOf(
  {
    prints,
    seconds,
    length,
  }: { readonly prints: readonly Print[]; readonly seconds: readonly number[]; readonly length: number },
  fromSecond: number,
  lastReceived: number,
  most: number,
): SeenRow[] {
  const found = new Set<Print>();
  const rows: SeenRow[] = [];
  for (let at = length - 1; at >= 0 && rows.length < most; at--) {
    const print = prints[at] ?? '';
    const second = seconds[at] ?? UNKNOWN_SECOND;
    if (found.has(print)) continue;
    found.add(print);
    if (found.size <= lastReceived || second >= fromSecond) rows.push({ print, second });
  }
  return rows.toReversed();
}
