import { expect } from 'vitest';
import type { PageSize } from '../../acceptance-tests/model/answer.ts';
import type { BoundRule } from '../../acceptance-tests/model/bounds.ts';
import { numberedPage } from '../../acceptance-tests/model/row-number-cursors.ts';
import { parseTime, timeForm } from '../../acceptance-tests/model/time-forms.ts';
import type { ListClient } from '../api/client.ts';
import { configError } from '../errors.ts';
import { MS } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { NOW_MS, readFrom } from './cursor-cases.fake.ts';
import type { CursorConfig } from './cursor-stream.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A row of the list: what it shows, and the time that the order of the list and `createdSince` refer to. */
export interface Listed {
  readonly text: string;
  readonly time: number; // ms since the epoch
}

/** How a service answers a cursor that it no longer knows. */
type CursorAnswer = 'refused' | 'empty' | 'end' | 'first page' | 'first page of everything';

export interface Service {
  readonly list: Listed[]; // in the order of the list
  readonly pageSize: number;
  nowMs: number;
  requests: number;
  /** Answers a request with a cursor in another way; undefined for the page. */
  answer?: (after: string, from: number) => CursorAnswer | undefined;
}

/** Times without a zone are in UTC. */
const LOCAL = timeForm('no zone, T', { before: 0, after: 0, atMs: 0 });
const nanoseconds = (ms: number): bigint => BigInt(ms) * MS;

/** A service whose cursors are row numbers, and whose bounds are inclusive and cut to `boundMs`. */
export function clientOf(service: Service, boundMs: number): ListClient {
  return {
    get: async (query, check, { sendByMs = Infinity }) => {
      const { list, pageSize, nowMs } = service;
      expect(nowMs, 'requests are sent in time').toBeLessThanOrEqual(sendByMs);
      service.requests++;
      const bound = query.get('createdSince');
      const after = query.get('after');
      const asked = Number(after ?? 0);
      const kind = after === null ? undefined : service.answer?.(after, asked);
      if (kind === 'refused') throw configError('REQUEST_REFUSED', `after ${after}`);
      const isOfEverything = kind === 'first page of everything';
      const from = kind === 'first page' || isOfEverything ? 0 : asked;
      const request = {
        limit: pageSize,
        since: bound === null || isOfEverything ? null : parseTime(bound, LOCAL),
        after: after === null ? null : String(from),
      };
      const rule: BoundRule = { unit: nanoseconds(boundMs), rounds: 'down', isExclusive: false };
      const rowsInOrder = { rows: list, timeOf: ({ time }: Listed) => nanoseconds(time), bound: rule };
      const size: PageSize = (granted) => (kind === 'empty' ? 0 : granted);
      const { rows, next } = numberedPage(rowsInOrder, request, size);
      const answer = {
        rows: rowsOf(rows.map(({ text }) => text)),
        pagination: { nextCursor: next === null || kind === 'end' ? '' : next },
        serverTimeMs: nowMs,
        sentAtMs: nowMs,
        receivedAtMs: nowMs,
      };
      check(answer);
      return answer;
    },
  };
}

export const listed = (ms: number, words: string, shown = new Date(ms).toISOString()): Listed => ({
  time: ms,
  text: JSON.stringify({ createdDate: shown, words }),
});

export const serviceOf = (list: Listed[], pageSize: number): Service => ({
  list,
  pageSize,
  nowMs: NOW_MS,
  requests: 0,
});
export const textsOf = (list: readonly Listed[]): string[] => list.map(({ text }) => text);

/** Reads once; returns what was emitted and logged, the last state, and the number of requests. */
export async function readOnce(
  service: Service,
  state: StreamState | null,
  config: CursorConfig,
  batches: number,
) {
  service.requests = 0;
  const { rows, states, logs } = await readFrom(clientOf(service, SECOND_MS), state, batches, config);
  return { rows, logs, state: states.at(-1) ?? state, requests: service.requests };
}

/** Reads several times, each from the state before, after a change of the service. */
export async function readings(service: Service, config: CursorConfig, changes: readonly (() => void)[]) {
  const rows: string[] = [];
  const logs: string[] = [];
  const own: string[][] = [];
  let state: StreamState | null = null;
  for (const change of changes) {
    change();
    const read: Awaited<ReturnType<typeof readOnce>> = await readOnce(service, state, config, Infinity);
    own.push(read.rows);
    rows.push(...read.rows);
    logs.push(...read.logs);
    ({ state } = read);
  }
  return { rows, logs, own, state };
}

/** Rows created a minute apart. */
export const everyMinute = (count: number, fromMs: number): Listed[] =>
  Array.from({ length: count }, (_, at) => listed(fromMs + at * MINUTE_MS, `row ${at}`));

/** A service of which the client drops the bound. */
export const ignoring = (service: Service): ListClient => {
  const inner = clientOf(service, SECOND_MS);
  return {
    get: async (query, check, context) => {
      query.delete('createdSince');
      return inner.get(query, check, context);
    },
  };
};
