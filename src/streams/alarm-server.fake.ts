import { configError } from '../errors.ts';
import { readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat } from '../paging/instant.ts';
import type { CursorList, TimedPage } from '../paging/range-worker.ts';
import { rowOf } from '../rows/row.test-support.ts';
import { rowValue } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** An alarm of the model: times are ns since the epoch. */
export interface FakeAlarm {
  readonly id: number;
  readonly created: Instant;
  /** Server time at which the API begins to show it; later than `created` by its lateness. */
  readonly visible: Instant;
}

export interface AlarmServerOptions {
  readonly alarms: readonly FakeAlarm[];
  readonly format: TimeFormat;
  readonly pageSize: number;
  readonly bound: 'inclusive' | 'exclusive';
  /** Step to which the server cuts bounds down, in ns. */
  readonly precision: bigint;
  /** `given`: as they stand in `alarms`. */
  readonly order: 'ascending' | 'descending' | 'shuffled' | 'given';
  /** Server time at the start, and how far it moves on with each request, in ns. */
  readonly now: Instant;
  readonly steps: readonly bigint[];
  /** For each request how many turns of the event queue its answer takes, so that answers overtake one another. */
  readonly delays: readonly number[];
  /** Requests for which a cursor is known after it was handed out; then it is refused or answered with the first page. */
  readonly cursorLife: number;
  readonly staleCursor: 'refuse' | 'firstPage';
}

export interface AlarmServer {
  readonly fetchPage: CursorList<Row>['fetchPage'];
  readonly now: () => Instant;
  /** Ids that a read starting now must find. */
  readonly visible: () => readonly number[];
  /** Lets time pass, in ns. */
  readonly pass: (ns: bigint) => void;
  /** From now on cursors live for ever. */
  readonly keepCursors: () => void;
  readonly requests: () => number;
}

/** Format of a cursor: the request that handed it out, and the row behind which the next page starts. */
interface Cursor {
  readonly bornAt: number;
  readonly behind: number;
}

/** A cursor list that behaves as told: in its bounds, its order, its cursors and its clock. */
export function createAlarmServer(options: AlarmServerOptions): AlarmServer {
  let now = options.now;
  let requests = 0;
  let cursorLife = options.cursorLife;
  const ordered = options.alarms.toSorted(comparator(options.order));
  const rank = new Map(ordered.map(({ id }, index) => [id, index]));

  const matching = (createdSince: string | null): readonly FakeAlarm[] => {
    const shown = ordered.filter(({ visible }) => visible <= now);
    if (createdSince === null) return shown;
    const bound = readTime(createdSince)?.instant;
    if (bound === undefined) throw refused(`createdSince ${createdSince}`);
    const cut = bound - (((bound % options.precision) + options.precision) % options.precision);
    return shown.filter(({ created }) => (options.bound === 'inclusive' ? created >= cut : created > cut));
  };

  const rows = new Map<number, Row>();
  const rowOfAlarm = (alarm: FakeAlarm): Row => {
    const row = rows.get(alarm.id) ?? alarmRow(alarm, options.format);
    rows.set(alarm.id, row);
    return row;
  };

  return {
    fetchPage: async (after, createdSince): Promise<TimedPage<Row>> => {
      const request = requests++;
      if (request > 20_000) throw new Error('the read does not end');
      const delay = options.delays.length === 0 ? 0 : (options.delays[request % options.delays.length] ?? 0);
      for (let turn = 0; turn < delay; turn++) await Promise.resolve();
      const serverTime = now;
      now += options.steps.length === 0 ? 0n : (options.steps[request % options.steps.length] ?? 0n);
      const cursor = after === null ? null : (JSON.parse(after) as Cursor);
      const isStale = cursor !== null && request - cursor.bornAt > cursorLife;
      if (isStale && options.staleCursor === 'refuse') throw refused(`after ${after}`);
      const behind = cursor === null || isStale ? -1 : cursor.behind;
      const rest = matching(createdSince).filter(({ id }) => (rank.get(id) ?? 0) > behind);
      const page = rest.slice(0, options.pageSize);
      const last = page.at(-1);
      const next =
        rest.length > page.length && last !== undefined
          ? { bornAt: request, behind: rank.get(last.id) ?? 0 }
          : null;
      return {
        rows: page.map(rowOfAlarm),
        next: next === null ? null : JSON.stringify(next),
        time: { at: serverTime, clock: 'server' },
      };
    },
    now: () => now,
    visible: () => options.alarms.filter(({ visible }) => visible <= now).map(({ id }) => id),
    pass: (ns) => {
      now += ns;
    },
    keepCursors: () => {
      cursorLife = Number.POSITIVE_INFINITY;
    },
    requests: () => requests,
  };
}

/** The id of a row that the fake server gave. */
export function idOf(row: Row): number {
  return rowValue(row)['id'] as number;
}

function alarmRow({ id, created }: FakeAlarm, format: TimeFormat): Row {
  const text = writeTime(created, format);
  return rowOf(`{"id":${id},"createdDate":${format.kind === 'epoch' ? text : JSON.stringify(text)}}`);
}

function refused(what: string): Error {
  return configError('REQUEST_REFUSED', `refused: ${what}`);
}

function comparator(order: AlarmServerOptions['order']): (a: FakeAlarm, b: FakeAlarm) => number {
  if (order === 'given') return () => 0;
  if (order === 'shuffled') return (a, b) => scramble(a.id) - scramble(b.id);
  const sign = order === 'ascending' ? 1 : -1;
  return (a, b) => sign * (a.created === b.created ? a.id - b.id : a.created < b.created ? -1 : 1);
}

function scramble(id: number): number {
  return Math.imul(id + 1, 0x9e37_79b1) >>> 0;
}
