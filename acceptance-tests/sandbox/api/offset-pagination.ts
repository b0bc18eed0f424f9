import type { Knobs, MemberKnob, OffsetMember } from '../knobs/knobs.ts';

/** One page of an offset-paged list. */
export interface OffsetPage {
  offset: number;
  /** The limit that was asked for. */
  asked: number;
  /** The limit that was granted. */
  granted: number;
  /** Rows on the page. */
  count: number;
  /** Rows in the whole list. */
  total: number;
}

/** The JSON text of the pagination object, each member as its knob wants it. */
export function offsetPagination(page: OffsetPage, knobs: Knobs): string {
  const { offset, asked, granted, count, total } = page;
  const edges = {
    absent: undefined,
    null: null,
    minusOne: -1,
    zero: 0,
    same: offset,
    past: offset + granted,
  };
  const right: Record<OffsetMember, Member> = {
    offset,
    limit: asked,
    previousOffset: offset === 0 ? edges[knobs.assetsPreviousOffsetEdge] : Math.max(0, offset - granted),
    nextOffset: offset + count < total ? offset + granted : edges[knobs.assetsNextOffsetEdge],
    currentPage: Math.floor(offset / granted) + knobs.assetsFirstPageNumber,
    pageCount: Math.ceil(total / granted),
    totalCount: total,
  };
  const members: string[] = [];
  for (const [name, value] of Object.entries(right)) {
    const served = turned(knobs.assetsPagination[name as OffsetMember], value);
    if (served !== undefined) members.push(`"${name}":${served}`);
  }
  return `{${members.join(',')}}`;
}

/** A member's value; undefined: the member is not there. */
type Member = number | null | undefined;

function turned(knob: MemberKnob, right: Member): Member {
  if (typeof knob === 'object') return (right ?? 0) + knob.plus;
  return { right, absent: undefined, null: null, minusOne: -1, wrong: wrong(right ?? 0) }[knob];
}

/** Half of the right number, which as a total ends a read too soon; 1 instead of 0. */
function wrong(right: number): number {
  return right === 0 ? 1 : Math.floor(right / 2);
}
