import { createPatience } from '../http/patience.ts';
import type { Waiting } from '../http/request.ts';
import { READ_BUDGET } from '../limits.ts';
import { emptyCache, type CachedToken, type TokenCache } from './cache.ts';
import type { TokenDeps } from './acquire.ts';
import { createTokenProvider } from './provider.ts';
import type { TokenScope } from './rules.ts';
import { createMemoryStore } from './store.ts';
import { createTokenEndpoint, type Outcome } from './token-endpoint.fake.ts';
import { createVirtualClock } from './virtual-clock.fake.ts';

const START = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const GENERAL: TokenScope = { audience: 'API', scopes: null, key: 'token.kind' };
export const MODULE: TokenScope = { audience: 'AMAPI', scopes: null, key: 'assets.audience' };
export const { signal } = new AbortController();

/** A context without an abort, in which waits are not observed. */
export const CONTEXT = { signal, onWait: async () => undefined };

export interface StartOptions {
  readonly known: TokenCache;
  readonly outcomes: readonly Outcome[];
  readonly announces: boolean;
  /** Sends requests for tokens instead of the endpoint of the harness. */
  readonly request: TokenDeps['request'];
  /** The local clock, if it differs from that of the world. */
  readonly now: () => number;
}

/** A token endpoint and a store on a virtual clock, for any number of processes. */
export function createHarness() {
  const clock = createVirtualClock(START);
  const world = { clock, endpoint: createTokenEndpoint(clock), store: createMemoryStore('c') };
  return {
    ...world,
    start: (options: Partial<StartOptions>) => startProcess(world, options),
    pass: (ms: number) => clock.run(clock.sleep(ms, signal)),
  };
}

type World = Pick<ReturnType<typeof createHarness>, 'clock' | 'endpoint' | 'store'>;

function startProcess({ clock, endpoint, store }: World, options: Partial<StartOptions>) {
  const { known = emptyCache('c'), outcomes = [], announces = false, now = clock.now, request } = options;
  const events: string[] = [];
  const announced: TokenCache[] = [];
  const waits: Waiting[] = [];
  const logged: string[] = [];
  const warned: string[] = [];
  const announce = async (cache: TokenCache): Promise<void> => {
    events.push('announce');
    announced.push(cache);
  };
  let requests = 0;
  const tokens = createTokenProvider({
    credentials: { authUrl: 'https://auth.example', clientId: 'me', clientSecret: 'secret' },
    known,
    store,
    announce: announces ? announce : null,
    request: async (scope, hasIssued, until) => {
      events.push('request');
      if (request !== undefined) return request(scope, hasIssued, until);
      const aheadMs = now() - clock.now();
      const outcome = await endpoint.request(scope, outcomes[requests++] ?? 'fine', 100, until);
      if (outcome.kind !== 'issued') return outcome;
      const token = shifted(outcome.token, aheadMs);
      return { ...outcome, token, hasEnded: token.endMs <= now() };
    },
    limitRate: async () => undefined,
    warn: async (message) => void warned.push(message),
    log: (message) => logged.push(message),
    onSecret: (token) => events.push(`hide ${token}`),
    patience: createPatience(READ_BUDGET),
    now,
    ticks: clock.now,
    sleep: clock.sleep,
    random: () => 0.5,
  });
  const onWait = async (wait: Waiting): Promise<void> => void waits.push(wait);
  const getToken = (scope: TokenScope): Promise<string> =>
    clock.run(tokens('assets', scope).getToken({ signal, onWait }));
  return { tokens, getToken, events, announced, waits, logged, warned };
}

/** A token as dated by a clock that is ahead by `ms`. */
function shifted(token: CachedToken, ms: number): CachedToken {
  return { ...token, issuedAtMs: token.issuedAtMs + ms, endMs: token.endMs + ms };
}
