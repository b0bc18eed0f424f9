import { createPatience } from '../http/patience.ts';
import { exchange } from '../http/request.ts';
import { READ_BUDGET } from '../limits.ts';
import { createListClient, type ListClient, type ListClientDeps } from './client.ts';
import { createPageMemory } from './page-memory.ts';
import { createConcurrencyLimit } from './request-limits.ts';
import type { RetryDeps } from './retry.ts';

/** Retries on a clock that starts at `startMs`, ms since the epoch, and advances only by waits. */
export function createRetry(startMs: number): RetryDeps {
  let nowMs = startMs;
  return {
    patience: createPatience(READ_BUDGET),
    now: () => nowMs,
    random: () => 0.5,
    sleep: async (ms) => {
      nowMs += ms;
    },
    count: () => undefined,
  };
}

/** A client for the assets at an address; `deps` replace its own. A refused token fails, and waits take no time. */
export function clientAt(baseUrl: string, deps: Partial<ListClientDeps>): ListClient {
  return createListClient({
    exchange,
    endpoint: {
      stream: 'assets',
      place: 'assets',
      url: new URL(`${baseUrl}/v1/assets`),
      baseUrl,
      scope: { audience: 'AMAPI', scopes: null, key: 'assets.audience' },
    },
    getToken: async () => 'token',
    onRefusal: async () => 'fail',
    retry: createRetry(0),
    memory: createPageMemory(Infinity).openList(),
    limitConcurrency: createConcurrencyLimit(),
    limitRate: async () => undefined,
    log: null,
    redact: (text) => text,
    ...deps,
  });
}
