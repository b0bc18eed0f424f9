import { duration, wholeSecond, type Clock, type Sleep } from '../clock.ts';
import { transientError, type ConnectorError } from '../errors.ts';
import { retryDelay, type Patience } from '../http/patience.ts';
import { TOKEN } from '../limits.ts';
import { NONE_ISSUED, nextIssuance, withIssuance, withRefusal, type IssuanceLog } from './cache.ts';
import { getOwn, mergedCaches, withChanges } from './cache.ts';
import type { CachedToken, Credentials, TokenCache } from './cache.ts';
import type { Failure, TokenOutcome } from './request.ts';
import { describeEnd, describeLimit, describeRequest, isDue, tokenRules, type TokenScope } from './rules.ts';
import { createMemoryLock, type Save, type TokenStore } from './store.ts';

export interface TokenDeps extends Pick<Clock, 'now' | 'ticks' | 'random'> {
  readonly credentials: Credentials;
  readonly store: TokenStore;
  known: TokenCache; // the cache that the platform knows: from the config, later the latest announced one
  readonly request: (scope: TokenScope, hasIssued: boolean, signal: AbortSignal) => Promise<TokenOutcome>;
  readonly limitRate: (signal: AbortSignal) => Promise<void>; // resolves when another request may be sent
  readonly sleep: Sleep;
  readonly patience: Patience;
  readonly announce: Save | null; // passes a cache to the platform before its new token is used; null if there is no platform
  readonly onSecret: (token: string) => void; // called with each token before its first use, so that all output masks it
  readonly warn: (message: string) => Promise<void>;
  readonly log: ((message: string) => void) | null; // logs each token at its first use, without its text
}

/** Why the last token request failed, and what failed since the last success. */
export const NO_BACKOFF = {
  error: null as ConnectorError | null,
  untilTicks: 0, // monotonic time at which the next request may be sent; Infinity for never
  sinceTicks: null as number | null, // of the first failure
  failures: 0,
  cut: 0, // failures that may have issued a token
  ended: null as string | null, // the latest token, if it had no validity left
  askedMs: 0, // waits that the endpoint asked for
  limits: 0, // waits for the issuance limit
  limitedMs: 0, // their total
};
type Backoff = Readonly<typeof NO_BACKOFF>;

/** What this process knows about the tokens of one scope; only the provider changes it. */
export type TokenSlot = ReturnType<typeof createTokenSlot>;

export function createTokenSlot(key: string, scope: TokenScope, deps: TokenDeps) {
  return {
    key, // see `tokenKey`
    scope,
    deps,
    token: null as CachedToken | null,
    isOwn: false, // the token was issued to this process; otherwise it was cached
    rejected: new Set<string>(), // by the API; never used again
    warned: new Set<string>(), // codes of failed renewals that a person knows of
    backoff: NO_BACKOFF as Backoff,
    lock: createMemoryLock(), // one request at a time; if its caller gives up, the others still get a token
  };
}

type Slot = Readonly<TokenSlot>;
type Acquired = ReturnType<typeof cachedToken>;

/** Returns a fresh token: a cached one, or else a new one. If there is none, returns a backoff, and a token that is still valid. */
export async function acquireToken(slot: Slot, signal: AbortSignal): Promise<Acquired> {
  const { store, limitRate } = slot.deps;
  const cached = cachedToken(await store.read(), slot);
  if (cached.isFresh) return cached;
  await limitRate(signal);
  return store.exclusively((found, save) => requestIfNeeded(found, slot, save, signal), signal);
}

/** The cached token if it is valid. It is fresh if it is not due for renewal, and ends no later than the documentation allows. */
function cachedToken(found: TokenCache, { key, scope, rejected, deps: { known, now } }: Slot) {
  const cache = mergedCaches(known, found, now());
  const cached = getOwn(cache.tokens, key) ?? null;
  const token = cached === null || rejected.has(cached.accessToken) || cached.endMs <= now() ? null : cached;
  const maxEndMs = now() + tokenRules(scope).validityMs;
  const isFresh = token !== null && !isDue(token, now()) && token.endMs <= maxEndMs;
  return { isFresh, token, isOwn: false, cache, backoff: NO_BACKOFF as Backoff };
}

/**
 * The cached token, if it lives by the documentation, though not by what was stated with it: its unit may be misread. Unless the API has
 * refused it, it is used while no other may be issued.
 */
