import type { Identity } from '../identities.ts';
import type { NumberedPage } from './pass.ts';

// What the rows of pages tell about the list, which no total does: their order, lines that repeat rows, rows that share a key.

const FIRST_ROOM = 1024;
const MOST_SHORTFALLS = 8;
/** Between the ranks of new rows at the beginning of a page and the first known row. */
const BEFORE_FIRST = 1e-6;

/** The ranks of the rows of a pass, to notice whether the list keeps its order; changed by `keepsOrder`. */
export interface Order {
  ranks: Float64Array; // by identity; 0 if a row has none
  floors: Float64Array; // by identity: the largest rank of a row before it; 0 if none was seen
  shownAt: Float64Array; // by identity: the number of the latest page with the row
  last: number; // the latest rank
  readonly offsets: number[]; // of the pages
  shortfalls: readonly Shortfall[]; // the largest ones
  reached: number; // the largest offset after a page
  before: Before | null; // of the latest page with rows; changed by `moveOf`
}

/** A part of the list of which a page shows fewer rows than earlier ones. */
interface Shortfall {
  readonly after: number; // the rank of its first row
  readonly last: number; // that of its last one
  readonly page: number;
  readonly missing: number; // rows, about
}

/** Returns the order of a pass that has not begun. */
export function newOrder(): Order {
  return {
    ranks: new Float64Array(FIRST_ROOM),
    floors: new Float64Array(FIRST_ROOM),
    shownAt: new Float64Array(FIRST_ROOM),
    last: 0,
    offsets: [],
    shortfalls: [],
    reached: 0,
    before: null,
  };
}

/**
 * Takes the rows of a tied page. Returns false if rows that were seen before appear in another order, which no insertion and no
 * deletion explains. New rows between two known ones were inserted there, or deleted since the page was shown, and get ranks there.
 */
export function keepsOrder(
  order: Order,
  { offset, identities }: Pick<NumberedPage, 'offset' | 'identities'>,
): boolean {
  makeRoom(
    order,
    identities.reduce((most, identity) => Math.max(most, identity), 0),
  );
  const { ranks, floors } = order;
  const rankAt = (index: number): number => ranks[identities[index] as Identity] as number;
  const known = identities.flatMap((identity, index) => (ranks[identity] === 0 ? [] : [index]));
  // all rows were deleted or pushed down: the pass begins anew
  if (offset === 0 && known.length === 0) for (const seen of [ranks, floors]) seen.fill(0);
  const isKept = raiseFloors(order, identities);
  for (const [nth, end] of known.entries()) {
    const start = known[nth - 1] ?? -1;
    const before = start === -1 ? rankAt(end) - BEFORE_FIRST : rankAt(start);
    const step = (rankAt(end) - before) / (end - start);
    for (let index = start + 1; index < end; index++) {
      const identity = identities[index] as Identity;
      ranks[identity] = Math.max(before + step * (index - start), floors[identity] as number);
    }
  }
  const lastKnown = known.at(-1);
  // other rows may follow these: they get a rank where a page shows them between known rows
  const isAtEnd =
    lastKnown === undefined ? offset + identities.length > order.reached : rankAt(lastKnown) === order.last;
  noteShown(order, offset, identities, known);
  if (isAtEnd) append(order, identities);
  order.reached = Math.max(order.reached, offset + identities.length);
  return isKept;
}

/** Notes which rows stand before those of a page. Returns false if one of these stands before them, too. */
function raiseFloors({ ranks, floors }: Order, identities: readonly Identity[]): boolean {
  let floor = 0;
  let isKept = true;
  for (const identity of identities) {
    const rank = ranks[identity] as number;
    isKept &&= rank === 0 || rank >= floor;
    floor = Math.max(floor, rank, floors[identity] as number);
    floors[identity] = floor;
  }
  return isKept;
}

/** Rows that were shown on a page at `offset`, and are missing from a later one at `laterOffset`. */
export interface MissingRows {
  readonly offset: number;
  readonly laterOffset: number;
  readonly identities: readonly Identity[];
}

/**
 * Returns the most rows of one page that are missing from a later page though rows before and behind them are shown, and from all pages
 * after that; null if none are. They were deleted or, if the later page shows an earlier list, inserted; or the order has changed.
 */
export function missingRows({ ranks, shownAt, offsets, shortfalls }: Order): MissingRows | null {
  let most: MissingRows | null = null;
  for (const { after, last, page } of shortfalls) {
    const byPage = new Map<number, Identity[]>();
    for (const [identity, rank] of ranks.entries()) {
      const shown = shownAt[identity] as number;
      if (rank <= after || rank > last || shown >= page) continue;
      const identities = byPage.get(shown) ?? [];
      identities.push(identity);
      byPage.set(shown, identities);
    }
    for (const [shown, identities] of byPage)
      if (identities.length > (most?.identities.length ?? 0))
        most = {
          offset: offsets[shown - 1] as number,
          laterOffset: offsets[page - 1] as number,
          identities,
        };
  }
  return most;
}

