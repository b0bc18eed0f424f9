import { exchange } from '../http/request.ts';
import { PATIENT } from '../limits.ts';
import { createListClient } from './client.ts';
import type { ListClient, ListClientParts } from './client.ts';
import { createConcurrencyLimit } from './request-limits.ts';
import type { RetryParts } from './retry.ts';

/** Waits that take no time. */
export const retryParts: RetryParts = {
  budget: PATIENT,
  now: () => performance.now(),
  random: () => 0,
  sleep: async () => undefined,
  count: () => undefined,
};

/** A client of the assets at an address: its token is never judged, its waits take no time, and `parts` stand in for others. */
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
    bearer: async () => 'token',
    refused: async () => 'fail',
    retry: retryParts,
    concurrency: createConcurrencyLimit(),
    turn: async () => undefined,
    redact: (text) => text,
    ...parts,
  });
}
