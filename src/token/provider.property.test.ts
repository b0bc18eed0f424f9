import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { createPatience } from '../http/patience.ts';
import { READ_BUDGET } from '../limits.ts';
import { runs } from '../property-runs.test-support.ts';
import { emptyCache } from './cache.ts';
import { GENERAL, HOUR, MINUTE, MODULE } from './harness.test-support.ts';
import { createTokenProvider } from './provider.ts';
import { tokenRules, type TokenScope } from './rules.ts';
import { createMemoryStore, type TokenStore } from './store.ts';
import { createTokenEndpoint, type Outcome, type TokenEndpoint } from './token-endpoint.fake.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.fake.ts';

const RUNS = runs(6000);
const START = Date.UTC(2026, 0, 1);
const credentials = { authUrl: 'https://auth.example', clientId: 'me', clientSecret: 'secret' };

/** A process that sends a few requests to lists, and may be killed. */
interface Process {
  readonly startMs: number;
  readonly requests: number;
  readonly everyMs: number;
  readonly killedAfterMs: number | null;
  readonly outcomes: readonly Outcome[];
  readonly latencyMs: number;
}

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Outcome>('fine') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Outcome>(
      'response lost',
      'request lost',
      'unavailable',
      'unreadable',
      'refused',
    ),
  },
);

const oneProcess: fc.Arbitrary<Process> = fc.record({
  startMs: fc.oneof(fc.integer({ min: 0, max: 48 * HOUR }), fc.integer({ min: 0, max: 2 * HOUR })),
  requests: fc.integer({ min: 1, max: 8 }),
  everyMs: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 2 * HOUR })),
  killedAfterMs: fc.option(
    fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 4 * HOUR })),
    { freq: 4, nil: null },
  ),
  outcomes: fc.array(outcome, { minLength: 3, maxLength: 6 }),
  latencyMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: MINUTE })),
});

interface World {
  readonly clock: VirtualClock;
  readonly endpoint: TokenEndpoint;
  /** The token store of another process. */
  readonly store: () => TokenStore;
  expired: number; // number of requests to lists with an expired token
  readonly unexpectedErrors: unknown[];
}

async function runProcess(one: Process, scope: TokenScope, world: World): Promise<void> {
  const { clock, endpoint } = world;
  const kill = new AbortController();
  const { signal } = kill;
  await clock.sleep(one.startMs, new AbortController().signal);
  const end = new AbortController();
  const killed =
    one.killedAfterMs === null
      ? null
      : clock.sleep(one.killedAfterMs, end.signal).then(
          () => kill.abort(new Error('killed')),
          () => undefined,
        );
  let asked = 0;
  const tokens = createTokenProvider({
    credentials,
    known: emptyCache('c'),
    store: world.store(),
    announce: null,
    request: (which, _hasIssued, until) =>
      endpoint.request(which, one.outcomes[asked++ % one.outcomes.length] ?? 'fine', one.latencyMs, until),
    limitRate: async () => undefined,
    warn: async () => undefined,
    log: null,
    onSecret: () => undefined,
    patience: createPatience(READ_BUDGET),
    now: clock.now,
    ticks: clock.now,
    sleep: clock.sleep,
    random: () => 0.5,
  });
  try {
    for (let request = 0; request < one.requests; request++) {
      const token = await tokens('assets', scope).getToken({ signal, onWait: async () => undefined });
      if (!endpoint.accepts(token)) world.expired++;
      await clock.sleep(one.everyMs, signal);
    }
  } catch (error) {
    if (!signal.aborted && !isConnectorError(error, null)) world.unexpectedErrors.push(error);
  } finally {
    end.abort(new Error('over'));
    await killed;
  }
}

/** The largest number of times within any window. */
function maxPerWindow(times: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...times.map((time) => times.filter((other) => other > time - windowMs && other <= time).length),
  );
}

async function simulate(processes: readonly Process[], scope: TokenScope, isShared: boolean): Promise<World> {
  const clock = createVirtualClock(START);
  const shared = createMemoryStore('c');
  const world: World = {
    clock,
    endpoint: createTokenEndpoint(clock),
    store: () => (isShared ? shared : createMemoryStore('c')),
    expired: 0,
    unexpectedErrors: [],
  };
  await clock.run(Promise.all(processes.map((one) => runProcess(one, scope, world))));
  return world;
}

test.each([
  { name: 'for all modules', scope: GENERAL },
  { name: 'per module', scope: MODULE },
])(
  'tokens $name: no schedule of processes over two days exceeds the issuance limit or uses an expired token',
  async ({ scope }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(oneProcess, { minLength: 1, maxLength: 40, size: 'max' }),
        async (processes) => {
          const { endpoint, expired, unexpectedErrors } = await simulate(processes, scope, true);
          const { issuances, validityMs } = tokenRules(scope);
          expect(maxPerWindow(endpoint.issued(scope.audience), validityMs)).toBeLessThanOrEqual(issuances);
          // a request that exceeds the limit is not even sent
          expect(endpoint.refusals()).toBe(0);
          expect(expired).toBe(0);
          expect(unexpectedErrors).toStrictEqual([]);
        },
      ),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  },
);

test('without a shared store, processes exceed the limit', async () => {
  const processes = Array.from({ length: 20 }, (_, index): Process => ({
    startMs: index * HOUR,
    requests: 1,
    everyMs: 0,
    killedAfterMs: null,
    outcomes: ['fine'],
    latencyMs: 10,
  }));
  expect((await simulate(processes, GENERAL, false)).endpoint.refusals()).toBe(5);
  const { endpoint } = await simulate(processes, GENERAL, true);
  expect([endpoint.refusals(), endpoint.issued('API').length]).toStrictEqual([0, 1]);
});
