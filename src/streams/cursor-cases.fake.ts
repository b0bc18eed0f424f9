import type { ListClient } from '../api/client.ts';
import { StatusError } from '../api/status-error.ts';
import { configError, transientError } from '../errors.ts';
import type { StreamState } from '../protocol/messages.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { rowBytes } from '../rows/row.ts';
import { cursorStream, type CursorConfig } from './cursor-stream.ts';

export const LIST = { name: 'alarms', place: 'alarms', schema: { properties: {} } };
export const CONFIG = { created_field: 'createdDate', lookback_seconds: 300, parallel_chains: 1 };
export const START_MS = Date.parse('2026-03-01T00:00:00Z');
export const NOW_MS = START_MS + 86_400_000;
export const MINUTE_MS = 60_000;
const ignored = async (): Promise<void> => undefined;

type ListPage = Awaited<ReturnType<ListClient['get']>>;

const STATUS_500 = new StatusError(
  { status: 500, headers: {} },
  { text: '', requestIds: '', isNotJson: false },
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
      const { alarms, pageSize, cursors } = server;
      const since = Date.parse(query.get('createdSince') ?? '1970-01-01T00:00:00Z');
      const matching = alarms.filter((text) => timeOf(text) >= since);
      const after = query.get('after');
      const expired = after === null ? undefined : server.expiredAt(request);
      const isSilent = after === null && server.refusesSilence === true && matching.length === 0;
      if (isSilent) throw configError('NOT_FOUND', `since ${new Date(since).toISOString()}`);
      if (expired === 'failed') throw SERVER_ERROR;
      if (expired === 'refused') throw configError('REQUEST_REFUSED', `after ${after}`);
      const list = expired === 'first page of everything' ? alarms : matching;
      const place = placeOf(after ?? '', alarms);
      const before = alarms.length - matching.length;
      const next = cursors === 'indexes' ? Number(after) : Math.max(0, place + 1 - before);
      const isFirst = after === null || expired?.startsWith('first page');
      const from = isFirst ? 0 : next;
      const size = expired === 'half a page' ? pageSize >> 1 : pageSize;
      const rows = expired === 'empty last page' ? [] : list.slice(from, from + size);
      const isLast =
        expired === 'empty last page' || expired === 'half a page' || from + rows.length >= list.length;
      const cursor = cursors === 'indexes' ? String(from + rows.length) : placed(list, from + rows.length);
      const answer: ListPage = {
        rows: rowsOf(rows),
        pagination: { nextCursor: isLast ? '' : cursor },
        serverTimeMs: server.serverMs === undefined ? NOW_MS : server.serverMs(request),
        sentAtMs: server.localMs?.(request) ?? NOW_MS,
        receivedAtMs: server.localMs?.(request) ?? NOW_MS,
      };
      check(answer);
      return answer;
    },
  };
}

/** The cursor after a number of alarms: the text of the last one, and which of those with this text it is. */
function placed(alarms: readonly string[], end: number): string {
  const text = alarms[end - 1] ?? '';
  return `${alarms.slice(0, end).filter((other) => other === text).length} ${text}`;
}

function placeOf(cursor: string, alarms: readonly string[]): number {
  const text = cursor.slice(cursor.indexOf(' ') + 1);
  let count = Number(cursor.slice(0, cursor.indexOf(' ')));
  return alarms.findIndex((other) => {
    if (other === text) count--;
    return other === text && count === 0;
  });
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
  onBatch?: () => void,
): Promise<Result> {
  const [rows, states, logs]: [string[], StreamState[], string[]] = [[], [], []];
  const note = async (words: string): Promise<void> => void logs.push(words);
  const signal = new AbortController().signal;
  const context = { syncMode: 'incremental', signal, now: () => NOW_MS, info: note, warn: note } as const;
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
