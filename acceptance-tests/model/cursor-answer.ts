import { firstIndex, type PageSize, type Refusal } from './answer.ts';
import { BOUNDS, withinBound, type BoundRule } from './bounds.ts';
import type { IsBefore } from './orders.ts';
import type { ParameterValue } from './parameters.ts';

/** The rows of a list in its order. */
export interface OrderedRows<Row> {
  readonly rows: readonly Row[];
  readonly isBefore: IsBefore<Row>;
  /** The time that bounds refer to, in ns since the epoch; null if no bound includes the row. */
  readonly timeOf: (row: Row) => bigint | null;
  /** Whether these times ascend in the order of the list, so that a bound leaves out its beginning. */
  readonly isAscending: boolean;
}

/** Where a page starts: after a row, at an index of the rows within the bound, or after a number of pages. */
export interface Place<Row> {
  readonly after: Row | null;
  readonly index: number;
  readonly page: number;
  /** The number of empty pages in a row before it. */
  readonly emptyPages: number;
}

/** What a cursor stands for. */
export interface Cursor<Row> extends Place<Row> {
  /** The bound of the page that returned it; null for none. */
  readonly since: bigint | null;
  /** When it was issued, and in which read. */
  readonly issuedMs: number;
  readonly read: number;
}

export interface CursorRequest<Row> {
  readonly limit: number;
  /** ns since the epoch; null for no bound. */
  readonly since: bigint | null;
  /** The text of the cursor, and what it stands for: null for the first page, undefined if it was never issued. */
  readonly after: string | null;
  readonly cursor: Cursor<Row> | null | undefined;
}

/** When cursors expire, and how an expired one is answered; a number is the status of a refusal. */
export interface CursorLife {
  readonly lifeMs: number;
  readonly dieBetweenReads: boolean;
  readonly expired: ParameterValue<'expiredCursor'>;
}

/** How a list answers. */
export interface CursorParameters {
  /** A larger limit is reduced to this. */
  readonly maxPerPage: number;
  readonly kind: ParameterValue<'cursorKind'>;
  readonly life: CursorLife;
  readonly bound: BoundRule;
  /** Which bound counts for a page with a cursor: the one requested, that of the cursor, or either, but they must be equal. */
  readonly boundOfCursor: 'of the request' | 'of the cursor' | 'must be equal';
  /** The status of a first request if no row was created since its bound; null for an empty page. */
  readonly noRowsStatus: ParameterValue<'boundWithoutRows'>;
  readonly lastCursor: ParameterValue<'lastCursor'>;
}

/** A list whose cursors live for ever, and whose bounds are exact. */
export const ORDINARY_CURSORS: CursorParameters = {
  maxPerPage: Infinity,
  kind: 'a place between rows',
  life: { lifeMs: Infinity, dieBetweenReads: false, expired: 400 },
  bound: BOUNDS.inclusive,
  boundOfCursor: 'of the request',
  noRowsStatus: null,
  lastCursor: 'empty',
};

/** Before the first row. */
export const START = { after: null, index: 0, page: 0, emptyPages: 0 } as const;

/** When a request is answered. */
export interface Moment {
  readonly ms: number;
  readonly read: number;
}

export interface CursorPage<Row> {
  readonly rows: readonly Row[];
  /** What the next cursor stands for; null on the last page. */
  readonly next: Cursor<Row> | null;
  /** `nextCursor` of the last page; undefined if it is absent. */
  readonly lastCursor: string | null | undefined;
  /** The bound that was applied. */
  readonly since: bigint | null;
}

/** Why a cursor is not valid any more, or null. */
export function expiryOf(
  { issuedMs, read }: Cursor<unknown>,
  { lifeMs, dieBetweenReads }: CursorLife,
  now: Moment,
): 'old' | 'of another read' | null {
  if (now.ms - issuedMs > lifeMs) return 'old';
  return dieBetweenReads && read !== now.read ? 'of another read' : null;
}

