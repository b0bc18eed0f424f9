import type { Socket } from 'node:net';
import type { Answer } from './api/answer.ts';
import { each, endpointNames, type EndpointName } from './lists.ts';

export interface LogEntry {
  at: string; // real time, not the scenario's clock
  endpoint: EndpointName;
  query: Record<string, string>;
  body: string; // empty for a GET
  status: number; // 0 if the client closed the connection first
  ms: number;
  rows: number;
  mark: number; // the number of changes of the scenario before the response
  number: number; // 0 for the first request after the log was cleared
  idleMs: number; // how long no client was connected before this request; 0 if one was
}

/** Sums, and the last entries in the order in which the requests ended. */
export type RequestLog = ReturnType<ReturnType<typeof createLog>['read']>;

const maxEntries = 10_000;
const rowsOnPages = new WeakMap<LogEntry, readonly number[]>();
/** The numbers of the rows on the page of a request. */
export const heldBy = (entry: LogEntry): readonly number[] => rowsOnPages.get(entry) ?? [];

/** Sums since the log was cleared; `values` are all tokens ever issued. */
function emptySums(values: string[]) {
  const endpoints = each(endpointNames, () => {
    const byStatus: Record<string, number> = {};
    return { count: 0, rows: 0, maxInFlight: 0, byStatus };
  });
  return { endpoints, tokens: { issued: 0, refused: 0, values } };
}

type Sum = ReturnType<typeof emptySums>['endpoints'][EndpointName];

function countIn(sum: Sum, { rows, status }: LogEntry): void {
  sum.count += 1;
  sum.rows += rows;
  sum.byStatus[status] = (sum.byStatus[status] ?? 0) + 1;
}

/** When each connection was closed, in ms of the process; Infinity while it is open. Many scenarios share a connection. */
const closedAt = new WeakMap<Socket, number>();

function watchEnd(connection: Socket): void {
  if (closedAt.has(connection)) return;
  closedAt.set(connection, Infinity);
  connection.once('close', () => closedAt.set(connection, performance.now()));
}

/** Returns a function that returns how long no client was connected before a request on a connection, in ms. */
function watchConnections(): (connection: Socket) => number {
  let connections: Socket[] = [];
  let idleSince = 0; // 0 before the first connection was closed
  return (connection) => {
    if (connections.includes(connection)) return 0;
    watchEnd(connection);
    const ends = connections.map((one) => closedAt.get(one) ?? Infinity);
    idleSince = Math.max(idleSince, ...ends.filter((end) => end < Infinity));
    const open = connections.filter((_, index) => ends[index] === Infinity);
    const idleMs = open.length === 0 && idleSince > 0 ? performance.now() - idleSince : 0;
    connections = [...open, connection];
    return Math.round(idleMs);
  };
}

export function createLog() {
  const inFlight = each(endpointNames, () => 0);
  let sums = emptySums([]);
  let entries: LogEntry[] = [];
  let number = 0;
  const connect = watchConnections();
  const add = (entry: LogEntry, held: readonly number[]): void => {
    countIn(sums.endpoints[entry.endpoint], entry);
    number += 1;
    entries.push(entry);
    rowsOnPages.set(entry, held);
    if (entries.length >= 2 * maxEntries) entries = entries.slice(-maxEntries);
  };
  return {
    /** Logs the start of a request. Returns a function that logs its end; only the first call counts. */
    begin: (request: Pick<LogEntry, 'endpoint' | 'query' | 'body'>, connection: Socket) => {
      const { endpoint } = request;
      const idleMs = connect(connection);
      const started = performance.now();
      const at = new Date().toISOString();
      let isOpen = true;
      inFlight[endpoint] += 1;
      const sum = sums.endpoints[endpoint];
      sum.maxInFlight = Math.max(sum.maxInFlight, inFlight[endpoint]);
      return (mark: number, { status, held }: Pick<Answer, 'status' | 'held'>): void => {
        if (!isOpen) return;
        isOpen = false;
        inFlight[endpoint] -= 1;
        const ms = Math.round((performance.now() - started) * 1000) / 1000;
        add({ at, ...request, status, ms, rows: held.length, mark, number, idleMs }, held);
      };
    },
    countToken: (issued: string | undefined): void => {
      if (issued !== undefined) sums.tokens.values.push(issued);
      sums.tokens[issued === undefined ? 'refused' : 'issued'] += 1;
    },
    read: (last: number) => ({ ...sums, last: last === 0 ? [] : entries.slice(-last) }),
    clear: (): void => {
      sums = emptySums(sums.tokens.values);
      entries = [];
      number = 0;
    },
  };
}