function unrefused(
  { tokens }: TokenCache,
  { key, scope, rejected, deps: { now } }: Slot,
): CachedToken | null {
  const token = getOwn(tokens, key);
  if (token === undefined || rejected.has(token.accessToken)) return null;
  const endMs = token.issuedAtMs + tokenRules(scope).validityMs;
  return endMs > now() && token.issuedAtMs <= now() ? { ...token, endMs } : null;
}

/** Requests a token, unless another process has just cached one or the issuance limit is reached. */
async function requestIfNeeded(found: TokenCache, slot: Slot, save: Save, signal: AbortSignal) {
  const { key, scope, deps } = slot;
  const cached = cachedToken(found, slot);
  if (cached.isFresh) return cached;
  const rules = tokenRules(scope);
  const earlier = getOwn(cached.cache.issuances, scope.audience) ?? NONE_ISSUED;
  const withLog = (log: IssuanceLog) => withChanges(cached.cache, { issuances: { [scope.audience]: log } });
  const failed = (failure: Failure, log: IssuanceLog): Acquired => {
    const limitedUntilMs = nextIssuance(log, rules, deps.now());
    const token = cached.token ?? (failure.kind === 'limited' ? unrefused(cached.cache, slot) : null);
    return { ...cached, token, backoff: backoffAfter(failure, limitedUntilMs, token, slot) };
  };
  const requestedAtMs = deps.now();
  if (nextIssuance(earlier, rules, requestedAtMs) > requestedAtMs) {
    const error = transientError('TOKEN_LIMIT', describeLimit(deps.credentials.clientId, scope), null);
    return failed({ kind: 'limited', error, retryAfterMs: undefined }, earlier);
  }
  // logged before it is sent, so that the request counts even if this process is killed
  const logged = withIssuance(earlier, rules, requestedAtMs);
  await save(withLog(logged));
  const known = slot.token ?? getOwn(cached.cache.tokens, key) ?? null;
  const outcome = await deps.request(scope, known !== null, signal);
  if (outcome.kind === 'issued') {
    const { accessToken } = outcome.token;
    const isAgain = [known?.accessToken, slot.backoff.ended].includes(accessToken);
    const token = asReissued(outcome.token, known, requestedAtMs);
    const log = isAgain ? earlier : logged;
    const cache = withChanges(withLog(log), { tokens: outcome.hasEnded ? {} : { [key]: token } });
    await save(cache);
    // it may end before it is used, if stdout is full; then the next one is requested as for any other
    if (!outcome.hasEnded) return { ...cached, token, isOwn: true, cache };
    const failure = endedFailure(deps.credentials.clientId, scope, accessToken, !isAgain);
    const { backoff, ...none } = failed(failure, log);
    return { ...none, backoff: { ...backoff, ended: accessToken } };
  }
  let log = earlier;
  if (outcome.kind === 'limited') log = withRefusal(earlier, rules, outcome.retryAfterMs, deps.now());
  else if (outcome.mayHaveIssued) log = logged;
  await save(withLog(log));
  return failed(outcome, log);
}

/** An issued token; if it is the known one, its new dates count only once the old ones are over. */
function asReissued(issued: CachedToken, known: CachedToken | null, nowMs: number): CachedToken {
  if (issued.accessToken !== known?.accessToken || known.endMs <= nowMs) return issued;
  return { ...issued, endMs: Math.min(known.endMs, issued.endMs), isReissued: true };
}

function endedFailure(
  clientId: string,
  scope: TokenScope,
  accessToken: string,
  mayHaveIssued: boolean,
): Failure {
  const end = describeEnd(accessToken);
  const problem = `the token endpoint returned a token that has already ended (${end}) for ${describeRequest(clientId, scope)}`;
  const error = transientError('API_UNAVAILABLE', `auth_url: ${problem}. Try again later.`, null);
  return { kind: 'ended', error, mayHaveIssued, retryAfterMs: undefined };
}

/**
 * While a token is valid, nothing is urgent and no failure is final. Otherwise, the issuance limit is waited out for up to `tokenWaitMs`,
 * with growing pauses, and other failures like those of a list; but of requests that may have issued a token, only a few are sent.
 */
