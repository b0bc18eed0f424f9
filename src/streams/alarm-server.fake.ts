import { isRefusal, wholePage } from '../../acceptance-tests/model/answer.ts';
import type { BoundRule } from '../../acceptance-tests/model/bounds.ts';
import {
  ORDINARY_CURSORS,
  cursorAnswer,
  type Cursor,
  type OrderedRows,
} from '../../acceptance-tests/model/cursor-answer.ts';
import { orderOf } from '../../acceptance-tests/model/orders.ts';
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

/** A cursor list with configurable bounds, order, cursors and clock. */
export function createAlarmServer(options: AlarmServerOptions): AlarmServer {
  const { alarms, steps, delays } = options;
  let { now, cursorLife } = options;
  let requests = 0;
  const pageOf = createPages(options);
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
        ...pageOf({ after, createdSince, request, cursorLife, now }),
        time: serverTime,
        sentAtMs: 0,
        receivedAtMs: 0,
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

interface Asked {
  readonly after: string | null;
  readonly createdSince: string | null;
  readonly request: number;
  readonly cursorLife: number;
  readonly now: Instant;
}

/** Returns a function that answers a request by the model of lists; the age of a cursor is counted in requests. */
function createPages(options: AlarmServerOptions) {
  const { pageSize, bound, precision, staleCursor } = options;
  const { listAt, rank, rowOfAlarm } = createAlarmList(options);
  const cursors = new Map<string, Cursor<FakeAlarm>>();
  const issue = (cursor: Cursor<FakeAlarm>): string => {
    const after = cursor.after === null ? -1 : rank(cursor.after);
    const text = JSON.stringify({ bornAt: cursor.issuedMs, after });
    cursors.set(text, cursor);
    return text;
  };
  const rule: BoundRule = { unit: precision, rounds: 'down', isExclusive: bound === 'exclusive' };
  return ({ after, createdSince, request, cursorLife, now }: Asked) => {
    const since = createdSince === null ? null : readTime(createdSince)?.instant;
    if (since === undefined) throw refused(`createdSince ${createdSince}`);
    const cursor = after === null ? null : cursors.get(after);
    const life = { lifeMs: cursorLife, dieBetweenReads: false, expired: EXPIRED[staleCursor] };
    const parameters = { ...ORDINARY_CURSORS, life, bound: rule };
    const asked = { limit: pageSize, since, after, cursor };
    const page = cursorAnswer(listAt(now), asked, parameters, { ms: request, read: 0 }, wholePage);
    if (isRefusal(page)) throw refused(`after ${after}`);
    return { rows: page.rows.map(rowOfAlarm), next: page.next === null ? null : issue(page.next) };
  };
}

const EXPIRED = { refuse: 400, firstPage: 'first page' } as const;
const ORDERS = {
  ascending: 'by created time',
  descending: 'descending',
  shuffled: 'shuffled',
  given: 'by arrival',
} as const;

/** The alarms in the order of the server. */
function createAlarmList({ alarms, format, order }: AlarmServerOptions) {
  const isBefore = orderOf<FakeAlarm>(ORDERS[order], {
    number: (alarm) => (order === 'given' ? alarms.indexOf(alarm) : alarm.id),
    created: ({ created }) => created,
    hash: ({ id }) => Math.imul(id + 1, 0x9e37_79b1) >>> 0,
    isApart: () => false,
  });
  const ordered = alarms.toSorted((a, b) => Number(isBefore(b, a)) - Number(isBefore(a, b)));
  const ranks = new Map(ordered.map((alarm, index) => [alarm.id, index]));
  const rows = new Map<number, Row>();
  return {
    rank: ({ id }: FakeAlarm): number => ranks.get(id) ?? 0,
    listAt: (now: Instant): OrderedRows<FakeAlarm> => ({
      rows: ordered.filter(({ visible }) => visible <= now),
      isBefore,
      timeOf: ({ created }) => created,
      isAscending: order === 'ascending',
    }),
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
