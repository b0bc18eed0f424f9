import { fraction, mix } from '../data/random.ts';
import type { PagedBy } from '../lists.ts';
import { offsetMembers, optionsOf, type MemberOption, type OffsetOptions, type Options } from '../options.ts';
import { indexFrom, type Row, type Rows } from '../rows.ts';
import { checkNames, jsonAnswer, Refusal, wholeNumber, type Answer, type Query } from './answer.ts';
import { envelope } from './envelope.ts';

const defaultLimit = 50;

/** Serves an offset-paged list, newest row first. The answer is a {@link Refusal}, thrown, for parameters not in order. */
export function createOffsetList(name: PagedBy<'offset'>, seed: number, rows: Rows) {
  let turn = 0;
  return (query: Query, options: Options): Answer => {
    const own = optionsOf(options, 'offset', name);
    const living = rows.living();
    checkNames(query, ['limit', 'offset'], options);
    const limit = wholeNumber(query, 'limit', 1) ?? defaultLimit;
    const offset = wholeNumber(query, 'offset', 0) ?? 0;
    if (own.limitRefusedAbove !== null && limit > own.limitRefusedAbove)
      throw new Refusal('badRequest', `limit: at most ${own.limitRefusedAbove}`);
    const granted = Math.min(limit, own.limitCap ?? limit);
    const total = living.length;
    const full = Math.max(0, Math.min(granted, total - offset));
    const short = offset + full < total && fraction(seed, offset, granted, 7) < own.shortPages;
    // never a single row where there are two: no reader could tie such pages to one another
    const count = short && full > 2 ? 2 + (mix(seed, offset, granted, 8) % (full - 2)) : full;

    turn += 1;
    const page = Array.from({ length: count }, (_, place) => {
      const newestFirst = total - 1 - offset - place;
      return living[own.order === 'stable' ? newestFirst : swapped(living, newestFirst, turn)] as Row;
    });
    const pagination = {
      offset,
      limit,
      previousOffset: Math.max(0, offset - granted),
      nextOffset: offset + granted,
      currentPage: Math.floor(offset / granted) + 1,
      pageCount: Math.ceil(total / granted),
      totalCount: total,
    };
    const body = envelope(page.map(rows.textsBy(options)), paginationText(pagination, own), options);
    const isLast = offset + count >= total;
    return jsonAnswer(200, body, { rows: count, page: offset === 0 ? 'first' : isLast ? 'last' : 'middle' });
  };
}

/** Where `index` points among the rows of equal created time, whose order turns with every request. */
function swapped(rows: readonly Row[], index: number, turn: number): number {
  const { createdMicros } = rows[index] as Row;
  const first = indexFrom(rows, { createdMicros, number: 0 });
  const length = indexFrom(rows, { createdMicros, number: Number.POSITIVE_INFINITY }) - first;
  return first + ((index - first + turn) % length);
}

/** The JSON text of the pagination object, each member as its option wants it. */
function paginationText(right: Record<(typeof offsetMembers)[number], number>, own: OffsetOptions): string {
  const members = offsetMembers.map((name) => [name, served(own.pagination[name], right[name])]);
  // JSON leaves out what is undefined
  return JSON.stringify(Object.fromEntries(members));
}

function served(option: MemberOption, right: number): number | null | undefined {
  if (typeof option === 'object') return right + option.plus;
  // half of the right number, which as a total ends a read too soon; 1 instead of 0
  const wrong = right === 0 ? 1 : Math.floor(right / 2);
  return { right, absent: undefined, null: null, minusOne: -1, wrong }[option];
}
