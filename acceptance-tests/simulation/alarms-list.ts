import { mix } from '../sandbox/data/random.ts';
import { newRow, type AlarmRow } from './alarm-rows.ts';
import type { DimensionName } from './answers.ts';
import { createChoices, type Choices } from './choices.ts';
import { createCursors, type Place } from './cursors.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { createShown, refusal, type Answer, type Surroundings } from './simulated-list.ts';
import { UNITS, parseTime, timeForm, type TimeForm } from './time-forms.ts';

const LAST_CURSORS = { empty: '', null: null, absent: undefined, 'empty page': '' };
type LastCursor = keyof typeof LAST_CURSORS | 'the same cursor';
const FIRST: Place = { after: null, index: 0, page: 0 };
/** Requests after which a changing text changes. */
const MOMENTS_PER_VERSION = 8;

export function createAlarmsList(plan: AlarmsPlan, seed: number, around: Surroundings) {
  const choices = createChoices(mix(seed, 12));
  const form = timeForm(plan.form, plan.zone);
  const shown = createShown(around);
  const cursors = createCursors(plan.cursors, around);
  const { rows, list, insert, remove } = createRows(plan, form, choices, around);
  const answerWith = createPages(plan, choices, around, cursors, shown.page);
  let grownMs = around.now();
  let version = 0;
  insert(plan.rows, grownMs - plan.spanMs, grownMs);

  const changeForRequest = (): void => {
    grownMs = around.now();
    if (around.isCalm()) return;
    version = Math.floor(around.moment() / MOMENTS_PER_VERSION);
    if (choices.chance(plan.inserts.percent)) {
      around.matters('alarmInserts');
      insert(choices.between(1, plan.inserts.max), grownMs, grownMs);
    }
    if (plan.deletePercent > 0 && choices.chance(plan.deletePercent)) remove();
  };
  return {
    form,
    rows,
    served: shown.served,
    rowsOf: shown.rowsOf,
    statesOffset: false,
    usesOfExpiredCursors: cursors.usesOfExpired,
    startRead: (): void => {
      shown.served.splice(0);
      cursors.startRead();
    },
    /** Adds `count` rows that arrived since the last change. */
    change: (count: number): void => {
      insert(count, grownMs, around.now());
      grownMs = around.now();
    },
    answer: (query: URLSearchParams): Answer => {
      changeForRequest();
      const request = requestOf(query, plan, form);
      return 'status' in request ? request : answerWith(list, request, version);
    },
  };
}

/** The rows of the list, in the order of arrival and in the order of the list, and how they change. */
function createRows(plan: AlarmsPlan, form: TimeForm, choices: Choices, around: Surroundings) {
  const { matters, moment, trace } = around;
  const isBefore = ORDERS[plan.order];
  const rows: AlarmRow[] = [];
  const list: AlarmRow[] = [];
  const insertAt = (arrivedMs: number): void => {
    if (rows.length >= plan.maxRows) return;
    const row = { ...newRow(rows, arrivedMs, plan, form, choices), from: moment(), until: Infinity };
    rows.push(row);
    const index = list.findIndex((other) => isBefore(row, other));
    list.splice(index === -1 ? list.length : index, 0, row);
    trace(() => `alarms: row ${row.number} arrives, created ${form.write(row.created, row.number)}`);
  };
  const insert = (count: number, fromMs: number, toMs: number): void => {
    const arrivals = Array.from({ length: count }, () => fromMs + drawDelay(plan, choices, toMs - fromMs));
    for (const arrivedMs of arrivals.toSorted((a, b) => a - b)) insertAt(arrivedMs);
  };
  const remove = (): void => {
    const [row] = list.splice(choices.below(list.length), 1);
    if (row === undefined) return;
    matters('alarmDeletes');
    row.until = moment();
    trace(() => `alarms: row ${row.number} is deleted`);
  };
  return { rows, list, insert, remove };
}

