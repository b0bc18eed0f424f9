/*
 * Which rows were received, in the order of receipt. Receipts are only appended to these arrays until `forgetBefore` replaces
 * them, so their length describes a moment: a state that is written later still has the rows that were known when its batch was handed out.
 */
import type { Instant } from '../instant.ts';
import { earlierPrintOf, printOf, type Print } from './print.ts';

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
/** In place of the number of a chain: an earlier read has received the row, in the front or only ahead of it. */
export const GIVEN = 0;
export const GIVEN_AHEAD = -1;

/** The rows received so far; changed by the functions of this file alone. */
export interface Known {
  prints: Print[]; // of all receipts since the last sweep, and of what was left then
  seconds: number[];
  chains: number[]; // that received them
  receivers: Map<Print, number>; // the chain that received the row last
  fronts: ReadonlySet<number>; // chains that are or were the front; `GIVEN` for those of earlier reads
  alsoFront: Set<Print>; // rows that the front has returned, too, before the chain ahead that received them last
  readonly hasEarlier: boolean; // whether some prints are those of earlier versions
  swept: number; // receipts that were left after the last sweep
}

/** The rows of a state, each in the order of receipt. */
export interface SeenRows {
  readonly seen: readonly SeenRow[]; // that the front has returned
  readonly ahead: readonly SeenRow[]; // that only chains ahead of it have returned
}

/** Returns the rows of a state as known. */
export function knownOf({ seen, ahead }: SeenRows): Known {
  const given = [...seen, ...ahead];
  const prints = given.map(({ print }) => print);
  const chains = given.map((_, at) => (at < seen.length ? GIVEN : GIVEN_AHEAD));
  return {
    prints,
    seconds: given.map(({ second }) => second),
    chains,
    receivers: new Map(prints.map((print, at) => [print, chains[at] ?? GIVEN])),
    fronts: new Set([GIVEN]),
    alsoFront: new Set(),
    hasEarlier: prints.some((print) => typeof print === 'string'),
    swept: given.length,
  };
}

/** Returns the print by which the row of a text is known, or will be. */
export function printIn({ receivers, hasEarlier }: Known, text: Buffer): Print {
  if (!hasEarlier) return printOf(text);
  const earlier = earlierPrintOf(text);
  return receivers.has(earlier) ? earlier : printOf(text);
}

/** Returns the created second of a time, rounded down. */
export function secondOf(created: Instant): number {
  return Math.floor(Number(created) / 1e9);
}

/** Notes that a chain is the front from now on. */
export function noteFront(known: Known, chain: number): void {
  known.fronts = new Set([...known.fronts, chain]);
}

/** Notes the receipt of a row by a chain. */
export function receive(known: Known, print: Print, second: number, chain: number): void {
  const { prints, seconds, chains, receivers, fronts, alsoFront } = known;
  const before = receivers.get(print);
  if (before !== undefined && fronts.has(before) && !fronts.has(chain)) alsoFront.add(print);
  prints.push(print);
  seconds.push(second);
  chains.push(chain);
  receivers.set(print, chain);
}

/** Returns whether the front has returned a row, even if a chain ahead has returned it since. */
export function isOfFront({ receivers, fronts, alsoFront }: Known, print: Print): boolean {
  const receiver = receivers.get(print);
  return receiver !== undefined && (fronts.has(receiver) || alsoFront.has(print));
}

/**
 * Forgets rows that were created before a second, unless they are among the last received. Does so only when enough rows were received
 * since the last time.
 */
export function forgetBefore(known: Known, second: number, { lastReceived, sweptAfter }: KnownLimits): void {
  const { prints, seconds, chains, alsoFront, swept } = known;
  if (prints.length < 2 * swept + sweptAfter) return;
  const latest = new Map<Print, number>(); // the last receipts of the rows that are left
  for (let at = prints.length - 1; at >= 0; at--) {
    if (latest.size >= lastReceived && (seconds[at] ?? UNKNOWN_SECOND) < second) continue;
    const print = prints[at] ?? '';
    if (!latest.has(print)) latest.set(print, at);
  }
  const left = [...latest].toReversed();
  const chainOf = (print: Print, at: number): number =>
    alsoFront.has(print) ? GIVEN : (chains[at] ?? GIVEN);
  known.prints = left.map(([print]) => print);
  known.seconds = left.map(([, at]) => seconds[at] ?? UNKNOWN_SECOND);
  known.chains = left.map(([print, at]) => chainOf(print, at));
  known.receivers = new Map(left.map(([print, at]) => [print, chainOf(print, at)]));
  known.alsoFront = new Set();
  known.swept = left.length;
}

/** Returns what was received up to this moment, whatever is received or forgotten later. */
export function receiptsOf({ prints, seconds, chains, fronts }: Known): Receipts {
  return { prints, seconds, chains, fronts, length: prints.length };
}

/**
 * Returns the rows of a state, and whether there was no room for some that may be returned again. Rows created before a second are left
 * out, unless they are among the last received.
 */
export function seenIn(
  receipts: Receipts,
  fromSecond: number,
  { maxSeen, lastReceived }: KnownLimits,
): SeenRows & { readonly isFull: boolean } {
  const { fronts } = receipts;
  const found = new Set<Print>();
  const needed = { fromSecond, lastReceived, most: maxSeen + 1 };
  const seen = latestOf(receipts, found, (chain) => fronts.has(chain), needed);
  const most = maxSeen + 1 - seen.length;
  const ahead = latestOf(receipts, found, (chain) => !fronts.has(chain), { ...needed, most });
  return {
    seen: seen.slice(-maxSeen),
    ahead: ahead.slice(ahead.length === most ? 1 : 0),
    isFull: ahead.length === most,
  };
}

/** Rows in the order of receipt. */
export interface Receipts extends Pick<Known, 'prints' | 'seconds' | 'chains' | 'fronts'> {
  readonly length: number;
}

/** Returns the last receipts by some chains of rows that are needed and not found before, in their order, and at most `most` of them. */
function latestOf(
  { prints, seconds, chains, length }: Receipts,
  found: Set<Print>,
  isBy: (chain: number) => boolean,
  {
    fromSecond,
    lastReceived,
    most,
  }: { readonly fromSecond: number; readonly lastReceived: number; readonly most: number },
): SeenRow[] {
  const rows: SeenRow[] = [];
  let received = 0;
  for (let at = length - 1; at >= 0 && rows.length < most; at--) {
    const print = prints[at] ?? '';
    const second = seconds[at] ?? UNKNOWN_SECOND;
    if (!isBy(chains[at] ?? GIVEN) || found.has(print)) continue;
    found.add(print);
    received++;
    if (received <= lastReceived || second >= fromSecond) rows.push({ print, second });
  }
  return rows.toReversed();
}
