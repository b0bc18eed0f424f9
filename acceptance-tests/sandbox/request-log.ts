import type { Answer } from './api/answer.ts';
import { each, endpointNames } from './lists.ts';
import type { EndpointName } from './lists.ts';

/**
 * One request; `body` is empty for a GET. `at` is real time (not the scenario's clock); status 0 means that the caller went
 * away first. `mark`: how far the sequence of changes had come when it was answered.
 */
export interface LogEntry {
  at: string;
  endpoint: EndpointName;
  query: Record<string, string>;
  body: string;
  status: number;
  ms: number;
  rows: number;
  mark: number;
  /** 0 for the first one since the log was cleared. */
  number: number;
}

/** The request log of a scenario. */
export type RequestLog = ReturnType<ReturnType<typeof createLog>['read']>;

const remembered = 10_000;

export function createLog() {
  const inFlight = each(endpointNames, () => 0);
  /** All tokens that ever were. */
  const values: string[] = [];
  const emptySums = () => ({
    endpoints: each(endpointNames, () => {
      const byStatus: Record<string, number> = {};
      return { count: 0, rows: 0, maxInFlight: 0, byStatus };
    }),
    tokens: { issued: 0, refused: 0, values },
  });
  let sums = emptySums();
  let entries: LogEntry[] = [];
  const heldBy = new WeakMap<LogEntry, readonly number[]>();
  let number = 0;
  return {
    /** Notes a request that came in; the function given back notes its end, once: the answer, or that the caller went away. */
    begin: (request: Pick<LogEntry, 'endpoint' | 'query' | 'body'>) => {
      const { endpoint } = request;
      const started = performance.now();
      const at = new Date().toISOString();
      let isOpen = true;
      inFlight[endpoint] += 1;
      const summary = sums.endpoints[endpoint];
      summary.maxInFlight = Math.max(summary.maxInFlight, inFlight[endpoint]);
      return (mark: number, { status, rows, held = [] }: Pick<Answer, 'status' | 'rows' | 'held'>): void => {
        if (!isOpen) return;
        isOpen = false;
        inFlight[endpoint] -= 1;
        const sum = sums.endpoints[endpoint];
        sum.count += 1;
        sum.rows += rows;
        sum.byStatus[status] = (sum.byStatus[status] ?? 0) + 1;
        const ms = Math.round((performance.now() - started) * 1000) / 1000;
        const entry = { at, ...request, status, ms, rows, mark, number };
        number += 1;
        entries.push(entry);
        heldBy.set(entry, held);
        if (entries.length >= 2 * remembered) entries = entries.slice(-remembered);
      };
    },
    /** Notes that a token was issued, or refused. */
    token: (issued: string | undefined): void => {
      if (issued !== undefined) values.push(issued);
      sums.tokens[issued === undefined ? 'refused' : 'issued'] += 1;
    },
    /** The sums, and the last entries in the order in which they ended. */
    read: (last: number) => ({ ...sums, last: last === 0 ? [] : entries.slice(-last) }),
    /** The numbers of the rows that were on a page. */
    heldBy: (entry: LogEntry): readonly number[] => heldBy.get(entry) ?? [],
    clear: (): void => {
      sums = emptySums();
      [entries, number] = [[], 0];
    },
  };
}
