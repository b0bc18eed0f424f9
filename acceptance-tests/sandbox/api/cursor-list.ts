import { randomBytes } from 'node:crypto';
import { envelope } from '../../model/envelope.ts';
import { formats, nanosOf, parseInstant, type Instant } from '../data/instant.ts';
import { fraction, mix } from '../data/random.ts';
import type { PagedBy } from '../lists.ts';
import { optionsOf, type CursorOptions, type Options } from '../options.ts';
import { indexFrom, type Place, type Row, type Rows } from '../rows.ts';
import { ApiError, jsonAnswer, parametersOf, parseInteger, type Answer, type Query } from './answer.ts';

/** The position of a cursor: the last row that was returned. */
interface Cursor extends Place {
  since: Instant | undefined; // the `createdSince` of the request that returned it
  emptyPages: number; // the number of empty pages returned at this position
}

const maxEmptyPages = 3; // the maximum number of consecutive empty pages, so that every chain ends
const endText = { empty: '{"nextCursor":""}', null: '{"nextCursor":null}', absent: '{}' } as const;

/** Returns the pages of a cursor-paged list, oldest row first. Throws an {@link ApiError} for invalid parameters. */
export function createCursorList(name: PagedBy<'cursor'>, seed: number, rows: Rows) {
  const cursors = new Map<string, Cursor>();

  /** Depends on the cursor only, so that the same request returns the same page. */
  function isEmptyPage({ emptyPages, createdMicros, number }: Cursor, own: CursorOptions): boolean {
    const chance = fraction(seed, createdMicros, number, emptyPages, 14);
    return emptyPages < maxEmptyPages && chance < own.emptyPages;
  }

  function newCursor(cursor: Cursor): string {
    const text = `c${randomBytes(18).toString('base64url')}`;
    cursors.set(text, cursor);
    return text;
  }

  return (query: Query, options: Options): Answer => {
    const own = optionsOf(options, 'cursor', name);
    const { limit, after, createdSince } = parametersOf(query, ['limit', 'after', 'createdSince'], options);
    const granted = Math.min(parseInteger(limit, 1, own.maxPageSize), own.maxPageSize);
    const cursor = cursors.get(after ?? '');
    if (after !== undefined && cursor === undefined)
      throw new ApiError('badRequest', 'after: not a cursor of this list');
    const since = boundOf(readCreatedSince(createdSince, options), cursor, own);

    const present = rows.present();
    const lowest = indexFrom(present, { createdMicros: lowestCreated(since, own, options), number: 0 });
    const left = rowsAfter(cursor, present.slice(lowest), own, seed);
    const empty = cursor !== undefined && left.length > 0 && isEmptyPage(cursor, own);
    const served = empty ? [] : left.slice(0, granted);

    const more = empty || left.length > served.length;
    const { number, createdMicros }: Place = served.at(-1) ?? cursor ?? { number: 0, createdMicros: 0 };
    const emptyPages = empty ? cursor.emptyPages + 1 : 0;
    const pagination = more
      ? `{"nextCursor":"${newCursor({ number, createdMicros, emptyPages, since })}"}`
      : endText[own.end];
    const body = envelope(served.map(rows.textsBy(options)), pagination, options);
    const later = more ? 'middle' : 'last';
    const page = after === undefined ? 'first' : later;
    return jsonAnswer(200, body, { page, held: served.map((row) => row.number) });
  };
}

function readCreatedSince(text: string | undefined, options: Options): Instant | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, options.createdSinceStrict ? options.createdFormat : undefined);
  if (instant !== undefined) return instant;
  const format = options.createdSinceStrict ? ` in the format ${options.createdFormat}` : '';
  throw new ApiError('badRequest', `createdSince: expected a date-time${format}, got "${text}"`);
}

function boundOf(requested: Instant | undefined, cursor: Cursor | undefined, own: CursorOptions) {
  if (cursor === undefined) return requested;
  if (own.cursorSince === 'cursor') return cursor.since;
  const same = requested?.micros === cursor.since?.micros && requested?.nanos === cursor.since?.nanos;
  if (own.cursorSince === 'mustMatch' && !same)
    throw new ApiError('badRequest', 'createdSince: differs from that of the first request of the chain');
  return requested;
}

/**
 * Returns the lowest created time within a bound, in microseconds. Compares created times as they are shown: a server that
 * shows seconds treats all rows of a second alike.
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

/** Returns the rows after a cursor, in order, even if its own row has been deleted. */
function rowsAfter(cursor: Cursor | undefined, rows: readonly Row[], { order }: CursorOptions, seed: number) {
  if (cursor === undefined && order === 'ascending') return rows;
  if (cursor !== undefined && order === 'ascending')
    return rows.slice(indexFrom(rows, { ...cursor, number: cursor.number + 1 }));
  const compare = ({ number: a }: Place, { number: b }: Place) =>
    mix(seed, a, 11) - mix(seed, b, 11) || a - b;
  return rows.filter((row) => cursor === undefined || compare(row, cursor) > 0).toSorted(compare);
}