/** The answer of a list to a request. */
export function cursorAnswer<Row>(
  list: OrderedRows<Row>,
  request: CursorRequest<Row>,
  parameters: CursorParameters,
  now: Moment,
  size: PageSize,
): CursorPage<Row> | Refusal {
  const { cursor, limit } = request;
  const { life, maxPerPage, noRowsStatus } = parameters;
  if (cursor === undefined) return { status: 400, error: 'after: this cursor was never issued' };
  const expired = cursor !== null && expiryOf(cursor, life, now) !== null ? life.expired : null;
  if (typeof expired === 'number') return { status: expired, error: 'this cursor is not known' };
  if (expired === 'empty last page') return { rows: [], next: null, lastCursor: '', since: request.since };
  const since = expired === 'first page of everything' ? null : boundOf(request, parameters);
  if (typeof since === 'object' && since !== null) return since;
  const within = since === null ? { rows: list.rows, first: 0 } : rowsSince(list, since, parameters.bound);
  if (cursor === null && since !== null && noRowsStatus !== null && within.first >= within.rows.length)
    return { status: noRowsStatus, error: 'no rows' };
  const place = expired === null && cursor !== null ? cursor : START;
  const granted = Math.min(limit, maxPerPage);
  const from = indexAfter(within, place, granted, list.isBefore, parameters);
  const left = Math.max(0, within.rows.length - from);
  const most = expired === 'half of the first page' ? Math.ceil(granted / 2) : granted;
  const rows = within.rows.slice(from, from + Math.min(left, size(most, left)));
  const isEnd = rows.length >= left && (left === 0 || !endsEmpty(parameters, request.after));
  const next = isEnd ? null : { ...placeAfter(place, rows), since, issuedMs: now.ms, read: now.read };
  return { rows, next, lastCursor: lastCursor(parameters, request.after), since };
}

/** The bound of a page, or the refusal of a bound that is not that of the cursor. */
function boundOf<Row>(
  { cursor, since }: CursorRequest<Row>,
  { boundOfCursor }: CursorParameters,
): bigint | null | Refusal {
  if (!cursor || boundOfCursor === 'of the request') return since;
  if (boundOfCursor === 'of the cursor' || since === cursor.since) return cursor.since;
  return { status: 400, error: 'createdSince: differs from that of the first request of the chain' };
}

/** The rows within a bound: those from an index on. */
interface RowsWithin<Row> {
  readonly rows: readonly Row[];
  readonly first: number;
}

function rowsSince<Row>(
  { rows, timeOf, isAscending }: OrderedRows<Row>,
  since: bigint,
  rule: BoundRule,
): RowsWithin<Row> {
  const isWithin = withinBound(since, rule);
  const isIn = (row: Row): boolean => {
    const time = timeOf(row);
    return time !== null && isWithin(time);
  };
  // a long list is not copied for each page
  if (isAscending) return { rows, first: firstIndex(rows.length, (at) => isIn(rows[at] as Row)) };
  return { rows: rows.filter(isIn), first: 0 };
}

/** The index of the first row from a place on, also if the row before it has been deleted. */
function indexAfter<Row>(
  { rows, first }: RowsWithin<Row>,
  { after, index, page }: Place<Row>,
  granted: number,
  isBefore: IsBefore<Row>,
  { kind }: CursorParameters,
): number {
  if (kind === 'a row number') return first + index;
  if (kind === 'a page number') return first + page * granted;
  if (after === null) return first;
  return Math.max(
    first,
    firstIndex(rows.length, (at) => isBefore(after, rows[at] as Row)),
  );
}

function placeAfter<Row>({ after, index, page, emptyPages }: Place<Row>, rows: readonly Row[]): Place<Row> {
  return {
    after: rows.at(-1) ?? after,
    index: index + rows.length,
    page: page + 1,
    emptyPages: rows.length === 0 ? emptyPages + 1 : 0,
  };
}

/** Whether an empty page follows the last row. */
function endsEmpty({ lastCursor: kind }: CursorParameters, after: string | null): boolean {
  return kind === 'empty page' || (kind === 'the same cursor' && after !== null);
}

/** The cursor of the last page; a feed that ends with the same cursor shows an empty page after the last row. */
function lastCursor({ lastCursor: kind }: CursorParameters, after: string | null): string | null | undefined {
  if (kind === 'the same cursor') return after ?? '';
  return { empty: '', null: null, absent: undefined, 'empty page': '' }[kind];
}
