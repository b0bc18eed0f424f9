import { isRefusal } from '../../acceptance-tests/model/answer.ts';
import {
  ORDINARY_CURSORS,
  START,
  cursorAnswer,
  type Cursor,
  type Place,
} from '../../acceptance-tests/model/cursor-answer.ts';
import type { ListClient } from '../api/client.ts';
import { StatusError } from '../api/status-error.ts';
import { configError, transientError } from '../errors.ts';
import type { StreamState } from '../protocol/messages.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { rowBytes } from '../rows/row.ts';
import { cursorStream, type CursorConfig } from './cursor-stream.ts';

export const LIST = { name: 'alarms', place: 'alarms', path: '/v1/list', schema: { properties: {} } };
export const CONFIG = { created_field: 'createdDate', lookback_seconds: 300, parallel_chains: 1 };
export const START_MS = Date.parse('2026-03-01T00:00:00Z');
export const NOW_MS = START_MS + 86_400_000;
export const MINUTE_MS = 60_000;
const ignored = async (): Promise<void> => undefined;

type ListPage = Awaited<ReturnType<ListClient['get']>>;

const STATUS_500 = new StatusError(
  { status: 500, headers: {} },
  { text: '', requestIds: '', isNotJson: false, askedWait: null },
);
const SERVER_ERROR = transientError('API_UNAVAILABLE', 'the API failed', STATUS_500);

/** How a server answers a cursor that it no longer knows. */
export type ExpiredAnswer =
  'refused' | 'failed' | 'first page' | 'first page of everything' | 'empty last page' | 'half a page';

/** A server of alarms in ascending order, at rest unless a test changes it. */
export interface Server {
  readonly alarms: string[];
  readonly pageSize: number;
  readonly cursors: 'places' | 'indexes';
  /** How the request with this number is answered if it has a cursor; undefined for one that is valid. */
  readonly expiredAt: (request: number) => ExpiredAnswer | undefined;
  readonly onRequest?: (request: number, server: Server) => void;
  /** True if it refuses `createdSince` where no alarm was created since. */
  readonly refusesSilence?: boolean;
  /** ms since the epoch: the server's clock, undefined if it does not send it, and the local one. */
  readonly serverMs?: (request: number) => number | undefined;
  readonly localMs?: (request: number) => number;
}

export function clientOf(server: Server): ListClient & { readonly requests: () => number } {
  let request = 0;
  return {
    requests: () => request,
    get: async (query, check) => {
      request++;
      server.onRequest?.(request, server);
      const after = query.get('after');
      const { rows, nextCursor } = pageOf(server, request, after, query.get('createdSince'));
      const answer: ListPage = {
        rows: rowsOf(rows),
        pagination: { nextCursor },
        serverTimeMs: server.serverMs === undefined ? NOW_MS : server.serverMs(request),
        sentAtMs: server.localMs?.(request) ?? NOW_MS,
        receivedAtMs: server.localMs?.(request) ?? NOW_MS,
      };
      check(answer);
      return answer;
    },
  };
}

/** An alarm, and its place in the list. */
interface Placed {
  readonly text: string;
  readonly at: number;
}

const EXPIRED = {
  refused: 400,
  'first page': 'first page',
  'first page of everything': 'first page of everything',
  'empty last page': 'empty last page',
} as const;

/** The rows of a page and the next cursor. Throws as a client does if the request is refused. */
function pageOf(server: Server, number: number, after: string | null, createdSince: string | null) {
  const { alarms, pageSize, cursors, refusesSilence = false } = server;
  const expired = after === null ? undefined : server.expiredAt(number);
  if (expired === 'failed') throw SERVER_ERROR;
  const rows = alarms.map((text, at) => ({ text, at }));
  const isHalf = expired === 'half a page';
  const death = expired === undefined || isHalf ? null : EXPIRED[expired];
  const life =
    death === null ? ORDINARY_CURSORS.life : { lifeMs: -1, dieBetweenReads: false, expired: death };
  const kind = cursors === 'indexes' ? 'a row number' : 'a place between rows';
  const request = {
    limit: pageSize,
    since: createdSince === null ? null : nanoseconds(Date.parse(createdSince)),
    after,
    cursor: after === null ? null : cursorOf(after, rows, cursors),
  };
  const page = cursorAnswer<Placed>(
    {
      rows,
      isBefore: (one, other) => one.at < other.at,
      timeOf: ({ text }) => nanoseconds(timeOf(text)),
      isAscending: false,
    },
    request,
    { ...ORDINARY_CURSORS, kind, life, noRowsStatus: refusesSilence ? 404 : null },
    { ms: 0, read: 0 },
    (granted) => (isHalf ? granted >> 1 : granted),
  );
  if (isRefusal(page) && page.status === 404) throw configError('NOT_FOUND', `since ${createdSince}`);
  if (isRefusal(page)) throw configError('REQUEST_REFUSED', `after ${after}`);
  const nextCursor = page.next === null || isHalf ? '' : textOf(page.next, rows, cursors);
  return { rows: page.rows.map(({ text }) => text), nextCursor };
}

