import { mix } from '../sandbox/data/random.ts';
import { newRow } from './alarm-rows.ts';
import type { AlarmRow } from './alarm-rows.ts';
import { createChoices } from './choices.ts';
import { createCursors } from './cursors.ts';
import type { Place } from './cursors.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { createShown, refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';
import { UNITS, timeForm, understood } from './time-forms.ts';

const LAST_CURSORS = { empty: '', null: null, absent: undefined, 'empty page': '' };
/** Requests after which a text that changes is another one. */
const VERSION_MOMENTS = 8;

export function createAlarmsList(plan: AlarmsPlan, seed: number, around: Surroundings) {
  const { matters, isCalm, moment, now, tell } = around;
  const choices = createChoices(mix(seed, 12));
  const { below, between, chance } = choices;
  const form = timeForm(plan.form, plan.zone);
  const { served, rowsOf, page } = createShown(around);
  const rows: AlarmRow[] = [];
  /** In the order of the list. */
  const list: AlarmRow[] = [];
  const isBefore = ORDERS[plan.order];
  const cursors = createCursors<AlarmRow>(plan.cursors, around);

  const insert = (arrivedMs: number): void => {
    if (rows.length >= plan.maxRows) return;
    const row = { ...newRow(rows, arrivedMs, plan, form, choices), from: moment(), until: Infinity };
    rows.push(row);
    const place = list.findIndex((other) => isBefore(row, other));
    list.splice(place === -1 ? list.length : place, 0, row);
    tell(() => `alarms: row ${row.number} comes in, created ${form.write(row.created, row.number)}`);
  };
  const insertOver = (count: number, fromMs: number, toMs: number): void => {
    const arrivals = Array.from({ length: count }, () => fromMs + spreadOf(plan, below, toMs - fromMs));
    for (const arrivedMs of arrivals.toSorted((a, b) => a - b)) insert(arrivedMs);
  };
  /** What happens to the list before it answers a request. */
  const move = (): void => {
    grownMs = now();
    if (isCalm()) return;
    version = Math.floor(moment() / VERSION_MOMENTS);
    if (chance(plan.inserts.percent)) {
      matters('alarmInserts');
      insertOver(between(1, plan.inserts.max), grownMs, grownMs);
    }
    if (plan.deletePercent === 0 || !chance(plan.deletePercent)) return;
    const [row] = list.splice(below(list.length), 1);
    if (row === undefined) return;
    matters('alarmDeletes');
    row.until = moment();
    tell(() => `alarms: row ${row.number} is deleted`);
  };
  /** As many of the rows that are left as a page has, or fewer. */
  const cut = (rest: readonly AlarmRow[], limit: number): readonly AlarmRow[] => {
    const isEmpty = !isCalm() && chance(plan.emptyPercent);
    const granted = Math.min(limit, plan.maxPerPage);
    const isShort = granted > 1 && chance(plan.shortPercent);
    if (isEmpty && rest.length > 0) matters('emptyPages');
    else if (isShort && rest.length >= granted) matters('shortAlarmPages');
    else if (rest.length > plan.maxPerPage) matters('alarmPage');
    return isEmpty ? [] : rest.slice(0, isShort ? between(1, granted - 1) : granted);
  };
  const placeOf = ({ after, index, page: pages }: Place<AlarmRow>, limit: number) =>
    plan.cursors.kind === 'a page number'
      ? { after, index: pages * Math.min(limit, plan.maxPerPage) }
      : { after, index };
  const rowsInBound = (since: bigint): readonly AlarmRow[] => {
    const { min, isExclusive } = lowestOf(since, plan.bound);
    matters('bound');
    return list.filter(({ created, isAstray, isTimed }) => {
      const isIn = isExclusive ? created > min : created >= min;
      return isIn && (isTimed || !isAstray);
    });
  };
  /** A page of what is left from a place on, `since` a bound. */
  const pageFrom = (place: Place<AlarmRow>, since: bigint | null, limit: number, asked: string | null) => {
    const inBound = since === null ? list : rowsInBound(since);
    const { after, index } = placeOf(place, limit);
    const isPlace = plan.cursors.kind === 'a place between rows';
    const isAhead = (row: AlarmRow): boolean => after === null || isBefore(after, row);
    const rest = isPlace ? inBound.filter(isAhead) : inBound.slice(index);
    const shown = cut(rest, limit);
    tell(() => `alarms: serves rows ${shown.map(({ number }) => number).join(' ')}`);
    const isEnd = shown.length >= rest.length && (plan.lastCursor !== 'empty page' || rest.length === 0);
    if (isEnd) matters('lastCursor');
    else if (!isPlace) matters('cursorKind');
    const next = { after: shown.at(-1) ?? after, index: index + shown.length, page: place.page + 1 };
    const nextCursor = isEnd ? LAST_CURSORS[plan.lastCursor] : cursors.issue(next);
    for (const dimension of shown.flatMap(({ due }) => due)) matters(dimension);
    if (shown.some((row, at) => at > 0 && row.created < (shown[at - 1]?.created ?? 0n))) matters('order');
    if (shown.length > 0) for (const size of ['alarmRows', 'span', 'spread'] as const) matters(size);
    const pagination = { nextCursor };
    return page(
      asked,
      shown.map(({ number, text }) => [number, text(version)] as const),
      pagination,
    );
  };

  let grownMs = now();
  let version = 0;
  insertOver(plan.rows, grownMs - plan.spanMs, grownMs);
  return {
    form,
    rows,
    served,
    rowsOf,
    echoesOffset: false,
    nextRead: () => {
      served.splice(0);
      cursors.nextRead();
    },
    /** So many rows come in between two reads. */
    change: (count: number): void => {
      insertOver(count, grownMs, now());
      grownMs = now();
    },
    /** Answers one request; rows may come in before it does. */
    answer: (query: URLSearchParams): Answer => {
      move();
      const asked = query.get('createdSince');
      const since = asked === null ? null : understood(asked, form);
      if (asked !== null && since === null) return refusal(400, `createdSince ${asked} is no time`);
      const limit = Number(query.get('limit') ?? plan.maxPerPage);
      if (!Number.isInteger(limit) || limit < 1) return refusal(400, `limit ${limit}`);
      const after = query.get('after');
      const start = { after: null, index: 0, page: 0 };
      const place = after === null ? start : cursors.find(after);
      if (plan.noRowsStatus !== null && after === null && since !== null && rowsInBound(since).length === 0) {
        matters('boundWithoutRows');
        return refusal(plan.noRowsStatus, 'no rows');
      }
      if (place === undefined) return refusal(400, 'this cursor was never issued');
      if (typeof place === 'number') return refusal(place, 'this cursor is not known');
      if (typeof place === 'object') return pageFrom(place, since, limit, asked);
      if (place === 'empty last page') return page(asked, [], { nextCursor: '' });
      const isHalf = place === 'half of the first page';
      const width = Math.min(limit, plan.maxPerPage);
      const bound = place === 'first page of everything' ? null : since;
      return pageFrom(start, bound, isHalf ? Math.ceil(width / 2) : limit, asked);
    },
  };
}

