import type { ServerResponse } from 'node:http';
import type { ConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import type { Waiting } from '../http/request.ts';
import { clientAt, createRetry } from './client.test-support.ts';

/** Requests a page; waits take no time, and are returned with the result. */
export async function get(address: string) {
  const waits: Waiting[] = [];
  const refused: number[] = [];
  const counts = { requests: 0, retries: 0 };
  const client = clientAt(address, {
    onRefusal: async ({ status }) => {
      refused.push(status);
      return refused.length === 1 ? 'resend' : 'fail';
    },
    retry: { ...createRetry(1_700_000_000_000), count: (what) => counts[what]++ },
  });
  const context = {
    signal: new AbortController().signal,
    onWait: async (wait: Waiting): Promise<void> => void waits.push(wait),
  };
  const result = await client
    .get(new URLSearchParams('limit=1'), () => undefined, context)
    .catch((error: unknown) => error as ConnectorError);
  return {
    result,
    waits: waits.map(({ isRateLimited, waitMs }) => [isRateLimited, waitMs]),
    refused,
    counts,
  };
}

/** How a server answers a request. */
export type Reply = (response: ServerResponse) => unknown;

/** Starts a server that answers in turn, and then always like the last time. */
export const inTurn = (...replies: Reply[]) => {
  let turn = 0;
  return startLoopback((_, response) => replies[Math.min(turn++, replies.length - 1)]?.(response));
};
