import { exchange } from '../http/request.ts';
import { READ_BUDGET } from '../limits.ts';
import { createListClient } from './client.ts';
import type { ListClient, ListClientParts } from './client.ts';
import { createConcurrencyLimit } from './request-limits.ts';
import type { RetryParts } from './retry.ts';

/** Its waits take no time. */
export const retryParts: RetryParts = {
  budget: READ_BUDGET,
  now: () => performance.now(),
  random: () => 0,
  sleep: async () => undefined,
  count: () => undefined,
};

/** A client for the assets at an address; `parts` replace its own. A refused token fails, and waits take no time. */
export function clientAt(baseUrl: string, parts: Partial<ListClientParts>): ListClient {
  return createListClient({
    exchange,
    endpoint: {
      stream: 'assets',
      place: 'assets',
      url: new URL(`${baseUrl}/v1/assets`),
      baseUrl,
      scope: { audience: 'AMAPI', scopes: null },
    },
    getToken: async () => 'token',
    onRefusal: async () => 'fail',
    retry: retryParts,
    limitConcurrency: createConcurrencyLimit(),
    limitRate: async () => undefined,
    redact: (text) => text,
    ...parts,
  });
}
