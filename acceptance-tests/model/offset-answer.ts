import { firstIndex, type PageSize, type Refusal } from './answer.ts';
import type { ParameterValue } from './parameters.ts';

/** The rows of a list in its order; an array, or a view of one. */
export interface RowsInOrder<Row> {
  readonly length: number;
  readonly at: (index: number) => Row | undefined;
  readonly slice: (start: number, end: number) => readonly Row[];
}

export interface OffsetRequest {
  readonly limit: number;
  readonly offset: number;
}

/** The members of the pagination object, in the order of the API's document. */
export const OFFSET_MEMBERS = [
  'offset',
  'limit',
  'previousOffset',
  'nextOffset',
  'currentPage',
  'pageCount',
  'totalCount',
] as const;
export type OffsetMember = (typeof OFFSET_MEMBERS)[number];

/** How a member of the pagination object is stated; `plus` is added to the right value. */
export type MemberRule = NamedRule | { readonly plus: number };
/** `wrong`: half of the right value, or 1 instead of 0. */
type NamedRule = ParameterValue<'totals' | 'offsetEcho'> | 'wrong' | 'length of the page';

/** How a list answers. Infinity stands for no limit. */
export interface OffsetParameters {
  /** A larger limit is reduced to this. */
  readonly maxPerPage: number;
  /** A larger limit is refused. */
  readonly refusedAbove: number;
  /** No page starts at this offset or later, although the list may be longer. */
  readonly depth: number;
  /** How a page that starts before the depth and reaches beyond it is answered; `past the end`: like an offset past the end. */
  readonly acrossDepth: 'cut there' | 'whole' | 'past the end';
  /** A request whose offset and limit add up to more is refused. */
  readonly window: number;
  /** Which offsets are taken: any, or only multiples of the limit. */
  readonly offsets: 'any' | 'rounded down' | 'refused';
  /** How an offset past the end is answered; a number is the status of a refusal. */
  readonly pastEnd: ParameterValue<'pastEnd'> | 'last page by number';
  /** The members of the pagination object; the others are absent. */
  readonly members: Readonly<Partial<Record<OffsetMember, MemberRule>>>;
}

/** A list of any length, each page of which is whole and states the right total. */
export const ORDINARY_OFFSETS: OffsetParameters = {
  maxPerPage: Infinity,
  refusedAbove: Infinity,
  depth: Infinity,
  acrossDepth: 'cut there',
  window: Infinity,
  offsets: 'any',
  pastEnd: 'empty page',
  members: { totalCount: 'right' },
};

/** What is different from request to request. */
export interface OffsetVariation<Row> {
  readonly size: PageSize;
  /** The number of rows before the last change. */
  readonly staleTotal: number;
  /** If rows with equal times change places: their time, and by how many places they have moved on. */
  readonly ties: { readonly timeOf: (row: Row) => number; readonly turn: number } | null;
  /** Whether a row is left out of a page after the page was cut. */
  readonly leavesOut?: (row: Row) => boolean;
}

export interface OffsetPage<Row> {
  readonly rows: readonly Row[];
  /** JSON omits what is undefined. */
  readonly pagination: Readonly<Partial<Record<OffsetMember, number | null | undefined>>>;
}

/** The number of rows that a limit is granted, or the refusal of the limit. */
export function grantedOf(limit: number, { maxPerPage, refusedAbove }: OffsetParameters): number | Refusal {
  if (limit > refusedAbove) return { status: 400, error: `limit: must be at most ${refusedAbove}` };
  return Math.min(limit, maxPerPage);
}

/** Whether a request is answered as one past the last row that the list shows. */
export function isPastEnd(length: number, request: OffsetRequest, parameters: OffsetParameters): boolean {
  const { offset, limit } = request;
  const { acrossDepth, depth, maxPerPage } = parameters;
  if (offset === 0) return false;
  const isAcross = offset + Math.min(limit, maxPerPage) > depth;
  return offset >= Math.min(length, depth) || (isAcross && acrossDepth === 'past the end');
}

