import type { EndpointName, EndpointSummary, LogEntry, RequestLog } from '../client-types.ts';

/** Entries that a world remembers. */
const remembered = 10_000;

/** What a finished request is logged with; the rest was known when it came in. */
export type Finish = (status: number, rows: number) => void;

/** The log of one world's requests. */
export interface Log {
  /** Notes a request that came in; the function given back notes its end, once. */
  begin(endpoint: EndpointName, method: string, path: string, query: Record<string, string>): Finish;
  tokenIssued(audience: string): void;
  tokenRefused(): void;
  /** The sums, and the last entries in the order in which they ended. */
  read(last: number): RequestLog;
  clear(): void;
}

/** An empty log; `mark` is asked for the world's mark when a request ends. */
export function createLog(mark: () => number): Log {
  const inFlight = { token: 0, assets: 0, alarms: 0 };
  let endpoints = emptyEndpoints();
  let tokens = emptyTokens();
  let entries: LogEntry[] = [];
  return {
    begin: (endpoint, method, path, query) => {
      const started = performance.now();
      const at = new Date().toISOString();
      inFlight[endpoint] += 1;
      const summary = endpoints[endpoint];
      summary.maxInFlight = Math.max(summary.maxInFlight, inFlight[endpoint]);
      return (status, rows) => {
        inFlight[endpoint] -= 1;
        const sums = endpoints[endpoint];
        sums.count += 1;
        sums.rows += rows;
        sums.byStatus[status] = (sums.byStatus[status] ?? 0) + 1;
        const ms = Math.round((performance.now() - started) * 1000) / 1000;
        entries.push({ at, endpoint, method, path, query, status, ms, rows, mark: mark() });
        if (entries.length >= 2 * remembered) entries = entries.slice(-remembered);
      };
    },
    tokenIssued: (audience) => {
      tokens.issued += 1;
      tokens.byAudience[audience] = (tokens.byAudience[audience] ?? 0) + 1;
    },
    tokenRefused: () => {
      tokens.refused += 1;
    },
    read: (last) => ({ endpoints, tokens, last: last === 0 ? [] : entries.slice(-last) }),
    clear: () => {
      endpoints = emptyEndpoints();
      tokens = emptyTokens();
      entries = [];
    },
  };
}

function emptyEndpoints(): Record<EndpointName, EndpointSummary> {
  return { token: emptySummary(), assets: emptySummary(), alarms: emptySummary() };
}

function emptySummary(): EndpointSummary {
  return { count: 0, rows: 0, maxInFlight: 0, byStatus: {} };
}

function emptyTokens(): RequestLog['tokens'] {
  return { issued: 0, refused: 0, byAudience: {} };
}