function backoffAfter(failure: Failure, limitedUntilMs: number, valid: CachedToken | null, slot: Slot) {
  const { backoff, deps } = slot;
  const { error } = failure;
  const [nowMs, nowTicks] = [deps.now(), deps.ticks()];
  if (valid !== null) {
    const validMs = valid.endMs - nowMs;
    const cut = cutAfter(failure, backoff);
    const isLast = mayHarm(failure) || cut >= TOKEN.maxCut;
    const pauseMs = isLast ? validMs : Math.max(limitedUntilMs - nowMs, TOKEN.renewAgainMs);
    return { ...backoff, error, cut, untilTicks: nowTicks + Math.min(pauseMs, validMs) };
  }
  return failure.kind === 'limited'
    ? afterLimit(failure, limitedUntilMs, slot, nowMs, nowTicks)
    : afterFailure(failure, slot, nowMs, nowTicks);
}

/**
 * While a token is valid, another request is not worth an issuance, since the next response would be just as unreadable, nor credentials
 * that are rejected time and again, which can lock the account.
 */
function mayHarm(failure: Failure): boolean {
  const { code, failureType } = failure.error;
  const isLasting = failureType === 'config_error' && failure.kind !== 'limited' && failure.mayHaveIssued;
  return isLasting || code === 'TOKEN_UNREADABLE' || code === 'TOKEN_REFUSED';
}

function cutAfter(failure: Failure, { cut }: Backoff): number {
  return failure.kind !== 'limited' && failure.mayHaveIssued ? cut + 1 : cut;
}

type Failed = Exclude<Failure, { kind: 'limited' }>;

function afterFailure(failure: Failed, { backoff, deps }: Slot, nowMs: number, nowTicks: number): Backoff {
  const { kind, error, retryAfterMs = 0, mayHaveIssued } = failure;
  const { patience } = deps;
  const failures = backoff.failures + 1;
  const cut = cutAfter(failure, backoff);
  const sinceTicks = backoff.sinceTicks ?? nowTicks;
  const failingMs = nowTicks - sinceTicks - backoff.askedMs;
  const failed = { ...backoff, isRateLimited: false, retryAfterMs, failures, failingMs };
  const cutWaitMs = mayHaveIssued ? TOKEN.cutWaitMs : 0;
  const leastMs = kind === 'ended' ? TOKEN.endedWaitMs : cutWaitMs;
  const limits = { failureMs: patience.failureMs(), maxAskedMs: patience.budget.rateLimitMs, leastMs };
  const delay = retryDelay(failed, limits, nowMs, deps.random());
  const isFinal = cut >= TOKEN.maxCut || error.failureType === 'config_error';
  if (delay === null || isFinal)
    return { ...backoff, error: withRetryAfter(error, retryAfterMs, nowMs), untilTicks: Infinity };
  return {
    ...backoff,
    error,
    failures,
    cut,
    untilTicks: nowTicks + delay.waitMs,
    sinceTicks,
    askedMs: backoff.askedMs + delay.askedMs,
  };
}

/** A final error, with the time that the endpoint asks to wait for. */
function withRetryAfter(error: ConnectorError, retryAfterMs: number, nowMs: number): ConnectorError {
  if (retryAfterMs === 0 || error.failureType === 'config_error') return error;
  const until = wholeSecond(nowMs + retryAfterMs);
  const message = `${error.message} The endpoint asks to wait until ${until}.`;
  return transientError('API_UNAVAILABLE', message, error);
}

function afterLimit(
  { error }: Failure,
  limitedUntilMs: number,
  { backoff, deps }: Slot,
  nowMs: number,
  nowTicks: number,
): Backoff {
  const minMs = Math.min(TOKEN.maxLimitMs, TOKEN.limitBaseMs * 2 ** backoff.limits);
  const waitMs = Math.max(limitedUntilMs - nowMs, minMs);
  const limitedMs = backoff.limitedMs + waitMs;
  const message = `${error.message} ${nextRequest(limitedUntilMs, nowMs, deps.store)} Runs that share a token cache share one token.`;
  const untilTicks = limitedMs > deps.patience.budget.tokenWaitMs ? Infinity : nowTicks + waitMs;
  const limits = backoff.limits + 1;
  return { ...backoff, limits, limitedMs, error: transientError('TOKEN_LIMIT', message, error), untilTicks };
}

/** For messages: when another run may request a token. This one may pause for longer, which is said where it waits. */
function nextRequest(limitedUntilMs: number, nowMs: number, { file }: TokenStore): string {
  if (limitedUntilMs <= nowMs)
    return 'The endpoint asks for no wait, so the next run requests a token at once.';
  const next = `The next token can be requested at ${wholeSecond(limitedUntilMs)} (in ${duration(limitedUntilMs - nowMs)}).`;
  return file === null ? next : `${next} This is recorded in ${file}.`;
}
