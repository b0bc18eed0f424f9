import { emptyCache } from './token-cache.ts';
import type { TokenCache } from './token-cache.ts';
import type { TokenScope } from './audience.ts';
import { createTokenDesk } from './token-desk.fake.ts';
import type { Fate, TokenDesk } from './token-desk.fake.ts';
import { createTokenProvider } from './token-provider.ts';
import type { Waiting } from '../http/request-context.ts';
import type { HeldToken, TokenProvider } from './token-provider.ts';
import { createMemoryStore } from './token-store.ts';
import type { TokenStore } from './token-store.ts';
import { createVirtualClock } from './virtual-clock.fake.ts';
import type { VirtualClock } from './virtual-clock.fake.ts';

const START = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const GENERAL: TokenScope = { audience: 'API', scopes: null };
export const MODULE: TokenScope = { audience: 'AMAPI', scopes: null };
export const { signal } = new AbortController();

/** A world of processes that share a store, on a virtual clock. */
export interface Bed {
  readonly clock: VirtualClock;
  readonly desk: TokenDesk;
  readonly store: TokenStore;
  /** A process of its own. */
  readonly start: (options: Partial<StartOptions>) => Process;
  readonly pass: (ms: number) => Promise<void>;
}

export interface StartOptions {
  readonly known: TokenCache;
  readonly fates: readonly Fate[];
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

export function createBed(): Bed {
  const clock = createVirtualClock(START);
  const desk = createTokenDesk(clock);
  const store = createMemoryStore('c');
  const start = ({
    known = emptyCache('c'),
    fates = ['fine'],
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
      request: (scope, until) => {
        events.push('request');
        return desk.request(scope, fates[asked++] ?? 'fine', 100, until);
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
        tokens.bearer(scope, {
          signal,
          onWait: async (wait) => {
            waits.push(wait);
          },
        }),
      );
    return { tokens, bearer, events, announced, waits, held };
  };
  return { clock, desk, store, start, pass: (ms) => clock.run(clock.sleep(ms, signal)) };
}