/** True if one of these rows is not on a page, though rows before it and then rows behind it are. */
export function isMissing({ ranks }: Order, rows: readonly Identity[], page: readonly Identity[]): boolean {
  const shown = page.map((identity) => ranks[identity] ?? 0);
  // a new row at the end stands behind all others
  if (shown.at(-1) === 0) shown.push(Infinity);
  return rows.some((row) => {
    const rank = ranks[row] as number;
    const before = shown.findIndex((one) => one > 0 && one < rank);
    return !page.includes(row) && before !== -1 && shown.findLastIndex((one) => one > rank) > before;
  });
}

/** Notes on which page rows were shown last, and whether known ones are missing between its rows; where new ones follow, all others are. */
function noteShown(
  order: Order,
  offset: number,
  identities: readonly Identity[],
  known: readonly number[],
): void {
  const page = order.offsets.push(offset);
  for (const identity of identities) order.shownAt[identity] = page;
  const [first, end] = [known[0], known.at(-1)];
  if (first === undefined || end === undefined) return;
  const rankAt = (index: number): number => order.ranks[identities[index] as Identity] as number;
  const after = rankAt(first);
  const last = end < identities.length - 1 ? order.last : rankAt(end);
  const missing = last - after - known.length + 1;
  if (missing > 0)
    order.shortfalls = [...order.shortfalls, { after, last, page, missing }]
      .toSorted((one, other) => other.missing - one.missing)
      .slice(0, MOST_SHORTFALLS);
}

function append(order: Order, identities: readonly Identity[]): void {
  for (const identity of identities) {
    if (order.ranks[identity] !== 0) continue;
    order.last++;
    order.ranks[identity] = order.last;
  }
}

function makeRoom(order: Order, identity: Identity): void {
  if (identity < order.ranks.length) return;
  const room = Math.max(2 * order.ranks.length, identity + 1);
  order.ranks = copied(order.ranks, room);
  order.floors = copied(order.floors, room);
  order.shownAt = copied(order.shownAt, room);
}

function copied(seen: Float64Array, room: number): Float64Array {
  const copy = new Float64Array(room);
  copy.set(seen);
  return copy;
}

/** The last row of an accepted page, and what is known of the page. */
interface Before extends Pick<Move, 'count' | 'limit'> {
  readonly last: Identity | undefined;
  readonly at: number; // the offset of that row
}

/** By how many rows the last row of a page had moved down on the next one. */
export interface Move {
  readonly by: number;
  readonly count: number; // rows of the page
  readonly limit: number; // that were requested
}

/** Returns by how many rows the list has moved down since the page before, and remembers the page; none if it has not. */
export function moveOf(order: Order, { offset, limit, identities }: NumberedPage): readonly Move[] {
  const { before } = order;
  const count = identities.length;
  if (count > 0) order.before = { last: identities.at(-1), at: offset + count - 1, count, limit };
  const at = before?.last === undefined ? -1 : identities.lastIndexOf(before.last);
  const by = at === -1 || before === null ? 0 : offset + at - before.at;
  if (before === null || by <= 0 || at === count - 1) return [];
  return [{ by, count: before.count, limit: before.limit }];
}

/**
 * Returns how many rows a service seems to leave out of pages after it has cut them: after such a page, which is short, the list seems to
 * have moved down, and after no full one, as where rows are inserted.
 */
export function rowsLeftOut(moves: readonly Move[], granted: number): number {
  const isShort = ({ count, limit }: Move): boolean => count < Math.min(granted, limit);
  return moves.every(isShort) ? moves.reduce((sum, { by }) => sum + by, 0) : 0;
}

/** Rows of a page with their numbers. */
interface NumberedRows<R> {
  readonly identities: readonly Identity[];
  readonly rows: readonly R[];
}

type IsSame<R> = (one: R, other: R) => boolean;

/** Lines of one page that show a row again, at most, by row: services that join tables list a row several times, and count its lines. */
export type RepeatedLines = Map<Identity, number>;

/**
 * Counts the lines of a page that show a row again with the same text. Returns a row that has the key of a different row of the page, so that
 * only the first of them is emitted; undefined if there is none.
 */
export function countLines<R>(
  lines: RepeatedLines,
  { identities, rows }: NumberedRows<R>,
  isSame: IsSame<R>,
): R | undefined {
  const first = new Map<Identity, R>();
  const again = new Map<Identity, number>();
  let clash: R | undefined;
  for (const [index, identity] of identities.entries()) {
    const row = rows[index] as R;
    const before = first.get(identity);
    if (before === undefined) first.set(identity, row);
    else if (isSame(before, row)) again.set(identity, (again.get(identity) ?? 0) + 1);
    else clash ??= row;
  }
  for (const [identity, count] of again) lines.set(identity, Math.max(count, lines.get(identity) ?? 0));
  return clash;
}

/** Returns how many lines show a row again. */
export function repeatedLines(lines: RepeatedLines): number {
  let sum = 0;
  for (const count of lines.values()) sum += count;
  return sum;
}