type IsBefore = (one: AlarmRow, other: AlarmRow) => boolean;

const byArrival: IsBefore = (one, other) => one.number < other.number;
const byTime: IsBefore = (one, other) =>
  one.created === other.created ? byArrival(one, other) : one.created < other.created;
const astrayLast: IsBefore = (one, other) =>
  one.isAstray === other.isAstray ? byTime(one, other) : other.isAstray;

/** Whether one row stands before another one in the list; no row does before itself. */
const ORDERS: Readonly<Record<AlarmsPlan['order'], IsBefore>> = {
  'by arrival': byArrival,
  'by created time': byTime,
  descending: (one, other) => byTime(other, one),
  shuffled: (one, other) => (one.hash === other.hash ? byArrival(one, other) : one.hash < other.hash),
  'old rows last': astrayLast,
  'rows without a time last': astrayLast,
};

/** ms after the start of a stretch at which one row comes in. */
function spreadOf({ spread }: AlarmsPlan, below: (bound: number) => number, ms: number): number {
  const at = below(Math.max(1, ms));
  if (spread === 'bursts') return Math.floor(((at * 4) / Math.max(1, ms)) ** 3 * (ms / 64));
  return spread === 'an empty stretch' && at > ms / 10 && at < ms * 0.9 ? Math.floor(at / 10) : at;
}

/** The lowest created time that a server takes a bound for. */
function lowestOf(since: bigint, bound: AlarmsPlan['bound']) {
  const half = bound === 'rounded to the minute' ? UNITS.minute / 2n : 0n;
  const unit = bound === 'cut to the second' ? UNITS.second : UNITS.minute;
  const isExact = bound === 'inclusive' || bound === 'exclusive';
  const min = isExact ? since : since + half - ((since + half) % unit);
  return { min, isExclusive: bound === 'exclusive' };
}