const nanoseconds = (ms: number): bigint => BigInt(ms) * 1_000_000n;

/** The text of a cursor: a row number; or the text of the last row, and which of those with this text it is. */
function textOf(
  { after, index }: Place<Placed>,
  rows: readonly Placed[],
  cursors: Server['cursors'],
): string {
  if (cursors === 'indexes' || after === null) return String(index);
  return `${rows.slice(0, after.at + 1).filter(({ text }) => text === after.text).length} ${after.text}`;
}

/** What a text stands for; the beginning of the list if its row is gone. */
function cursorOf(cursor: string, rows: readonly Placed[], cursors: Server['cursors']): Cursor<Placed> {
  const text = cursor.slice(cursor.indexOf(' ') + 1);
  const count = Number(cursor.slice(0, cursor.indexOf(' ')));
  const after = rows.filter((row) => row.text === text)[count - 1] ?? null;
  const index = cursors === 'indexes' ? Number(cursor) : 0;
  return { ...START, after, index, since: null, issuedMs: 0, read: 0 };
}

export function timeOf(text: string): number {
  return Date.parse((JSON.parse(text) as { createdDate: string }).createdDate);
}

/** The time so many minutes after the start. */
export const timeAt = (minute: number): string => new Date(START_MS + minute * MINUTE_MS).toISOString();

/** An alarm so many minutes after the start; those with the same words at the same time are identical. */
export function alarm(minute: number, words = `alarm of minute ${minute}`): string {
  return JSON.stringify({ createdDate: timeAt(minute), words });
}

export const alarmsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, minute) => alarm(minute));
export const never = (): undefined => undefined;
export const REST = { pageSize: 25, cursors: 'places', expiredAt: never } as const;

interface Result {
  readonly rows: string[];
  readonly states: StreamState[];
  readonly logs: string[];
}

/** Reads until the end, or until so many batches have been taken. */
export async function readFrom(
  client: ListClient,
  state: StreamState | null,
  batches: number,
  config: CursorConfig,
  { onBatch, limitRows }: { readonly onBatch?: () => void; readonly limitRows?: number } = {},
): Promise<Result> {
  const [rows, states, logs]: [string[], StreamState[], string[]] = [[], [], []];
  const note = async (words: string): Promise<void> => void logs.push(words);
  const signal = new AbortController().signal;
  const context = {
    syncMode: 'incremental',
    limitRows: limitRows ?? null,
    signal,
    now: () => NOW_MS,
    sleep: async () => undefined,
    info: note,
    warn: note,
  } as const;
  const copy = state === null ? null : (JSON.parse(JSON.stringify(state)) as StreamState);
  let taken = 0;
  for await (const batch of cursorStream(LIST, config, client).read({
    ...context,
    state: copy,
    onWait: ignored,
  })) {
    rows.push(...batch.rows.map((row) => rowBytes(row).toString()));
    if (batch.state !== null) states.push(batch.state());
    taken++;
    onBatch?.();
    if (taken === batches) break;
  }
  return { rows, states, logs };
}

/** What a reader has lost of a list, and what it has emitted too often, as exact texts. */
export function compared(list: readonly string[], emitted: readonly string[]) {
  const counts = new Map<string, number>();
  for (const text of list) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of emitted) counts.set(text, (counts.get(text) ?? 0) - 1);
  const lost = [...counts].filter(([, count]) => count > 0).map(([text]) => text);
  return { lost, repeated: [...counts].filter(([, count]) => count < 0).map(([text]) => text) };
}

export const NOTHING = { lost: [], repeated: [] };
