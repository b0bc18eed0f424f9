import { mix } from '../sandbox/data/random.ts';
import { createChoices } from './choices.ts';
import type { Choices } from './choices.ts';
import { createCursors } from './cursors.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { createShown, extraMembers, refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';
import { UNITS, timeForm, understood } from './time-forms.ts';
import type { TimeForm } from './time-forms.ts';

/** `from`: the moment from which it is in the list. */
export type AlarmRow = ReturnType<typeof newRow> & { readonly from: number };

const LAST_CURSORS = { empty: '', null: null, absent: undefined, 'empty page': '' };

export function createAlarmsList(plan: AlarmsPlan, seed: number, around: Surroundings) {
  const choices = createChoices(mix(seed, 12));
  const { below, between, chance } = choices;
  const form = timeForm(plan.form, plan.localOffset);
  const { served, rowOf, page } = createShown(around);
  const rows: AlarmRow[] = [];
  /** In the order of the list. */
  const list: AlarmRow[] = [];
  const isBefore = ORDERS[plan.order];
  const cursors = createCursors<AlarmRow>(plan.cursors, around.now);

  const insert = (arrivedMs: number): void => {
    if (rows.length >= plan.mostRows) return;
    const row = { ...newRow(rows, arrivedMs, plan, form, choices), from: around.moment() };
    rows.push(row);
    const place = list.findIndex((other) => isBefore(row, other));
    list.splice(place === -1 ? list.length : place, 0, row);
    around.tell(() => `alarms: row ${row.number} comes in, created ${form.write(row.created, row.number)}`);
  };
  const insertOver = (count: number, fromMs: number, toMs: number): void => {
    const arrivals = Array.from({ length: count }, () => fromMs + below(Math.max(1, toMs - fromMs)));
    for (const arrivedMs of arrivals.toSorted((a, b) => a - b)) insert(arrivedMs);
  };
  /** As many of the rows that are left as a page has, or fewer. */
  const cut = (rest: readonly AlarmRow[], limit: number): readonly AlarmRow[] => {
    const isEmpty = !around.isCalm() && chance(plan.emptyPercent);
    const granted = Math.min(limit, plan.mostPerPage);
    const isShort = granted > 1 && chance(plan.shortPercent);
    return isEmpty ? [] : rest.slice(0, isShort ? between(1, granted - 1) : granted);
  };

  let grownMs = around.now();
  insertOver(plan.rows, grownMs - plan.spanMs, grownMs);
  return {
    form,
    rows,
    served,
    rowOf,
    nextRead: () => {
      served.splice(0);
      cursors.nextRead();
    },
    /** So many rows come in between two reads. */
    change: (count: number): void => {
      insertOver(count, grownMs, around.now());
      grownMs = around.now();
    },
    /** Answers one request; rows may come in before it does. */
    answer: (query: URLSearchParams): Answer => {
      grownMs = around.now();
      if (!around.isCalm() && chance(plan.inserts.percent))
        insertOver(between(1, plan.inserts.most), grownMs, grownMs);
      const asked = query.get('createdSince');
      const since = asked === null ? null : understood(asked, form);
      if (asked !== null && since === null) return refusal(400, `createdSince ${asked} is no time`);
      const limit = Number(query.get('limit') ?? plan.mostPerPage);
      if (!Number.isInteger(limit) || limit < 1) return refusal(400, `limit ${limit}`);
      const from = cursors.find(query.get('after'), around.isCalm());
      if (typeof from === 'number') return refusal(from, 'this cursor is not known');
      const behindCursor = list.filter((row) => from === null || isBefore(from, row));
      const rest = behindCursor.filter(({ created }) => isBehindBound(created, since, plan.bound));
      const shown = cut(rest, limit);
      around.tell(() => `alarms: serves rows ${shown.map(({ number }) => number).join(' ')}`);
      const hasMore = shown.length < rest.length || (plan.lastCursor === 'empty page' && rest.length > 0);
      const nextCursor = hasMore ? cursors.issue(shown.at(-1) ?? from) : LAST_CURSORS[plan.lastCursor];
      const texts = shown.map(({ number, text }) => [number, text] as const);
      return page(0, texts, { nextCursor });
    },
  };
}

function newRow(
  rows: readonly { created: bigint }[],
  arrivedMs: number,
  plan: AlarmsPlan,
  form: TimeForm,
  { below, chance, pick }: Choices,
) {
  const number = rows.length;
  const isLate = chance(plan.latePercent);
  const isFuture = chance(plan.futurePercent);
  const isTied = chance(plan.tiePercent);
  const offsetMs = isFuture ? -below(3_600_000) : isLate ? below(plan.mostLateMs + 1) : 0;
  const stepMs = pick(plan.stepsMs);
  const ms = Math.floor((arrivedMs - offsetMs) / stepMs) * stepMs;
  const exact = BigInt(ms) * UNITS.ms + (plan.form === 'Z, ns' ? BigInt(below(1000)) : 0n);
  const shared = isTied ? (rows.at(-1)?.created ?? exact) : exact;
  const arrived = BigInt(arrivedMs) * UNITS.ms;
  // what shares the time of a row that came in earlier is late itself
  const wanted = arrived - shared <= BigInt(plan.mostLateMs) * UNITS.ms ? shared : exact;
  /** ns since the epoch, as the server knows it. */
  const created = plan.knowsFiner ? wanted : wanted - (wanted % form.granule);
  const isTimed = !chance(plan.timelessPercent);
  const time = `"${plan.createdField}":${isTimed ? form.write(created, number) : 'null'}`;
  const alarm = `"alarm":${number}${extraMembers(number)}`;
  return {
    number,
    created,
    lateMs: Number((arrived - wanted) / UNITS.ms),
    /** False where its text shows no time. */
    isTimed,
    text: number % 2 === 0 ? `{${time},${alarm}}` : `{${alarm},${time}}`,
    hash: mix(number, 77),
  };
}

type IsBefore = (one: AlarmRow, other: AlarmRow) => boolean;

const byArrival: IsBefore = (one, other) => one.number < other.number;
const byTime: IsBefore = (one, other) =>
  one.created === other.created ? byArrival(one, other) : one.created < other.created;

/** Whether one row stands before another one in the list; no row does before itself. */
const ORDERS: Readonly<Record<AlarmsPlan['order'], IsBefore>> = {
  arrival: byArrival,
  created: byTime,
  descending: (one, other) => byTime(other, one),
  shuffled: (one, other) => (one.hash === other.hash ? byArrival(one, other) : one.hash < other.hash),
};

function isBehindBound(created: bigint, since: bigint | null, bound: AlarmsPlan['bound']): boolean {
  if (since === null) return true;
  if (bound === 'exclusive') return created > since;
  const unit = { inclusive: 1n, 'cut to the second': UNITS.second, 'cut to the minute': UNITS.minute }[bound];
  return created >= since - (since % unit);
}
