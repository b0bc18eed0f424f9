import type { PagedBy } from '../lists.ts';
import { offsetMembers, optionsOf } from '../options.ts';
import type { MemberOption, Options } from '../options.ts';
import { indexFrom } from '../rows.ts';
import type { Row, Rows } from '../rows.ts';
import { jsonAnswer, parametersOf, Refusal, wholeNumber } from './answer.ts';
import type { Answer, Query } from './answer.ts';
import { envelope } from './envelope.ts';

const defaultLimit = 50;

/** Serves an offset-paged list, newest row first. Throws a {@link Refusal} for parameters that are not in order. */
export function createOffsetList(name: PagedBy<'offset'>, rows: Rows) {
  let turn = 0;
  return (query: Query, options: Options): Answer => {
    const own = optionsOf(options, 'offset', name);
    const given = parametersOf(query, ['limit', 'offset'], options);
    const limit = wholeNumber(given.limit, 1, defaultLimit);
    const offset = wholeNumber(given.offset, 0, 0);
    if (own.limitRefusedAbove !== null && limit > own.limitRefusedAbove)
      throw new Refusal('badRequest', `limit: at most ${own.limitRefusedAbove}`);
    const granted = Math.min(limit, own.limitCap ?? limit);
    const living = rows.living();
    const total = living.length;
    turn += 1;
    const end = Math.min(offset + granted, own.depth ?? total);
    if (own.refusesBeyond && offset > 0 && offset >= Math.min(total, own.depth ?? total))
      throw new Refusal('badRequest', `offset: there are no rows at ${offset}`);
    const served = living
      .slice(Math.max(0, total - Math.max(offset, end)), Math.max(0, total - offset))
      .toReversed();
    const page = own.order === 'stable' ? served : served.map((row) => swapped(living, row, turn));
    const right: Record<(typeof offsetMembers)[number], number> = {
      offset,
      limit,
      previousOffset: Math.max(0, offset - granted),
      nextOffset: offset + granted,
      currentPage: Math.floor(offset / granted) + 1,
      pageCount: Math.ceil(total / granted),
      totalCount: total,
    };
    // JSON leaves out what is undefined
    const members = offsetMembers.map((member) => [member, shown(own.pagination[member], right[member])]);
    const pagination = JSON.stringify(Object.fromEntries(members));
    return jsonAnswer(200, envelope(page.map(rows.textsBy(options)), pagination, options), {
      rows: page.length,
      page: offset === 0 ? 'first' : offset + page.length >= total ? 'last' : 'middle',
      held: page.map(({ number }) => number),
    });
  };
}

/** Who stands in a row's place among those of equal created time, whose order turns with every request. */
function swapped(rows: readonly Row[], { number, createdMicros }: Row, turn: number): Row {
  const from = indexFrom(rows, { createdMicros, number: 0 });
  const equal = rows.slice(from, indexFrom(rows, { createdMicros, number: Number.POSITIVE_INFINITY }));
  const index = equal.findIndex((row) => row.number === number);
  return equal[(index + turn) % equal.length] as Row;
}

function shown(option: MemberOption, right: number): number | null | undefined {
  if (typeof option === 'object') return right + option.plus;
  // half of the right number, which as a total ends a read too soon; 1 instead of 0
  const wrong = right === 0 ? 1 : Math.floor(right / 2);
  return { right, absent: undefined, null: null, minusOne: -1, wrong }[option];
}
