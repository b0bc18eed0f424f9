import { configError } from '../errors.ts';
import { readTime, writeTime, type Instant, type TimeFormat } from '../paging/instant.ts';
import type { CursorList, CursorPage } from '../paging/cursor/list.ts';
import { rowOf, rowValue } from '../rows/row.test-support.ts';
import type { Row } from '../rows/row.ts';

/** An alarm of the model: times are ns since the epoch. */
export interface FakeAlarm {
  readonly id: number;
  readonly created: Instant;
  readonly visible: Instant; // server time at which the API begins to show it; later than `created` by its lateness
}

export interface AlarmServerOptions {
  readonly alarms: readonly FakeAlarm[];
  readonly format: TimeFormat;
  readonly pageSize: number;
  readonly bound: 'inclusive' | 'exclusive';
  readonly precision: bigint; // ns to which the server rounds bounds down
  readonly order: 'ascending' | 'descending' | 'shuffled' | 'given'; // `given`: as in `alarms`
  readonly now: Instant; // server time at the start, and ns by which it advances with each request
  readonly steps: readonly bigint[];
  /** For each request how many turns of the event queue its answer takes, so that answers overtake each other. */
  readonly delays: readonly number[];
  readonly cursorLife: number; // requests for which a cursor is valid; then it is refused or answered with the first page
  readonly staleCursor: 'refuse' | 'firstPage';
}

export interface AlarmServer {
  readonly fetchPage: CursorList<Row>['fetchPage'];
  readonly now: () => Instant;
  readonly visible: () => readonly number[]; // ids that a read starting now must find
  readonly pass: (ns: bigint) => void; // lets time pass
  readonly keepCursors: () => void; // from now on cursors never expire
  readonly requests: () => number;
}

/** A cursor: the request that returned it, and the row after which the next page starts. */
interface Cursor {
  readonly bornAt: number;
  readonly after: number;
}

/** A cursor list with configurable bounds, order, cursors and clock. */
export function createAlarmServer(options: AlarmServerOptions): AlarmServer {
  const { alarms, pageSize, steps, delays, staleCursor } = options;
  let { now, cursorLife } = options;
  let requests = 0;
  const { matching, rank, rowOfAlarm } = createAlarmList(options);
  const pageOf = (after: string | null, createdSince: string | null, request: number) => {
    const cursor = after === null ? null : (JSON.parse(after) as Cursor);
    const isStale = cursor !== null && request - cursor.bornAt > cursorLife;
    if (isStale && staleCursor === 'refuse') throw refused(`after ${after}`);
    const start = cursor === null || isStale ? -1 : cursor.after;
    const rest = matching(createdSince, now).filter((alarm) => rank(alarm) > start);
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    const hasNext = rest.length > page.length && last !== undefined;
    const next: Cursor | null = hasNext ? { bornAt: request, after: rank(last) } : null;
    return { rows: page.map(rowOfAlarm), next: next === null ? null : JSON.stringify(next) };
  };
  return {
    fetchPage: async ({ after, createdSince }): Promise<CursorPage<Row>> => {
      const request = requests;
      requests++;
      if (request > 20_000) throw new Error('the read does not end');
      const delay = delays.length === 0 ? 0 : (delays[request % delays.length] ?? 0);
      for (let turn = 0; turn < delay; turn++) await Promise.resolve();
      const serverTime = now;
      now += steps.length === 0 ? 0n : (steps[request % steps.length] ?? 0n);
      return {
        ...pageOf(after, createdSince, request),
        time: serverTime,
        sentAtMs: 0,
      };
    },
    now: () => now,
    visible: () => alarms.filter(({ visible }) => visible <= now).map(({ id }) => id),
    pass: (ns) => {
      now += ns;
    },
    keepCursors: () => {
      cursorLife = Number.POSITIVE_INFINITY;
    },
    requests: () => requests,
  };
}

/** The alarms in the order of the server. */
function createAlarmList({ alarms, format, bound, precision, order }: AlarmServerOptions) {
  const ordered = alarms.toSorted(comparator(order));
  const ranks = new Map(ordered.map(({ id }, index) => [id, index]));
  const rows = new Map<number, Row>();
  return {
    rank: ({ id }: FakeAlarm): number => ranks.get(id) ?? 0,
    matching: (createdSince: string | null, now: Instant): readonly FakeAlarm[] => {
      const shown = ordered.filter(({ visible }) => visible <= now);
      if (createdSince === null) return shown;
      const since = readTime(createdSince)?.instant;
      if (since === undefined) throw refused(`createdSince ${createdSince}`);
      const cut = since - (((since % precision) + precision) % precision);
      return shown.filter(({ created }) => (bound === 'inclusive' ? created >= cut : created > cut));
    },
    rowOfAlarm: (alarm: FakeAlarm): Row => {
      const row = rows.get(alarm.id) ?? alarmRow(alarm, format);
      rows.set(alarm.id, row);
      return row;
    },
  };
}

/** Returns the id of a row of the fake server. */
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
  return (a, b) => {
    if (a.created === b.created) return sign * (a.id - b.id);
    return a.created < b.created ? -sign : sign;
  };
}

function scramble(id: number): number {
  return Math.imul(id + 1, 0x9e37_79b1) >>> 0;
}