/** ms after the start of a period at which a row arrives. */
function drawDelay({ spread }: AlarmsPlan, { below }: Choices, ms: number): number {
  const at = below(Math.max(1, ms));
  if (spread === 'bursts') return Math.floor(((at * 4) / Math.max(1, ms)) ** 3 * (ms / 64));
  return spread === 'an empty stretch' && at > ms / 10 && at < ms * 0.9 ? Math.floor(at / 10) : at;
}

type Request = Exclude<ReturnType<typeof requestOf>, Answer>;

function requestOf(query: URLSearchParams, { maxPerPage }: AlarmsPlan, form: TimeForm) {
  const bound = query.get('createdSince');
  const since = bound === null ? null : parseTime(bound, form);
  if (bound !== null && since === null)
    return refusal({ status: 400, error: `createdSince ${bound} is no time` });
  const limit = Number(query.get('limit') ?? maxPerPage);
  if (!Number.isInteger(limit) || limit < 1) return refusal({ status: 400, error: `limit ${limit}` });
  return { bound, since, limit, after: query.get('after') };
}

/** A page: where it starts, the bound of its rows, and the cursor with which it was requested. */
interface Wanted extends Pick<Request, 'since' | 'limit' | 'after'> {
  readonly place: Place;
}

function createPages(
  plan: AlarmsPlan,
  choices: Choices,
  around: Surroundings,
  cursors: ReturnType<typeof createCursors>,
  page: ReturnType<typeof createShown>['page'],
) {
  const { matters, trace } = around;
  const rowsFrom = (list: readonly AlarmRow[], { place, since, limit, after }: Wanted) => {
    const rest = rowsAfter(since === null ? list : rowsSince(list, since, plan), place, limit, plan);
    if (since !== null) matters('bound');
    const shown = cut(rest, limit, plan, choices, around);
    trace(() => `alarms: serves rows ${shown.map(({ number }) => number).join(' ')}`);
    for (const dimension of dimensionsOf(shown)) matters(dimension);
    // rows that the list would lack if the bound referred to what they show
    if (plan.boundTime === 'received' && shown.some(({ created }) => since !== null && created < since))
      matters('boundTime');
    const isEnd = shown.length >= rest.length && (rest.length === 0 || !endsEmpty(plan.lastCursor, after));
    matters(isEnd ? 'lastCursor' : 'cursorKind');
    if (isEnd) return { shown, nextCursor: lastCursor(plan.lastCursor, after) };
    const { after: last, index, page: number } = place;
    const next = { after: shown.at(-1) ?? last, index: index + shown.length, page: number + 1 };
    return { shown, nextCursor: cursors.issue(next) };
  };
  return (list: readonly AlarmRow[], { bound, since, limit, after }: Request, version: number): Answer => {
    const place = after === null ? FIRST : cursors.find(after);
    const isStart = after === null && since !== null;
    if (plan.noRowsStatus !== null && isStart && rowsSince(list, since, plan).length === 0) {
      matters('boundWithoutRows');
      return refusal({ status: plan.noRowsStatus, error: 'no rows' });
    }
    if (place === undefined) return refusal({ status: 400, error: 'this cursor was never issued' });
    if (typeof place === 'number') return refusal({ status: place, error: 'this cursor is not known' });
    if (place === 'empty last page') return page(bound, [], { nextCursor: '' });
    const half = Math.ceil(Math.min(limit, plan.maxPerPage) / 2);
    const { shown, nextCursor } = rowsFrom(list, {
      place: typeof place === 'object' ? place : FIRST,
      since: place === 'first page of everything' ? null : since,
      limit: place === 'half of the first page' ? half : limit,
      after,
    });
    const texts = shown.map(({ number, text }) => [number, text(version)] as const);
    return page(bound, texts, { nextCursor });
  };
}

/** Whether an empty page follows the last row. */
function endsEmpty(kind: LastCursor, after: string | null): boolean {
  return kind === 'empty page' || (kind === 'the same cursor' && after !== null);
}

