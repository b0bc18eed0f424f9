import { emptyCache } from './cache.ts';
import type { CachedToken, TokenCache } from './cache.ts';
import type { TokenScope } from './rules.ts';
import { createTokenEndpoint } from './token-endpoint.fake.ts';
import type { Outcome, TokenEndpoint } from './token-endpoint.fake.ts';
import { createTokenProvider } from './provider.ts';
import type { Waiting } from '../http/request.ts';
import type { HeldToken } from './acquire.ts';
import type { TokenProvider } from './provider.ts';
import { createMemoryStore } from './store.ts';
import type { TokenStore } from './store.ts';
import { createVirtualClock } from './virtual-clock.fake.ts';
import type { VirtualClock } from './virtual-clock.fake.ts';

const START = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const GENERAL: TokenScope = { audience: 'API', scopes: null };
export const MODULE: TokenScope = { audience: 'AMAPI', scopes: null };
export const { signal } = new AbortController();

/** A world of processes that share a store, on a virtual clock. */
export interface Harness {
  readonly clock: VirtualClock;
  readonly endpoint: TokenEndpoint;
  readonly store: TokenStore;
  /** A process of its own. */
  readonly start: (options: Partial<StartOptions>) => Process;
  readonly pass: (ms: number) => Promise<void>;
}

export interface StartOptions {
  readonly known: TokenCache;
  readonly outcomes: readonly Outcome[];
  readonly announces: boolean;
  /** Its own clock, where that is not the world's. */
  readonly now: () => number;
}

export interface Process {
  readonly tokens: TokenProvider;
  readonly bearer: (scope: TokenScope) => Promise<string>;
  readonly events: string[];
  readonly announced: TokenCache[];
  readonly waits: Waiting[];
  readonly held: HeldToken[];
}

function shifted(token: CachedToken, ms: number): CachedToken {
  return { ...token, issuedAtMs: token.issuedAtMs + ms, endMs: token.endMs + ms };
}

export function createHarness(): Harness {
  const clock = createVirtualClock(START);
  const endpoint = createTokenEndpoint(clock);
  const store = createMemoryStore('c');
  const start = ({
    known = emptyCache('c'),
    outcomes = ['fine'],
    announces = false,
    now = clock.now,
  }: Partial<StartOptions>): Process => {
    const events: string[] = [];
    const announced: TokenCache[] = [];
    const waits: Waiting[] = [];
    const held: HeldToken[] = [];
    let asked = 0;
    const tokens = createTokenProvider({
      credentials: { authUrl: 'https://auth.example', clientId: 'me', clientSecret: 'secret' },
      known,
      store,
      announce: announces
        ? async (cache) => {
            events.push('announce');
            announced.push(cache);
          }
        : null,
      request: async (scope, until) => {
        events.push('request');
        // noted by its own clock
        const aheadMs = now() - clock.now();
        const outcome = await endpoint.request(scope, outcomes[asked++] ?? 'fine', 100, until);
        return outcome.kind === 'issued' ? { ...outcome, token: shifted(outcome.token, aheadMs) } : outcome;
      },
      turn: async () => undefined,
      onHeld: (token) => held.push(token),
      onSecret: (token) => events.push(`hide ${token}`),
      mostWaitMs: 10 * MINUTE,
      now,
      sleep: clock.sleep,
      random: () => 0.5,
    });
    const bearer = (scope: TokenScope): Promise<string> =>
      clock.run(
        tokens('assets', scope).bearer({
          signal,
          onWait: async (wait) => {
            waits.push(wait);
          },
        }),
      );
    return { tokens, bearer, events, announced, waits, held };
  };
  return { clock, endpoint, store, start, pass: (ms) => clock.run(clock.sleep(ms, signal)) };
}
