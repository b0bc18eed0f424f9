import { formats, nanosOf, parseInstant, type Instant } from '../data/instant.ts';
import { fraction, mix } from '../data/random.ts';
import { firstPlace, type RowList } from '../data/row-list.ts';
import type { PagedBy } from '../lists.ts';
import { cursorOptions, type CursorOptions, type Options } from '../options.ts';
import type { Rows } from '../rows.ts';
import { checkNames, jsonAnswer, Refusal, single, wholeNumber, type Answer, type Query } from './answer.ts';
import { createCursors, type CursorContent, type RowKey } from './cursors.ts';
import { envelope } from './envelope.ts';

/** Empty pages that one place of a chain can have in a row, so that every chain comes to its end. */
const emptyPagesInARow = 3;
const endText = { empty: '{"nextCursor":""}', null: '{"nextCursor":null}', absent: '{}' } as const;

/** Serves a cursor-paged list, oldest row first. Throws a {@link Refusal} for parameters that are not in order. */
export function createCursorList(name: PagedBy<'cursor'>, seed: number, rows: Rows) {
  const { list } = rows;
  const cursors = createCursors(seed);
  const orders = createOrders(list, seed);

  /** Undefined: from the beginning. */
  function cursorOf(after: string | undefined, own: CursorOptions, now: number): CursorContent | undefined {
    if (after === undefined) return undefined;
    const cursor = cursors.read(after);
    if (cursor === undefined) throw new Refusal('badRequest', 'after: no cursor of this list');
    const life = own.cursorLifetimeSeconds;
    if (life === null || now - cursor.issuedMicros < life * 1_000_000) return cursor;
    if (own.expiredCursor === 'refuse') throw new Refusal('badRequest', 'after: the cursor has expired');
    return undefined;
  }

  /** A pure function of the cursor: the same request gets the same page. */
  function isEmptyPage({ emptyPages, createdMicros, row }: CursorContent, own: CursorOptions): boolean {
    return (
      emptyPages < emptyPagesInARow && fraction(seed, createdMicros, row, emptyPages, 14) < own.emptyPages
    );
  }

  return (query: Query, options: Options, nowMicros: number): Answer => {
    const own = cursorOptions(options, name);
    checkNames(query, ['limit', 'after', 'createdSince'], options);
    const limit = Math.min(wholeNumber(query, 'limit', 1) ?? own.maxPageSize, own.maxPageSize);
    const asked = readCreatedSince(single(query, 'createdSince'), options);
    const cursor = cursorOf(single(query, 'after'), own, nowMicros);
    const since = boundOf(asked, cursor, own);

    const order = orders(own.order, list.lowerIndex(lowestCreated(since, own, options), 0));
    const start = cursor === undefined ? 0 : order.placesUpTo(cursor);
    const left = order.length - start;
    const empty = cursor !== undefined && left > 0 && isEmptyPage(cursor, own);
    const count = empty ? 0 : Math.min(limit, left);

    const text = rows.render(options);
    let last: CursorContent | undefined = empty
      ? { ...cursor, emptyPages: cursor.emptyPages + 1 }
      : undefined;
    const items = Array.from({ length: count }, (_, place) => {
      const index = order.indexAt(start + place);
      const key = { row: list.row(index), createdMicros: list.createdMicros(index) };
      last = { ...key, since, issuedMicros: 0, emptyPages: 0 };
      return text(key.row, key.createdMicros);
    });
    const more = empty || left > count || (own.trailingEmptyPage && count === limit);
    const pagination =
      more && last !== undefined
        ? `{"nextCursor":"${cursors.write({ ...last, issuedMicros: nowMicros }, own.cursor)}"}`
        : endText[own.end];
    return jsonAnswer(200, envelope(items, pagination, options), count);
  };
}

/** Throws a {@link Refusal} if it is no date-time. */
function readCreatedSince(text: string | undefined, options: Options): Instant | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, options.createdSinceStrict ? options.createdFormat : undefined);
  if (instant !== undefined) return instant;
  const expected = options.createdSinceStrict ? ` in the format ${options.createdFormat}` : '';
  throw new Refusal('badRequest', `createdSince: a date-time${expected} is expected, not "${text}"`);
}

function boundOf(
  asked: Instant | undefined,
  cursor: CursorContent | undefined,
  own: CursorOptions,
): Instant | undefined {
  if (cursor === undefined) return asked;
  if (own.cursorSince === 'cursor') return cursor.since;
  const same = asked?.micros === cursor.since?.micros && asked?.nanos === cursor.since?.nanos;
  if (own.cursorSince === 'mustMatch' && !same)
    throw new Refusal('badRequest', 'createdSince: not the one that the chain of this cursor began with');
  return asked;
}

/**
 * The lowest created time, in microseconds, of a row that a bound lets pass. What is compared is the created date as it
 * is shown: a server that shows seconds treats all rows of one second alike.
 */
function lowestCreated(since: Instant | undefined, own: CursorOptions, options: Options): number {
  if (since === undefined) return Number.NEGATIVE_INFINITY;
  const cut = { exact: undefined, second: 1_000_000, minute: 60_000_000 }[own.boundPrecision];
  const bound = cut === undefined ? since : { micros: Math.floor(since.micros / cut) * cut, nanos: 0 };
  const { step } = formats[options.createdFormat];
  const shown = Math.floor(bound.micros / step) * step;
  const shownNanos = options.createdFormat === 'nanoseconds' ? nanosOf(shown) : 0;
  const difference = shown - bound.micros || shownNanos - bound.nanos;
  const passes = difference > 0 || (difference === 0 && own.bound === 'inclusive');
  return passes ? shown : shown + step;
}

/** The rows of one request in the order in which they are served. */
interface Order {
  length: number;
  /** The list index of the n-th served row. */
  indexAt: (place: number) => number;
  /** How many places stand at or before the key, whether or not its row is (still) there. */
  placesUpTo: (key: RowKey) => number;
}

/** Puts the rows from a list index on into one of the orders; the shuffled one is made once for each state of the list. */
function createOrders(list: RowList, seed: number) {
  let shuffled = { version: -1, from: 0, indexes: new Uint32Array() };
  const compare = (a: number, b: number): number => mix(seed, a, 11) - mix(seed, b, 11) || a - b;

  function shuffle(from: number): Order {
    if (shuffled.version !== list.version() || shuffled.from !== from) {
      const indexes = Uint32Array.from({ length: list.size() - from }, (_, place) => from + place);
      indexes.sort((a, b) => compare(list.row(a), list.row(b)));
      shuffled = { version: list.version(), from, indexes };
    }
    const { length } = shuffled.indexes;
    const indexAt = (place: number): number => shuffled.indexes[place] ?? 0;
    const placesUpTo = (key: RowKey): number =>
      firstPlace(length, (place) => compare(list.row(indexAt(place)), key.row) > 0);
    return { length, indexAt, placesUpTo };
  }

  return (order: CursorOptions['order'], from: number): Order => {
    const size = list.size();
    const length = size - from;
    if (order === 'shuffled') return shuffle(from);
    if (order === 'ascending')
      return {
        length,
        indexAt: (place) => from + place,
        placesUpTo: ({ createdMicros, row }) => Math.max(0, list.lowerIndex(createdMicros, row + 1) - from),
      };
    return {
      length,
      indexAt: (place) => size - 1 - place,
      placesUpTo: ({ createdMicros, row }) => Math.min(length, size - list.lowerIndex(createdMicros, row)),
    };
  };
}
