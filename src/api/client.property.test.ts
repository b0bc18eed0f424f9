import type { ServerResponse } from 'node:http';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { runs } from '../property-runs.test-support.ts';
import { clientAt, createRetry } from './client.test-support.ts';
import { createConcurrencyLimit, createRequestLimiter } from './request-limits.ts';
import { READ_BUDGET } from '../limits.ts';
import { createVirtualClock } from './virtual-clock.test-support.ts';

const PAGE = '{"items":[],"metadata":{"pagination":{}}}';
const MINUTE_MS = 60_000;
const RUNS = runs(450, 1 / 40);
/** Of one request: five minutes of the shortest waits, which begin anew with each success of another one. */
const MAX_FAILURES = 3 * 70;

type Behavior =
  | { readonly kind: 'page' }
  | { readonly kind: 'html' }
  | { readonly kind: 'reset' }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter: number | 'none';
      readonly asDate: boolean;
    };

const behavior = fc.oneof<fc.Arbitrary<Behavior>[]>(
  fc.constantFrom({ kind: 'page' }, { kind: 'page' }, { kind: 'html' }, { kind: 'reset' }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(429, 429, 429, 500, 503, 408),
    retryAfter: fc.oneof(fc.constant('none' as const), fc.nat(5), fc.nat(200)),
    asDate: fc.boolean(),
  }),
);

interface Arrival {
  readonly id: string;
  readonly atMs: number;
  readonly behavior: Behavior;
  readonly notBeforeMs: number; // virtual ms before which the same request must not come again
}

const world = fc.record({
  behaviors: fc.array(behavior, { minLength: 1, maxLength: 40 }),
  /** Repeated once `behaviors` are used up. */
  last: behavior,
  perMinute: fc.option(fc.integer({ min: 1, max: 12 }), { nil: null }),
  requests: fc.integer({ min: 1, max: 12 }),
  /** Without jitter of some size, a clock that only waits advance would stand still. */
  seed: fc.double({ min: 0.2, max: 1, maxExcluded: true, noNaN: true }),
});

test('no request is sent before Retry-After or beyond the limit per minute; attempts and waits are bounded; all requests end', async () => {
  const clock = createVirtualClock(1_700_000_000_000);
  let answer: (id: string, response: ServerResponse) => void;
  const { address } = await startLoopback((request, response) => {
    answer(new URL(request.url ?? '', 'http://x').searchParams.get('id') ?? '', response);
  });

  await fc.assert(
    fc.asyncProperty(world, async ({ behaviors, last, perMinute, requests, seed }) => {
      const arrivals: Arrival[] = [];
      answer = (id, response) => {
        const next = behaviors[arrivals.length] ?? last;
        const atMs = clock.now();
        arrivals.push({ id, atMs, behavior: next, notBeforeMs: respond(next, atMs, response) });
      };
      const limit = createConcurrencyLimit();
      const limitRate = createRequestLimiter(perMinute, clock.now, clock.sleep);
      const client = clientAt(address, {
        onRefusal: async (): Promise<never> => Promise.reject(new Error('no token is refused here')),
        retry: { ...createRetry(0), now: clock.now, random: () => seed, sleep: clock.sleep },
        limitConcurrency: (request, signal) => {
          const waited = clock.idle();
          return limit(() => {
            waited();
            return request();
          }, signal);
        },
        limitRate,
      });
      const waits = new Map<string, number>();
      const get = async (id: string): Promise<unknown> => {
        const { signal } = new AbortController();
        try {
          return await client.get(new URLSearchParams({ id }), () => undefined, {
            signal,
            onWait: async (wait) => {
              if (wait.isRateLimited) waits.set(id, (waits.get(id) ?? 0) + wait.waitMs);
            },
          });
        } catch (error) {
          return error;
        }
      };
      const ids = Array.from({ length: requests }, (_, index) => String(index));
      const results = await clock.run(ids.map((id) => () => get(id)));

      for (const [index, id] of ids.entries()) {
        const own = arrivals.filter((arrival) => arrival.id === id);
        const failed = own.filter(({ behavior: { kind } }) => kind !== 'page');
        const passing = failed.filter(({ behavior: it }) => it.kind !== 'status' || it.status !== 429);
        // waits grow, so that an outage of five minutes costs some dozen attempts
        expect(passing.length).toBeLessThanOrEqual(MAX_FAILURES);
        expect(waits.get(id) ?? 0).toBeLessThanOrEqual(READ_BUDGET.rateLimitMs);
        // waits grow even with Retry-After: 0; with a limit per minute, attempts are few anyway
        if (perMinute === null)
          expect(own.length).toBeLessThanOrEqual(MAX_FAILURES + 5 + READ_BUDGET.rateLimitMs / MINUTE_MS + 1);
        for (const [attempt, { atMs }] of own.entries())
          expect(atMs).toBeGreaterThanOrEqual(own[attempt - 1]?.notBeforeMs ?? 0);
        // either the page, or an error that quotes the last response
        const isAnswered = own.at(-1)?.behavior.kind === 'page';
        const isFailed = isConnectorError(results[index], 'API_UNAVAILABLE');
        expect([isAnswered, isFailed]).toStrictEqual([failed.length < own.length, !isAnswered]);
      }
      if (perMinute !== null)
        for (const [index, { atMs }] of arrivals.entries())
          expect(atMs - (arrivals[index - perMinute]?.atMs ?? 0)).toBeGreaterThanOrEqual(MINUTE_MS);
    }),
    { numRuns: RUNS },
  );
});

/** Responds, and returns the virtual time before which the request must not come again. */
function respond(next: Behavior, atMs: number, response: ServerResponse): number {
  // whole seconds of the server's own clock
  const serverMs = Math.floor(atMs / 1000) * 1000 - 7_200_000;
  response.setHeader('date', new Date(serverMs).toUTCString());
  if (next.kind === 'page') response.end(PAGE);
  else if (next.kind === 'html') response.end('<html>');
  else if (next.kind === 'reset') response.destroy();
  else {
    response.statusCode = next.status;
    if (next.retryAfter !== 'none') {
      const until = serverMs + next.retryAfter * 1000;
      response.setHeader(
        'retry-after',
        next.asDate ? new Date(until).toUTCString() : String(next.retryAfter),
      );
    }
    response.end();
    if (next.retryAfter !== 'none') return atMs + next.retryAfter * 1000;
    if (next.status === 429) return (Math.floor(atMs / MINUTE_MS) + 1) * MINUTE_MS;
  }
  return atMs;
}
