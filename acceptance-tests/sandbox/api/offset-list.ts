import { isRefusal, wholePage } from '../../model/answer.ts';
import { envelope } from '../../model/envelope.ts';
import {
  OFFSET_MEMBERS,
  newestFirst,
  offsetAnswer,
  type MemberRule,
  type OffsetParameters,
} from '../../model/offset-answer.ts';
import { each, type PagedBy } from '../lists.ts';
import { optionsOf, type MemberOption, type OffsetOptions, type Options } from '../options.ts';
import type { Row, Rows } from '../rows.ts';
import { ApiError, jsonAnswer, parametersOf, parseInteger, type Answer, type Query } from './answer.ts';

const defaultLimit = 50;
const timeOf = ({ createdMicros }: Row): number => createdMicros;

/** Returns the pages of an offset-paged list, newest row first. Throws an {@link ApiError} for invalid parameters. */
export function createOffsetList(name: PagedBy<'offset'>, rows: Rows) {
  let turn = 0;
  return (query: Query, options: Options): Answer => {
    const own = optionsOf(options, 'offset', name);
    const given = parametersOf(query, ['limit', 'offset'], options);
    const limit = parseInteger(given.limit, 1, defaultLimit);
    const offset = parseInteger(given.offset, 0, 0);
    const present = rows.present();
    turn += 1;
    const page = offsetAnswer(newestFirst(present), { limit, offset }, parametersFor(own), {
      size: wholePage,
      staleTotal: present.length,
      ties: own.order === 'stable' ? null : { timeOf, turn },
    });
    if (isRefusal(page)) throw new ApiError('badRequest', page.error);
    const body = envelope(page.rows.map(rows.textsBy(options)), JSON.stringify(page.pagination), options);
    const later = offset + page.rows.length >= present.length ? 'last' : 'middle';
    const place = offset === 0 ? 'first' : later;
    return jsonAnswer(200, body, { page: place, held: page.rows.map(({ number }) => number) });
  };
}

/** The parameters of the model that options stand for; the status of a refusal is an option of its own. */
function parametersFor({
  depth,
  limitCap,
  limitRefusedAbove,
  offsets,
  pagination,
  refusesBeyond,
}: OffsetOptions): OffsetParameters {
  return {
    maxPerPage: limitCap ?? Infinity,
    refusedAbove: limitRefusedAbove ?? Infinity,
    depth: depth ?? Infinity,
    acrossDepth: 'cut there',
    window: Infinity,
    offsets,
    pastEnd: refusesBeyond ? 400 : 'empty page',
    members: each(OFFSET_MEMBERS, (member) => ruleOf(pagination[member])),
  };
}

const ruleOf = (option: MemberOption): MemberRule => (option === 'minusOne' ? 'minus one' : option);
