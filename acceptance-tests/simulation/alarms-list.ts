import { createRandom, mix } from '../sandbox/data/random.ts';
import type { Random } from '../sandbox/data/random.ts';
import { lineForm } from '../sandbox/digest.ts';
import { between, chance } from './choice.ts';
import { createCursors } from './cursors.ts';
import type { CursorLife } from './cursors.ts';
import { extraMembers } from './extra-members.ts';
import { pageOf, refusal } from './simulated-list.ts';
import type { ServedPage, SimulatedList, SimulatedRow, Surroundings } from './simulated-list.ts';
import { UNITS, timeForm, understood } from './time-forms.ts';
import type { TimeForm, TimeFormName } from './time-forms.ts';

/** How the list of alarms behaves. */
export interface AlarmsPlan {
  readonly rows: number;
  /** ms over which the first rows came in, up to the start. */
  readonly spanMs: number;
  /** `arrival`: in the order in which rows came in, each at most the lookback after it was created. */
  readonly order: 'created' | 'arrival' | 'descending' | 'shuffled';
  readonly form: TimeFormName;
  /** Minutes east of UTC of times without a zone. */
  readonly localOffset: number;
  /** True if the server knows times finer than it shows them. */
  readonly knowsFiner: boolean;
  readonly createdField: string;
  /** Rows of a hundred that share their time with the row before, come late, lie in the future, or show no time. */
  readonly tiePercent: number;
  readonly latePercent: number;
  readonly futurePercent: number;
  readonly timelessPercent: number;
  /** Each time is a multiple of one of these, ms: whole seconds and minutes are what some servers write shorter. */
  readonly stepsMs: readonly number[];
  /** ms that a row comes in after it was created, at most. */
  readonly mostLateMs: number;
  readonly bound: 'inclusive' | 'exclusive' | 'cut to the second' | 'cut to the minute';
  readonly mostPerPage: number;
  readonly shortPercent: number;
  readonly emptyPercent: number;
  readonly lastCursor: 'empty' | 'null' | 'absent' | 'empty page';
  readonly cursors: CursorLife;
  /** Requests of a hundred before which rows come in, and how many at most. */
  readonly inserts: { readonly percent: number; readonly most: number };
  readonly mostRows: number;
}

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

export interface AlarmsList extends SimulatedList<AlarmRow> {
  readonly form: TimeForm;
  /** A read begins. */
  readonly nextRead: () => void;
}

export function createAlarmsList(plan: AlarmsPlan, seed: number, around: Surroundings): AlarmsList {
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
  return {
    form,
    rows,
    served,
    rowOf: (line) => texts.get(line),
    nextRead: cursors.nextRead,
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
