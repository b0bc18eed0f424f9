import type { Clock, Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import {
  NONE_ISSUED,
  mergedCaches,
  nextIssuance,
  getOwn,
  withChanges,
  withIssuance,
  withRefusal,
} from './cache.ts';
import type { CachedToken, Credentials, IssuanceLog, TokenCache } from './cache.ts';
import type { TokenOutcome } from './request.ts';
import { describeLimit, isDue, tokenRules } from './rules.ts';
import type { TokenScope } from './rules.ts';
import { createMemoryLock } from './store.ts';
import type { Save, TokenStore } from './store.ts';

export interface TokenParts extends Pick<Clock, 'now' | 'random'> {
  readonly credentials: Credentials;
  readonly store: TokenStore;
  /** The cache in the config, and later the one that was announced. */
  known: TokenCache;
  readonly request: (scope: TokenScope, signal: AbortSignal) => Promise<TokenOutcome>;
  /** Resolves when another request may be sent. */
  readonly limitRate: (signal: AbortSignal) => Promise<void>;
  readonly sleep: Sleep;
  /** Maximum wait for the issuance limit in ms. */
  readonly maxWaitMs: number;
  /** Hands a cache to the platform, before its new token is used; null if no platform wants it. */
  readonly announce: Save | null;
  /** Called with each token before it is used, so that it can be masked in every output. */
  readonly onSecret: (token: string) => void;
  /** Called for each token that comes into use, without its text. */
  readonly onHeld?: (held: HeldToken) => void;
}

/**
 * Why the latest token request failed. None is sent before `untilMs` (local time); Infinity if another one could only waste
 * an issuance. Since the latest success, `failures` requests failed, and `limits` waits for the issuance limit took
 * `limitedMs`.
 */
export const NO_BACKOFF = {
  error: null as ConnectorError | null,
  untilMs: 0,
  failures: 0,
  limits: 0,
  limitedMs: 0,
};
type Backoff = Readonly<typeof NO_BACKOFF>;

/** What this process knows about the tokens of one scope; only the provider changes it. */
export type OwnHolding = ReturnType<typeof createHolding>;
type Holding = Readonly<OwnHolding>;

/** `key` is what a cached token is bound to, see `tokenKey`. */
export function createHolding(key: string, scope: TokenScope, parts: TokenParts) {
  return {
    key,
    scope,
    parts,
    token: null as CachedToken | null,
    /** True if the token was issued to this process, false if it was cached. */
    isOwn: false,
    /** Tokens that the API has rejected; they are never used again. */
    rejected: new Set<string>(),
    backoff: NO_BACKOFF as Backoff,
    /** Serializes requests. If the first caller gives up, the others still get their token. */
    lock: createMemoryLock(),
  };
}

/** A token in use, without its text. */
export type HeldToken = Readonly<Pick<Holding, 'scope' | 'isOwn'> & Pick<CachedToken, 'endMs'>>;

type Acquired = ReturnType<typeof cachedToken>;

/**
 * Returns a cached token that is still fresh, else requests a new one while all other processes wait. If that fails, returns
 * a backoff, and the cached token if it is due but still alive.
 */
export async function acquireToken(holding: Holding, signal: AbortSignal): Promise<Acquired> {
  const { store, limitRate } = holding.parts;
  const cached = cachedToken(await store.read(), holding);
  if (cached.isFresh) return cached;
  await limitRate(signal);
  return store.exclusively((found, save) => requestIfNeeded(found, holding, save, signal), signal);
}

/** The cached token, if it is alive. It is fresh if it is not due, and does not end later than the documentation allows. */
function cachedToken(found: TokenCache, { key, scope, rejected, parts: { known, now } }: Holding) {
  const cache = mergedCaches(known, found, now());
  const cached = getOwn(cache.tokens, key) ?? null;
  const token = cached === null || rejected.has(cached.accessToken) || cached.endMs <= now() ? null : cached;
  const maxEndMs = now() + tokenRules(scope).validityMs;
  const isFresh = token !== null && !isDue(token, now()) && token.endMs <= maxEndMs;
  return { isFresh, token, isOwn: false, cache, backoff: NO_BACKOFF as Backoff };
}

/**
 * Requests a token, unless another process has just cached one or the request would exceed the issuance limit. The request
 * is logged before it is sent, so that it counts even if this process dies, and removed from the log if nothing was issued.
 */
async function requestIfNeeded(found: TokenCache, holding: Holding, save: Save, signal: AbortSignal) {
  const { key, scope, parts } = holding;
  const { credentials, now, request } = parts;
  const { audience } = scope;
  const cached = cachedToken(found, holding);
  if (cached.isFresh) return cached;
  const { cache, token: alive } = cached;
  const rules = tokenRules(scope);
  const log = getOwn(cache.issuances, audience) ?? NONE_ISSUED;
  const withLog = (issuances: IssuanceLog) => withChanges(cache, { issuances: { [audience]: issuances } });
  const failed = (outcome: Failure, issuances: IssuanceLog): Acquired => {
    const limitedUntilMs = nextIssuance(issuances, rules, now());
    return { ...cached, backoff: backoffAfter(outcome, limitedUntilMs, alive, holding) };
  };
  const requestedAtMs = now();
  if (nextIssuance(log, rules, requestedAtMs) > requestedAtMs) {
    const error = transientError('TOKEN_LIMIT', describeLimit(credentials.clientId, scope, ''), null);
    return failed({ kind: 'limited', error, retryAfterMs: undefined }, log);
  }
  const noted = withIssuance(log, rules, requestedAtMs);
  await save(withLog(noted));
  const outcome = await request(scope, signal);
  if (outcome.kind === 'issued') {
    const { token } = outcome;
    const updated = withChanges(withLog(noted), { tokens: { [key]: token } });
    await save(updated);
    return { ...cached, token, isOwn: true, cache: updated };
  }
  const unissued = outcome.kind === 'limited' ? withRefusal(log, rules, outcome.retryAfterMs, now()) : log;
  const issuances = outcome.kind === 'failed' && outcome.mayHaveIssued ? noted : unissued;
  await save(withLog(issuances));
  return failed(outcome, issuances);
}

type Failure = Exclude<TokenOutcome, { kind: 'issued' }>;

/**
 * When the next token request may be sent. While a token is alive, nothing is urgent and no failure is final. Otherwise the
 * issuance limit is waited out, with growing pauses if the endpoint keeps asking for short ones; after other failures a
 * few more attempts follow, fewer if each may cost an issuance.
 */
function backoffAfter(outcome: Failure, limitedUntilMs: number, alive: CachedToken | null, holding: Holding) {
  const { backoff, parts } = holding;
  const { error } = outcome;
  const nowMs = parts.now();
  // each such response costs an issuance, and the next one would be no better
  const isUnreadable = error.code === 'TOKEN_UNREADABLE';
  if (alive !== null) {
    const untilMs = isUnreadable ? alive.endMs : Math.max(limitedUntilMs, nowMs + TOKEN.renewAgainMs);
    return { ...backoff, error, untilMs: Math.min(untilMs, alive.endMs) };
  }
  if (outcome.kind === 'failed') {
    const failures = backoff.failures + 1;
    const isLast = failures >= (outcome.mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts);
    const isFinal = isUnreadable || isLast || error.failureType === 'config_error';
    const pauseMs = parts.random() * TOKEN.baseMs * 2 ** failures;
    return { ...backoff, failures, error, untilMs: isFinal ? Infinity : nowMs + pauseMs };
  }
  const minMs = Math.min(TOKEN.maxBackoffMs, TOKEN.baseMs * 2 ** backoff.limits);
  const waitMs = Math.max(limitedUntilMs - nowMs, minMs);
  const limitedMs = backoff.limitedMs + waitMs;
  const at = new Date(Math.ceil((nowMs + waitMs) / 1000) * 1000).toISOString().replace('.000', '');
  const words =
    `${error.message} The next token can be requested at ${at} (in ${formatDuration(waitMs)}). ` +
    'Runs that share a token cache share one token.';
  const untilMs = limitedMs > parts.maxWaitMs ? Infinity : nowMs + waitMs;
  const limits = backoff.limits + 1;
  return { ...backoff, limits, limitedMs, error: transientError('TOKEN_LIMIT', words, error), untilMs };
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function formatDuration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
