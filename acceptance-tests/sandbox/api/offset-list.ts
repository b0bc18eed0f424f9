import { fraction, mix } from '../data/random.ts';
import type { RowList } from '../data/row-list.ts';
import type { PagedBy } from '../lists.ts';
import {
  offsetMembers,
  offsetOptions,
  type MemberOption,
  type OffsetOptions,
  type Options,
} from '../options.ts';
import type { Rows } from '../rows.ts';
import { checkNames, jsonAnswer, Refusal, wholeNumber, type Answer, type Query } from './answer.ts';
import { envelope } from './envelope.ts';

/** Serves an offset-paged list, newest row first. The answer is a {@link Refusal}, thrown, for parameters not in order. */
export function createOffsetList(name: PagedBy<'offset'>, seed: number, rows: Rows) {
  let turn = 0;
  return (query: Query, options: Options): Answer => {
    const own = offsetOptions(options, name);
    const { list } = rows;
    checkNames(query, ['limit', 'offset'], options);
    const asked = wholeNumber(query, 'limit', 1) ?? own.defaultLimit;
    const offset = wholeNumber(query, 'offset', 0) ?? 0;
    if (own.limitRefusedAbove !== null && asked > own.limitRefusedAbove)
      throw new Refusal('badRequest', `limit: at most ${own.limitRefusedAbove}`);
    const granted = Math.min(asked, own.limitCap ?? asked);
    const total = list.size();
    const full = Math.max(0, Math.min(granted, total - offset));
    const short = offset + full < total && fraction(seed, offset, granted, 7) < own.shortPages;
    // never a single row where there are two: no reader could tie such pages to one another
    const count = short && full > 2 ? 2 + (mix(seed, offset, granted, 8) % (full - 2)) : full;

    const text = rows.render(options);
    turn += 1;
    const items = Array.from({ length: count }, (_, place) => {
      const newestFirst = total - 1 - offset - place;
      const index = own.order === 'stable' ? newestFirst : swapped(list, newestFirst, turn);
      return text(list.row(index), list.createdMicros(index));
    });
    const pagination = paginationText({ offset, asked, granted, count, total }, own);
    return jsonAnswer(200, envelope(items, pagination, options), count);
  };
}

/** Where `index` points among the rows of equal created time, whose order turns with every request. */
function swapped(list: RowList, index: number, turn: number): number {
  const created = list.createdMicros(index);
  const first = list.lowerIndex(created, 0);
  const length = list.lowerIndex(created, Number.POSITIVE_INFINITY) - first;
  return first + ((index - first + turn) % length);
}

type PageNumbers = Record<'offset' | 'asked' | 'granted' | 'count' | 'total', number>;

/** The JSON text of the pagination object, each member as its option wants it. */
function paginationText({ offset, asked, granted, count, total }: PageNumbers, own: OffsetOptions): string {
  const edges = {
    absent: undefined,
    null: null,
    minusOne: -1,
    zero: 0,
    same: offset,
    past: offset + granted,
  };
  const right: Record<(typeof offsetMembers)[number], number | null | undefined> = {
    offset,
    limit: asked,
    previousOffset: offset === 0 ? edges[own.previousOffsetEdge] : Math.max(0, offset - granted),
    nextOffset: offset + count < total ? offset + granted : edges[own.nextOffsetEdge],
    currentPage: Math.floor(offset / granted) + own.firstPageNumber,
    pageCount: Math.ceil(total / granted),
    totalCount: total,
  };
  const members = offsetMembers.map((name) => [name, served(own.pagination[name], right[name])]);
  // JSON leaves out what is undefined
  return JSON.stringify(Object.fromEntries(members));
}

function served(option: MemberOption, right: number | null | undefined): number | null | undefined {
  const number = right ?? 0;
  if (typeof option === 'object') return number + option.plus;
  // half of the right number, which as a total ends a read too soon; 1 instead of 0
  const wrong = number === 0 ? 1 : Math.floor(number / 2);
  return { right, absent: undefined, null: null, minusOne: -1, wrong }[option];
}
