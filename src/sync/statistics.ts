/** What one run has cost so far. */
export interface Statistics {
  /** Requests to the lists, repeated ones included. */
  requests: number;
  /** Of these, how many attempts failed and were repeated. */
  retries: number;
  /** Tokens asked for. */
  tokens: number;
}

export function createStatistics(): Statistics {
  return { requests: 0, retries: 0, tokens: 0 };
}