/** The cursor of the last page; a feed that ends with the same cursor shows an empty page after the last row. */
function lastCursor(kind: LastCursor, after: string | null): string | null | undefined {
  return kind === 'the same cursor' ? (after ?? '') : LAST_CURSORS[kind];
}

function rowsSince(list: readonly AlarmRow[], since: bigint, { bound, boundTime }: AlarmsPlan) {
  const half = bound === 'rounded to the minute' ? UNITS.minute / 2n : 0n;
  const unit = bound === 'cut to the second' ? UNITS.second : UNITS.minute;
  const isExact = bound === 'inclusive' || bound === 'exclusive';
  const later = bound === 'later minutes' ? UNITS.minute : 0n;
  const min = isExact ? since : since + half - ((since + half) % unit) + later;
  return list.filter(({ [boundTime]: time, isOutOfOrder, isTimed }) => {
    const isIn = bound === 'exclusive' ? time > min : time >= min;
    return isIn && (isTimed || !isOutOfOrder);
  });
}

function rowsAfter(
  rows: readonly AlarmRow[],
  { after, index, page }: Place,
  limit: number,
  { cursors: { kind }, maxPerPage, order }: AlarmsPlan,
) {
  if (kind === 'a place between rows')
    return rows.filter((row) => after === null || ORDERS[order](after, row));
  return rows.slice(kind === 'a page number' ? page * Math.min(limit, maxPerPage) : index);
}

/** The rows of one page: at most as many as a page has. */
function cut(
  rest: readonly AlarmRow[],
  limit: number,
  { emptyPercent, maxPerPage, shortPercent }: AlarmsPlan,
  { between, chance }: Choices,
  { isCalm, matters }: Surroundings,
): readonly AlarmRow[] {
  const isEmpty = !isCalm() && chance(emptyPercent);
  const granted = Math.min(limit, maxPerPage);
  const isShort = granted > 1 && chance(shortPercent);
  if (isEmpty && rest.length > 0) matters('emptyPages');
  else if (isShort && rest.length >= granted) matters('shortAlarmPages');
  else if (rest.length > maxPerPage) matters('alarmPage');
  if (isEmpty) return [];
  return rest.slice(0, isShort ? between(1, granted - 1) : granted);
}

/** The dimensions whose answers show in the rows of a page. */
function dimensionsOf(shown: readonly AlarmRow[]): readonly DimensionName[] {
  const dimensions = shown.flatMap((row) => row.dimensions);
  const isUnordered = shown.some((row, at) => at > 0 && row.created < (shown[at - 1]?.created ?? 0n));
  const ofOrder = isUnordered ? (['order'] as const) : [];
  const ofSize = shown.length > 0 ? (['alarmRows', 'span', 'spread'] as const) : [];
  return [...dimensions, ...ofOrder, ...ofSize];
}

type IsBefore = (one: AlarmRow, other: AlarmRow) => boolean;

const byArrival: IsBefore = (one, other) => one.number < other.number;
const byTime: IsBefore = (one, other) =>
  one.created === other.created ? byArrival(one, other) : one.created < other.created;
const outOfOrderLast: IsBefore = (one, other) =>
  one.isOutOfOrder === other.isOutOfOrder ? byTime(one, other) : other.isOutOfOrder;

/** Whether one row comes before another one in the list; never true of a row and itself. */
const ORDERS: Readonly<Record<AlarmsPlan['order'], IsBefore>> = {
  'by arrival': byArrival,
  'by created time': byTime,
  descending: (one, other) => byTime(other, one),
  shuffled: (one, other) => (one.hash === other.hash ? byArrival(one, other) : one.hash < other.hash),
  'old rows last': outOfOrderLast,
  'rows without a time last': outOfOrderLast,
  'rows without a time first': (one, other) =>
    one.isOutOfOrder === other.isOutOfOrder ? byTime(one, other) : one.isOutOfOrder,
};