/** The answer of a list to a request. */
export function offsetAnswer<Row>(
  list: RowsInOrder<Row>,
  request: OffsetRequest,
  parameters: OffsetParameters,
  { size, staleTotal, ties, leavesOut }: OffsetVariation<Row>,
): OffsetPage<Row> | Refusal {
  const granted = grantedOf(request.limit, parameters);
  if (typeof granted !== 'number') return granted;
  const refusal = refusedOffset(request, granted, parameters);
  if (refusal !== null) return refusal;
  const { acrossDepth, depth, offsets } = parameters;
  const offset = offsets === 'rounded down' ? request.offset - (request.offset % granted) : request.offset;
  const last = Math.min(list.length, depth);
  const end = acrossDepth === 'whole' ? list.length : last;
  const isPast = isPastEnd(list.length, { ...request, offset }, parameters);
  const start = isPast ? startPastEnd(parameters, last, granted) : offset;
  if (start === null)
    return { status: Number(parameters.pastEnd), error: `offset ${offset} is out of range` };
  const shown = list.slice(start, Math.min(end, start + size(granted, Math.max(0, end - start))));
  const all = ties === null ? shown : shown.map((_, at) => moved(list, start + at, ties));
  const rows = leavesOut === undefined ? all : all.filter((row) => !leavesOut(row));
  const { length } = rows;
  const facts = { start: Math.min(start, offset), end: offset + length, length, staleTotal };
  const right = rightMembers(request, granted, list.length);
  const stated = OFFSET_MEMBERS.flatMap((member) => {
    const rule = parameters.members[member];
    return rule === undefined ? [] : [[member, statedValue(rule, right[member], facts)] as const];
  });
  return { rows, pagination: Object.fromEntries(stated) };
}

/** The refusal of an offset that the list does not take; null if it does. */
function refusedOffset(
  { offset, limit }: OffsetRequest,
  granted: number,
  { window, offsets }: OffsetParameters,
): Refusal | null {
  if (offset + limit > window)
    return { status: 400, error: `offset + limit: must be at most ${window}, but is ${offset + limit}` };
  if (offsets !== 'refused' || offset % granted === 0) return null;
  return { status: 400, error: `offset ${offset}: must be a multiple of the limit` };
}

/** Where the page starts that answers an offset past the end; null if it is refused. */
function startPastEnd({ pastEnd }: OffsetParameters, end: number, granted: number): number | null {
  if (typeof pastEnd === 'number') return null;
  if (pastEnd === 'empty page') return Infinity;
  if (pastEnd === 'first page') return 0;
  // by number, the last page begins at a multiple of the limit
  if (pastEnd === 'last page by number') return Math.floor(Math.max(0, end - 1) / granted) * granted;
  return Math.max(0, end - granted);
}

function rightMembers(
  { limit, offset }: OffsetRequest,
  granted: number,
  totalCount: number,
): Readonly<Record<OffsetMember, number>> {
  return {
    offset,
    limit,
    previousOffset: Math.max(0, offset - granted),
    nextOffset: offset + granted,
    currentPage: Math.floor(offset / granted) + 1,
    pageCount: Math.ceil(totalCount / granted),
    totalCount,
  };
}

interface PageFacts {
  readonly start: number;
  readonly end: number;
  readonly length: number;
  readonly staleTotal: number;
}

function statedValue(rule: MemberRule, right: number, { start, end, length, staleTotal }: PageFacts) {
  if (typeof rule === 'object') return right + rule.plus;
  const values: Readonly<Record<NamedRule, number | null | undefined>> = {
    right,
    'requested offset': right,
    absent: undefined,
    null: null,
    'minus one': -1,
    zero: 0,
    'zero on empty pages': start < end ? right : 0,
    'too large': right + 7,
    'too small': right >> 1,
    wrong: right === 0 ? 1 : Math.floor(right / 2),
    'what was shown': end,
    'length of the page': length,
    stale: staleTotal,
    'start of the page': start,
  };
  return values[rule];
}

/** The row at an index after rows with equal times have moved on among themselves. */
function moved<Row>(
  list: RowsInOrder<Row>,
  index: number,
  { timeOf, turn }: NonNullable<OffsetVariation<Row>['ties']>,
): Row {
  const timeAt = (at: number): number => timeOf(list.at(at) as Row);
  const time = timeAt(index);
  // the newest rows come first
  const first = firstIndex(list.length, (at) => timeAt(at) <= time);
  const end = firstIndex(list.length, (at) => timeAt(at) < time);
  return list.at(first + ((index - first + turn) % (end - first))) as Row;
}

/** A view of rows in ascending order, newest first. */
export function newestFirst<Row>(rows: readonly Row[]): RowsInOrder<Row> {
  const { length } = rows;
  return {
    length,
    at: (index) => rows[length - 1 - index],
    slice: (start, end) => rows.slice(Math.max(0, length - end), Math.max(0, length - start)).toReversed(),
  };
}
