import { createRandom, mix } from '../sandbox/data/random.ts';
import type { Random } from '../sandbox/data/random.ts';
import { lineForm } from '../sandbox/digest.ts';
import { between, chance } from './choice.ts';
import { createCursors } from './cursors.ts';
import { extraMembers } from './extra-members.ts';
import type { AlarmsPlan } from './scenario-alarms.ts';
import { pageOf, refusal } from './simulated-list.ts';
import type { ServedPage, SimulatedList, SimulatedRow, Surroundings } from './simulated-list.ts';
import { UNITS, timeForm, understood } from './time-forms.ts';
import type { TimeForm } from './time-forms.ts';

export interface AlarmRow extends SimulatedRow {
  /** ns since the epoch, as the server knows it. */
  readonly created: bigint;
  /** ms */
  readonly lateMs: number;
  /** False where its text shows no time. */
  readonly isTimed: boolean;
  readonly text: string;
  readonly hash: number;
}

export type AlarmsList = ReturnType<typeof createAlarmsList>;

export function createAlarmsList(plan: AlarmsPlan, seed: number, around: Surroundings) {
  const random = createRandom(mix(seed, 12));
  const form = timeForm(plan.form, plan.localOffset);
  const rows: AlarmRow[] = [];
  /** In the order of the list. */
  const list: AlarmRow[] = [];
  const served: ServedPage[] = [];
  const texts = new Map<string, number>();
  const before = ORDERS[plan.order];
  const cursors = createCursors<AlarmRow>(plan.cursors, around.now);

  const insert = (arrivedMs: number): void => {
    if (rows.length >= plan.mostRows) return;
    const row = newRow(rows, arrivedMs, around.moment(), plan, form, random);
    rows.push(row);
    texts.set(lineForm(row.text), row.number);
    const place = list.findIndex((other) => before(row, other));
    list.splice(place === -1 ? list.length : place, 0, row);
    around.tell(() => `alarms: row ${row.number} comes in, created ${form.write(row.created, row.number)}`);
  };
  const insertOver = (count: number, fromMs: number, toMs: number): void => {
    const arrivals = Array.from({ length: count }, () => fromMs + random.below(Math.max(1, toMs - fromMs)));
    for (const arrivedMs of arrivals.toSorted((a, b) => a - b)) insert(arrivedMs);
  };

  let grownMs = around.now();
  insertOver(plan.rows, grownMs - plan.spanMs, grownMs);
  const listed: SimulatedList<AlarmRow> = {
    rows,
    served,
    rowOf: (line) => texts.get(line),
    nextRead: () => {
      served.splice(0);
      cursors.nextRead();
    },
    change: (count) => {
      insertOver(count, grownMs, around.now());
      grownMs = around.now();
    },
    answer: (query) => {
      const { inserts } = plan;
      grownMs = around.now();
      if (!around.isCalm() && chance(random, inserts.percent))
        insertOver(between(random, 1, inserts.most), around.now(), around.now());
      const asked = query.get('createdSince');
      const since = asked === null ? null : understood(asked, form);
      if (asked !== null && since === null) return refusal(400, `createdSince ${asked} is no time`);
      const limit = Number(query.get('limit') ?? plan.mostPerPage);
      if (!Number.isInteger(limit) || limit < 1) return refusal(400, `limit ${limit}`);
      const from = cursors.find(query.get('after'), around.isCalm());
      if (typeof from === 'number') return refusal(from, 'this cursor is not known');

      const isIn = (row: AlarmRow): boolean =>
        since === null || isBehindBound(row.created, since, plan.bound);
      const rest = list.filter((row) => isIn(row) && (from === null || before(from, row)));
      const isEmpty = !around.isCalm() && chance(random, plan.emptyPercent);
      const granted = Math.min(limit, plan.mostPerPage);
      const isShort = granted > 1 && chance(random, plan.shortPercent);
      const page = isEmpty ? [] : rest.slice(0, isShort ? between(random, 1, granted - 1) : granted);
      served.push({ moment: around.moment(), offset: 0, rows: page.map(({ number }) => number) });
      around.tell(() => `alarms: serves rows ${page.map(({ number }) => number).join(' ')}`);
      const hasMore = page.length < rest.length || (plan.lastCursor === 'empty page' && rest.length > 0);
      const nextCursor = hasMore ? cursors.issue(page.at(-1) ?? from) : LAST_CURSORS[plan.lastCursor];
      // JSON leaves out what is undefined
      return pageOf(
        page.map(({ text }) => text),
        { nextCursor },
      );
    },
  };
  return { ...listed, form };
}

const LAST_CURSORS = { empty: '', null: null, absent: undefined, 'empty page': '' };

function newRow(
  rows: readonly AlarmRow[],
  arrivedMs: number,
  from: number,
  plan: AlarmsPlan,
  form: TimeForm,
  random: Random,
): AlarmRow {
  const number = rows.length;
  const latest = rows.at(-1);
  const isLate = chance(random, plan.latePercent);
  const isFuture = chance(random, plan.futurePercent);
  const isTied = chance(random, plan.tiePercent);
  const offsetMs = isFuture ? -random.below(3_600_000) : isLate ? random.below(plan.mostLateMs + 1) : 0;
  const stepMs = random.pick(plan.stepsMs);
  const ms = Math.floor((arrivedMs - offsetMs) / stepMs) * stepMs;
  const exact = BigInt(ms) * UNITS.ms + (plan.form === 'Z, ns' ? BigInt(random.below(1000)) : 0n);
  const shared = isTied && latest !== undefined ? latest.created : exact;
  // what shares the time of a row that came in earlier is late itself
  const isAllowed = BigInt(arrivedMs) * UNITS.ms - shared <= BigInt(plan.mostLateMs) * UNITS.ms;
  const wanted = isAllowed ? shared : exact;
  const created = plan.knowsFiner ? wanted : wanted - (wanted % form.granule);
  const isTimed = !chance(random, plan.timelessPercent);
  const time = `"${plan.createdField}":${isTimed ? form.write(created, number) : 'null'}`;
  const alarm = `"alarm":${number}${extraMembers(number)}`;
  return {
    number,
    from,
    until: Number.POSITIVE_INFINITY,
    created,
    lateMs: Number((BigInt(arrivedMs) * UNITS.ms - wanted) / UNITS.ms),
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

function isBehindBound(created: bigint, since: bigint, bound: AlarmsPlan['bound']): boolean {
  if (bound === 'exclusive') return created > since;
  const units = { inclusive: 1n, 'cut to the second': UNITS.second, 'cut to the minute': UNITS.minute };
  return created >= since - (since % units[bound]);
}
