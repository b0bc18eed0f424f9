import type { PagedBy } from '../lists.ts';
import { offsetMembers, optionsOf, type MemberOption, type Options } from '../options.ts';
import { indexFrom, type Row, type Rows } from '../rows.ts';
import { ApiError, jsonAnswer, parametersOf, parseInteger, type Answer, type Query } from './answer.ts';
import { envelope } from './envelope.ts';

const defaultLimit = 50;

/** Returns the pages of an offset-paged list, newest row first. Throws an {@link ApiError} for invalid parameters. */
export function createOffsetList(name: PagedBy<'offset'>, rows: Rows) {
  let turn = 0;
  return (query: Query, options: Options): Answer => {
    const own = optionsOf(options, 'offset', name);
    const given = parametersOf(query, ['limit', 'offset'], options);
    const limit = parseInteger(given.limit, 1, defaultLimit);
    const offset = parseInteger(given.offset, 0, 0);
    if (own.limitRefusedAbove !== null && limit > own.limitRefusedAbove)
      throw new ApiError('badRequest', `limit: must be at most ${own.limitRefusedAbove}`);
    const granted = Math.min(limit, own.limitCap ?? limit);
    const present = rows.present();
    const total = present.length;
    turn += 1;
    const end = Math.min(offset + granted, own.depth ?? total);
    if (own.refusesBeyond && offset > 0 && offset >= Math.min(total, own.depth ?? total))
      throw new ApiError('badRequest', `offset: there are no rows at ${offset}`);
    const served = present
      .slice(Math.max(0, total - Math.max(offset, end)), Math.max(0, total - offset))
      .toReversed();
    const page = own.order === 'stable' ? served : served.map((row) => swapped(present, row, turn));
    const right: Record<(typeof offsetMembers)[number], number> = {
      offset,
      limit,
      previousOffset: Math.max(0, offset - granted),
      nextOffset: offset + granted,
      currentPage: Math.floor(offset / granted) + 1,
      pageCount: Math.ceil(total / granted),
      totalCount: total,
    };
    // JSON omits undefined
    const members = offsetMembers.map((member) => [member, shown(own.pagination[member], right[member])]);
    const pagination = JSON.stringify(Object.fromEntries(members));
    const body = envelope(page.map(rows.textsBy(options)), pagination, options);
    const later = offset + page.length >= total ? 'last' : 'middle';
    const place = offset === 0 ? 'first' : later;
    return jsonAnswer(200, body, { page: place, held: page.map(({ number }) => number) });
  };
}

/** Returns the row that takes the place of another with the same created time; the order rotates with every request. */
function swapped(rows: readonly Row[], { number, createdMicros }: Row, turn: number): Row {
  const from = indexFrom(rows, { createdMicros, number: 0 });
  const equal = rows.slice(from, indexFrom(rows, { createdMicros, number: Number.POSITIVE_INFINITY }));
  const index = equal.findIndex((row) => row.number === number);
  return equal[(index + turn) % equal.length] as Row;
}

function shown(option: MemberOption, right: number): number | null | undefined {
  if (typeof option === 'object') return right + option.plus;
  // half of the correct number, a total that ends a read too early; 1 instead of 0
  const wrong = right === 0 ? 1 : Math.floor(right / 2);
  return { right, absent: undefined, null: null, minusOne: -1, wrong }[option];
}
