import { randomBytes } from 'node:crypto';
import { isRefusal } from '../../model/answer.ts';
import {
  ORDINARY_CURSORS,
  cursorAnswer,
  type Cursor,
  type CursorParameters,
  type OrderedRows,
} from '../../model/cursor-answer.ts';
import { envelope } from '../../model/envelope.ts';
import { orderOf } from '../../model/orders.ts';
import { UNITS } from '../../model/time-forms.ts';
import { parseInstant, shownTime } from '../data/instant.ts';
import { fraction, mix } from '../data/random.ts';
import type { PagedBy } from '../lists.ts';
import { optionsOf, type CursorOptions, type Options } from '../options.ts';
import type { Place, Row, Rows } from '../rows.ts';
import { ApiError, jsonAnswer, parametersOf, parseInteger, type Answer, type Query } from './answer.ts';

const maxEmptyPages = 3; // the maximum number of consecutive empty pages, so that every chain ends
/** Cursors never expire. */
const NOW = { ms: 0, read: 0 };

/** Returns the pages of a cursor-paged list, oldest row first. Throws an {@link ApiError} for invalid parameters. */
export function createCursorList(name: PagedBy<'cursor'>, seed: number, rows: Rows) {
  const cursors = new Map<string, Cursor<Row>>();
  const listIn = createOrders(seed);

  /** Depends on the cursor only, so that the same request returns the same page. */
  function isEmptyPage({ emptyPages, after }: Cursor<Row>, own: CursorOptions): boolean {
    const { createdMicros, number } = after ?? { createdMicros: 0, number: 0 };
    const chance = fraction(seed, createdMicros, number, emptyPages, 14);
    return emptyPages < maxEmptyPages && chance < own.emptyPages;
  }

  function textOf(cursor: Cursor<Row>): string {
    const text = `c${randomBytes(18).toString('base64url')}`;
    cursors.set(text, cursor);
    return text;
  }

  return (query: Query, options: Options): Answer => {
    const own = optionsOf(options, 'cursor', name);
    const { limit, after, createdSince } = parametersOf(query, ['limit', 'after', 'createdSince'], options);
    const cursor = after === undefined ? null : cursors.get(after);
    const request = {
      limit: parseInteger(limit, 1, own.maxPageSize),
      since: readCreatedSince(createdSince, options),
      after: after ?? null,
      cursor,
    };
    const list = listIn(rows.present(), own, options);
    const size = (granted: number, rest: number): number =>
      cursor && rest > 0 && isEmptyPage(cursor, own) ? 0 : granted;
    const page = cursorAnswer(list, request, parametersFor(own), NOW, size);
    if (isRefusal(page)) throw new ApiError('badRequest', page.error);
    const nextCursor = page.next === null ? page.lastCursor : textOf(page.next);
    const body = envelope(page.rows.map(rows.textsBy(options)), JSON.stringify({ nextCursor }), options);
    const later = page.next === null ? 'last' : 'middle';
    const place = after === undefined ? 'first' : later;
    return jsonAnswer(200, body, { page: place, held: page.rows.map((row) => row.number) });
  };
}

function readCreatedSince(text: string | undefined, options: Options): bigint | null {
  if (text === undefined) return null;
  const instant = parseInstant(text, options.createdSinceStrict ? options.createdFormat : null);
  if (instant !== null) return instant;
  const format = options.createdSinceStrict ? ` in the format ${options.createdFormat}` : '';
  throw new ApiError('badRequest', `createdSince: expected a date-time${format}, got "${text}"`);
}

const BOUND_UNITS = { exact: 1n, second: UNITS.second, minute: UNITS.minute };
const BOUNDS_OF_CURSORS = {
  mustMatch: 'must be equal',
  request: 'of the request',
  cursor: 'of the cursor',
} as const;

/** The parameters of the model that options stand for; the status of a refusal is an option of its own. */
function parametersFor({
  bound,
  boundPrecision,
  cursorSince,
  end,
  maxPageSize,
}: CursorOptions): CursorParameters {
  return {
    ...ORDINARY_CURSORS,
    maxPerPage: maxPageSize,
    bound: { unit: BOUND_UNITS[boundPrecision], rounds: 'down', isExclusive: bound === 'exclusive' },
    boundOfCursor: BOUNDS_OF_CURSORS[cursorSince],
    lastCursor: end,
  };
}

/**
 * Returns a function that returns rows, which it receives oldest first, in the order of an option. Bounds refer to created times as they are
 * shown: a server that shows seconds treats all rows of a second alike.
 */
function createOrders(seed: number) {
  const keys = {
    number: ({ number }: Place) => number,
    created: ({ createdMicros }: Place) => createdMicros,
    hash: ({ number }: Place) => mix(seed, number, 11),
    isApart: () => false,
  };
  const orders = { ascending: orderOf('by created time', keys), shuffled: orderOf('shuffled', keys) };
  /** The last rows that were shuffled. */
  let last: { readonly present: readonly Row[]; readonly rows: readonly Row[] } | null = null;
  const shuffled = (present: readonly Row[]): readonly Row[] => {
    if (last?.present === present) return last.rows;
    const rows = present.toSorted((a, b) => Number(orders.shuffled(b, a)) - Number(orders.shuffled(a, b)));
    last = { present, rows };
    return rows;
  };
  return (
    present: readonly Row[],
    { order }: CursorOptions,
    { createdFormat }: Options,
  ): OrderedRows<Row> => ({
    rows: order === 'ascending' ? present : shuffled(present),
    isBefore: orders[order],
    timeOf: ({ createdMicros }) => shownTime(createdMicros, createdFormat),
    isAscending: order === 'ascending',
  });
}
