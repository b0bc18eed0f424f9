import type { ConnectorError } from '../errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import { TOKEN } from '../limits.ts';
import { acquireToken } from './acquire-token.ts';
import type { TokenScope } from './audience.ts';
import { isAlive, isDue } from './lifetime.ts';
import { limitError } from './limit-error.ts';
import type { TokenOutcome } from './request-token.ts';
import { mergedCaches, withToken } from './token-cache.ts';
import type { CachedToken, TokenCache } from './token-cache.ts';
import type { Credentials } from './token-identity.ts';
import { tokenKey } from './token-identity.ts';
import type { TokenStore } from './token-store.ts';
import { judgeRefusal } from './token-refusal.ts';
import type { Refusal, RefusalVerdict } from './token-refusal.ts';

export interface TokenProvider {
  /**
   * A token that is alive, for one request: every request and every retry asks anew, so that a token is renewed before its
   * end, in the middle of a read too. However many ask at once, one request is sent.
   *
   * @throws config_error TOKEN_REFUSED, transient_error TOKEN_LIMIT, API_UNAVAILABLE or TOKEN_UNREADABLE; from then on always
   */
  readonly bearer: (scope: TokenScope, context: RequestContext) => Promise<string>;
  /** Told that the API refuses a token; what to do about it. Where that is to renew it, `bearer` gives another one. */
  readonly refused: (scope: TokenScope, refusal: Refusal, signal: AbortSignal) => Promise<RefusalVerdict>;
}

/** A token in use, without its text. */
export interface HeldToken {
  readonly scope: TokenScope;
  /** True if it was issued to this process; else an earlier one, or another, has kept it. */
  readonly isOwn: boolean;
  /** End of its life, ms since the epoch. */
  readonly endMs: number;
}

