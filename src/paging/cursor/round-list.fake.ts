import { isRefusal, wholePage } from '../../../acceptance-tests/model/answer.ts';
import {
  ORDINARY_CURSORS,
  START as FIRST,
  cursorAnswer,
  type OrderedRows,
} from '../../../acceptance-tests/model/cursor-answer.ts';
import { ORDINARY, type CursorPage, type CursorRead } from './list.ts';
import { MAX_INSTANT, MIN_INSTANT, readTime, type Instant, type TimeFormat } from '../instant.ts';

/** A row of the model: its place in the list is its name. */
export interface RoundRow {
  readonly place: number;
  readonly created: Instant;
}

export interface RoundList {
  /** A read of the whole list from its start, up to an end. */
  readonly read: CursorRead<RoundRow>;
  /** Rounds of requests so far: each takes the time of one request, however many it answers. */
  readonly rounds: () => number;
  readonly requests: () => number;
}

/** Server time throughout. */
export const NOW: Instant = readTime('2026-06-01T12:00:00Z')?.instant ?? 0n;
/** ns; the default of `lookback_seconds` */
const LOOKBACK = 300_000_000_000n;
const FORMAT: TimeFormat = {
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits: 9,
  zone: 'Z',
};

const START = {
  question: MIN_INSTANT,
  seen: [],
  ahead: [],
  format: null,
  confirmed: MIN_INSTANT,
  leftOut: null,
  floor: MIN_INSTANT,
  readAt: null,
};

/** A cursor list in ascending order whose answers all take the same time, so that time is counted in rounds of requests. */
export function createRoundList(
  times: readonly Instant[],
  pageSize: number,
  end: Instant | undefined,
  chains: number,
): RoundList {
  const rows = times
    .toSorted((a, b) => Number(a > b) - Number(a < b))
    .map((created, place) => ({ place, created }));
  const list: OrderedRows<RoundRow> = {
    rows,
    isBefore: (one, other) => one.place < other.place,
    timeOf: ({ created }) => created,
    isAscending: true,
  };
  const { next, rounds, requests } = createRounds();
  return {
    read: {
      endlessError: ({ cause }) => new Error(cause),
      pageSize: null,
      fetchPage: async ({ after, createdSince }) => {
        await next();
        return pageOf(list, pageSize, after, createdSince);
      },
      createdOf: ({ created }) => ({ instant: created, format: FORMAT }),
      textOf: ({ place }) => Buffer.from(String(place)),
      isSame: (one, other) => one.place === other.place,
      from: START,
      start: MIN_INSTANT,
      startFormat: null,
      end: end ?? MAX_INSTANT,
      lookback: LOOKBACK,
      maxChains: chains,
      maxRows: Infinity,
      tuning: ORDINARY,
      failureOf: () => 'else',
      signal: new AbortController().signal,
      say: async ({ kind }) => {
        throw new Error(kind);
      },
    },
    rounds,
    requests,
  };
}

/** A page whose cursors name the place of the next row. */
function pageOf(
  list: OrderedRows<RoundRow>,
  limit: number,
  after: string | null,
  createdSince: string | null,
): CursorPage<RoundRow> {
  const since = createdSince === null ? null : (readTime(createdSince)?.instant ?? null);
  const before = after === null ? null : (list.rows[Number(after) - 1] ?? null);
  const cursor = after === null ? null : { ...FIRST, after: before, since: null, issuedMs: 0, read: 0 };
  const request = { limit, since, after, cursor };
  // copies of the whole list would take most of the time
  const rows = after === null ? list.rows : list.rows.slice(Number(after), Number(after) + limit + 1);
  const page = cursorAnswer({ ...list, rows }, request, ORDINARY_CURSORS, { ms: 0, read: 0 }, wholePage);
  if (isRefusal(page)) throw new Error(page.error);
  const last = page.next?.after ?? null;
  const next = last === null ? null : String(last.place + 1);
  return { rows: page.rows, next, time: NOW, sentAtMs: 0, receivedAtMs: 0 };
}

/** Responds to all waiting requests at once, and counts how often. */
function createRounds() {
  let waiting: (() => void)[] = [];
  let rounds = 0;
  let requests = 0;
  const respond = (): void => {
    const round = waiting;
    waiting = [];
    rounds++;
    for (const resolve of round) resolve();
  };
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      requests++;
      waiting.push(resolve);
      // a request that follows a response is sent before the next turn of the event loop
      if (waiting.length === 1) setImmediate(respond);
    });
  return { next, rounds: () => rounds, requests: () => requests };
}