export interface TokenProviderParts {
  readonly credentials: Credentials;
  readonly store: TokenStore;
  /** What the config holds of earlier runs. */
  readonly known: TokenCache;
  /** Hands what shall be kept to the platform, before the token is used; null where nobody asks for it. */
  readonly announce: ((cache: TokenCache) => Promise<void>) | null;
  readonly request: (scope: TokenScope, signal: AbortSignal) => Promise<TokenOutcome>;
  readonly turn: (signal: AbortSignal) => Promise<void>;
  /** Told of each token that is used from now on, if anybody wants to know; never of its text. */
  readonly onHeld?: (held: HeldToken) => void;
  /** Told of each token before it is used, so that it can be kept out of every output. */
  readonly onSecret: (token: string) => void;
  /** ms that the issuance limit is waited out at most. */
  readonly mostWaitMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** What this process knows of one kind of token. */
interface Holding {
  current: CachedToken | null;
  isOwn: boolean;
  /** True if the current one stands in for one that the API refused. */
  isReplacement: boolean;
  /** Requests in a row that failed. */
  failures: number;
  /** Refusals by the issuance limit in a row, and ms that they were waited out. */
  limits: number;
  limitedMs: number;
  /** Why none is asked for before a time. */
  pause: { readonly untilMs: number; readonly rateLimited: boolean; readonly error: ConnectorError } | null;
  /** Asking again could only burn another issuance. */
  error: ConnectorError | null;
  flight: { readonly done: Promise<void>; readonly signal: AbortSignal } | null;
}

/** Tokens of one credential, shared by all its processes as far as the store reaches (API document 5.6). */
export function createTokenProvider(parts: TokenProviderParts): TokenProvider {
  const { credentials, store, now } = parts;
  const holdings = new Map<string, Holding>();
  const dead = new Set<string>();
  const keys = new WeakMap<TokenScope, string>();
  let { known } = parts;

  /** Worked out once: each page asks for its token. */
  const keyOf = (scope: TokenScope): string => {
    const key = keys.get(scope) ?? tokenKey(credentials, scope);
    keys.set(scope, key);
    return key;
  };
  const holdingOf = (key: string): Holding => {
    const holding = holdings.get(key) ?? {
      current: null,
      isOwn: false,
      isReplacement: false,
      failures: 0,
      limits: 0,
      limitedMs: 0,
      pause: null,
      error: null,
      flight: null,
    };
    holdings.set(key, holding);
    return holding;
  };
  const announce = async (cache: TokenCache): Promise<void> => {
    known = mergedCaches(known, cache);
    await parts.announce?.(known);
  };
  const hold = async (
    holding: Holding,
    key: string,
    token: CachedToken,
    cache: TokenCache,
  ): Promise<void> => {
    parts.onSecret(token.accessToken);
    if (known.tokens[key]?.accessToken !== token.accessToken) await announce(cache);
    holding.current = token;
    holding.isOwn = false;
  };
  const fail = (holding: Holding, error: ConnectorError, mayHaveIssued: boolean): void => {
    const living = holding.current !== null && isAlive(holding.current, now()) ? holding.current : null;
    const attempts = mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts;
    // each of its answers costs an issuance, and the next one would be no better
    const isUnreadable = error.code === 'TOKEN_UNREADABLE';
    const isFinal = isUnreadable || error.failureType === 'config_error';
    if (living === null && (isFinal || ++holding.failures >= attempts)) holding.error = error;
    const againMs =
      now() + (living === null ? parts.random() * TOKEN.baseMs * 2 ** holding.failures : TOKEN.renewAgainMs);
    const untilMs = isUnreadable && living !== null ? living.endMs : againMs;
    holding.pause = { untilMs, rateLimited: false, error };
  };
  const acquire = async (scope: TokenScope, key: string, signal: AbortSignal): Promise<void> => {
    const holding = holdingOf(key);
    const request = (until: AbortSignal): Promise<TokenOutcome> => parts.request(scope, until);
    const acquired = await acquireToken({ ...parts, known, key, scope, dead, request }, signal);
    if (acquired.kind === 'token') {
      await hold(holding, key, acquired.token, acquired.cache);
      holding.isOwn = acquired.isOwn;
      parts.onHeld?.({ scope, isOwn: acquired.isOwn, endMs: acquired.token.endMs });
      holding.failures = 0;
      holding.limits = 0;
      holding.limitedMs = 0;
      holding.pause = null;
      return;
    }
    const { token, cache } = acquired.rest;
    if (holding.current === null && token !== null) {
      await hold(holding, key, token, cache);
      parts.onHeld?.({ scope, isOwn: false, endMs: token.endMs });
    }
    if (acquired.kind === 'limited') {
      // an endpoint that asks for a short wait again and again is no licence to hammer
      const leastMs = Math.min(TOKEN.mostBackoffMs, TOKEN.baseMs * 2 ** holding.limits++);
      const untilMs = Math.max(acquired.untilMs, now() + leastMs);
      const error = limitError(scope, credentials.clientId, { ...acquired, untilMs }, now());
      holding.pause = { untilMs, rateLimited: true, error };
      const lives = holding.current !== null && isAlive(holding.current, now());
      if (!lives) holding.limitedMs += untilMs - now();
    } else fail(holding, acquired.error, acquired.mayHaveIssued);
  };
  /** One request at a time, whoever asks; if the one who asked first gives up, that is no answer for the others. */
  const fly = async (scope: TokenScope, key: string, signal: AbortSignal): Promise<void> => {
    const holding = holdingOf(key);
    const flight = holding.flight ?? { done: acquire(scope, key, signal), signal };
    holding.flight = flight;
    try {
      await flight.done;
    } catch (error) {
      if (!flight.signal.aborted || signal.aborted) throw error;
    } finally {
      if (holding.flight === flight) holding.flight = null;
    }
  };

  /** Keeps for later processes what is known of a token that they will find. */
  const remember = async (
    holding: Holding,
    key: string,
    token: CachedToken,
    signal: AbortSignal,
  ): Promise<void> => {
    holding.current = token;
    await store.exclusively(async (cache, save) => {
      if (cache.tokens[key]?.accessToken === token.accessToken) await save(withToken(cache, key, token));
    }, signal);
    await announce(withToken(await store.read(), key, token));
  };

  return {
    bearer: async (scope, { signal, onWait }) => {
      const key = keyOf(scope);
      const holding = holdingOf(key);
      for (;;) {
        signal.throwIfAborted();
        if (holding.error !== null) throw holding.error;
        const { current, pause } = holding;
        const waitMs = pause === null ? 0 : pause.untilMs - now();
        if (current !== null && isAlive(current, now()) && (!isDue(current, now()) || waitMs > 0))
          return current.accessToken;
        if (pause === null || waitMs <= 0) {
          await fly(scope, key, signal);
          continue;
        }
        if (pause.rateLimited && Math.max(waitMs, holding.limitedMs) > parts.mostWaitMs)
          throw (holding.error = pause.error);
        const { rateLimited } = pause;
        // the clock may have been set back since
        const pauseMs = rateLimited ? waitMs : Math.min(waitMs, TOKEN.mostBackoffMs);
        await onWait({ reason: pause.error.message, rateLimited, waitMs: pauseMs });
        await parts.sleep(pauseMs, signal);
        if (!rateLimited && holding.pause === pause) holding.pause = null;
      }
    },
    refused: async (scope, refusal, signal) => {
      const { stream, token, wasAccepted } = refusal;
      const key = keyOf(scope);
      const holding = holdingOf(key);
      // another process may have found out meanwhile
      const kept = wasAccepted ? undefined : (await store.read()).tokens[key];
      const { current } = holding;
      if (current === null || current.accessToken !== token) return 'renew';
      const marks = kept?.accessToken === token ? kept.refusedAtMs : {};
      const marked = { ...current, refusedAtMs: { ...marks, ...current.refusedAtMs } };
      const verdict = judgeRefusal(marked, holding, refusal, now());
      if (verdict === 'renew') {
        dead.add(token);
        holding.current = null;
        holding.isReplacement = true;
      }
      if (verdict === 'believe' && !wasAccepted && marked.refusedAtMs[stream] === undefined)
        await remember(
          holding,
          key,
          { ...marked, refusedAtMs: { ...marked.refusedAtMs, [stream]: now() } },
          signal,
        );
      return verdict;
    },
  };
}
