import type { Clock, Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import {
  NONE_ISSUED,
  ofKey,
  mergedCaches,
  nextIssuance,
  withChanges,
  withIssuance,
  withRefusal,
} from './cache.ts';
import type { CachedToken, Credentials, IssuanceLog, TokenCache } from './cache.ts';
import type { TokenOutcome } from './request.ts';
import { isDue, limitWords, tokenRules } from './rules.ts';
import type { TokenScope } from './rules.ts';
import { createMemoryLock } from './store.ts';
import type { Save, TokenStore } from './store.ts';

export interface TokenParts extends Pick<Clock, 'now' | 'random'> {
  readonly credentials: Credentials;
  readonly store: TokenStore;
  /** What the config has; from an announcement on, what was announced. */
  known: TokenCache;
  readonly request: (scope: TokenScope, signal: AbortSignal) => Promise<TokenOutcome>;
  readonly turn: (signal: AbortSignal) => Promise<void>;
  readonly sleep: Sleep;
  /** ms that the issuance limit is waited out at most. */
  readonly mostWaitMs: number;
  /** Hands what shall be kept to the platform, before the token is used; null where nobody asks for it. */
  readonly announce: Save | null;
  /** Told of each token before it is used, so that it can be kept out of every output. */
  readonly onSecret: (token: string) => void;
  /** Told of each token that is used from now on; never of its text. */
  readonly onHeld?: (held: HeldToken) => void;
}

/**
 * Why no new token was to be had the last time. None is asked for before `untilMs` of local time; Infinity where that could
 * only burn another issuance. Since the last one was had `failures` requests failed, and `limits` limits were waited out for
 * `limitedMs` in all.
 */
export const NO_SETBACK = {
  error: null as ConnectorError | null,
  untilMs: 0,
  failures: 0,
  limits: 0,
  limitedMs: 0,
};
type Setback = Readonly<typeof NO_SETBACK>;

/** What this process knows of one kind of token. */
export type Holding = ReturnType<typeof createHolding>;

/** `key`: what a kept token is bound to, see `tokenKey`. */
export function createHolding(key: string, scope: TokenScope, parts: TokenParts) {
  return {
    key,
    scope,
    parts,
    token: null as CachedToken | null,
    /** True if that one was issued to this process; else it was kept. */
    isOwn: false,
    /** Those that the API has refused: they are never used again. */
    dead: new Set<string>(),
    setback: NO_SETBACK as Setback,
    /** One request at a time, whoever asks; if the one who asked first gives up, that is no answer for the others. */
    alone: createMemoryLock(),
  };
}

/** A token in use, without its text. */
export type HeldToken = Readonly<Pick<Holding, 'scope' | 'isOwn'> & Pick<CachedToken, 'endMs'>>;

/**
 * Has a kept token used that is good for a while, else a new one, asked for while every other process waits. Where none is to
 * be had there is a setback, and a kept one that is due is used for as long as it lives.
 */
export async function acquire(holding: Holding, signal: AbortSignal): Promise<void> {
  const { key, scope, parts } = holding;
  let found = lookAt(await parts.store.read(), holding);
  if (!found.isGood) {
    await parts.turn(signal);
    found = await parts.store.exclusively((kept, save) => ask(kept, holding, save, signal), signal);
  }
  const { token, isOwn, cache, setback } = found;
  if (token !== null && token.accessToken !== holding.token?.accessToken) {
    parts.onSecret(token.accessToken);
    if (ofKey(parts.known.tokens, key)?.accessToken !== token.accessToken) await announce(cache, parts);
    Object.assign(holding, { token, isOwn });
    parts.onHeld?.({ scope, isOwn, endMs: token.endMs });
  }
  holding.setback = setback;
}

/** What the platform is to hand to the next process as well. */
export async function announce(cache: TokenCache, parts: TokenParts): Promise<void> {
  parts.known = mergedCaches(parts.known, cache, parts.now());
  await parts.announce?.(parts.known);
}

type Found = ReturnType<typeof lookAt>;

/** The kept token, if it lives; good for a while is one whose end is no further ahead than is documented. */
function lookAt(found: TokenCache, { key, scope, dead, parts: { known, now } }: Holding) {
  const cache = mergedCaches(known, found, now());
  const kept = ofKey(cache.tokens, key) ?? null;
  const token = kept === null || dead.has(kept.accessToken) || kept.endMs <= now() ? null : kept;
  const mostEndMs = now() + tokenRules(scope).validityMs;
  const isGood = token !== null && !isDue(token, now()) && token.endMs <= mostEndMs;
  return { isGood, token, isOwn: false, cache, setback: NO_SETBACK as Setback };
}

/**
 * Asks for a token. The request is in the issuance log before it is sent, so that a process that dies on the way has counted
 * it, and taken out again if the answer shows that nothing was issued. One that would exceed the documented limit is not sent.
 */
async function ask(found: TokenCache, holding: Holding, save: Save, signal: AbortSignal): Promise<Found> {
  const { key, scope, parts } = holding;
  const { credentials, now, request } = parts;
  const { audience } = scope;
  const kept = lookAt(found, holding);
  if (kept.isGood) return kept;
  const { cache, token: living } = kept;
  const rules = tokenRules(scope);
  const log = ofKey(cache.issuances, audience) ?? NONE_ISSUED;
  const withLog = (issuances: IssuanceLog) => withChanges(cache, { issuances: { [audience]: issuances } });
  const without = (outcome: Failed, known: IssuanceLog): Found => {
    const setback = setbackAfter(outcome, nextIssuance(known, rules, now()), living, holding);
    return { ...kept, setback };
  };
  const askedAtMs = now();
  if (nextIssuance(log, rules, askedAtMs) > askedAtMs) {
    const error = transientError('TOKEN_LIMIT', limitWords(credentials.clientId, scope, ''), null);
    return without({ kind: 'limited', error, retryAfterMs: undefined }, log);
  }
  const noted = withIssuance(log, rules, askedAtMs);
  await save(withLog(noted));
  const outcome = await request(scope, signal);
  if (outcome.kind === 'issued') {
    const { token } = outcome;
    const after = withChanges(withLog(noted), { tokens: { [key]: token } });
    await save(after);
    return { ...kept, token, isOwn: true, cache: after };
  }
  let after = log;
  if (outcome.kind === 'limited') after = withRefusal(log, rules, outcome.retryAfterMs, now());
  else if (outcome.mayHaveIssued) after = noted;
  await save(withLog(after));
  return without(outcome, after);
}

type Failed = Exclude<TokenOutcome, { kind: 'issued' }>;

/**
 * While a token lives nothing is urgent, and nothing final. Else the issuance limit is waited out, and an endpoint that asks
 * for a short wait again and again is no licence to hammer; after another failure one more attempt follows, fewer where each
 * may cost an issuance.
 */
function setbackAfter(outcome: Failed, limitedUntilMs: number, living: CachedToken | null, holding: Holding) {
  const { setback, parts } = holding;
  const { now, random, mostWaitMs } = parts;
  const { error } = outcome;
  const nowMs = now();
  // each such answer costs an issuance, and the next one would be no better
  const isUnreadable = error.code === 'TOKEN_UNREADABLE';
  if (living !== null) {
    const untilMs = isUnreadable ? living.endMs : Math.max(limitedUntilMs, nowMs + TOKEN.renewAgainMs);
    return { ...setback, error, untilMs: Math.min(untilMs, living.endMs) };
  }
  if (outcome.kind === 'failed') {
    const failures = setback.failures + 1;
    const isLast = failures >= (outcome.mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts);
    const isFinal = isUnreadable || isLast || error.failureType === 'config_error';
    const pauseMs = random() * TOKEN.baseMs * 2 ** failures;
    return { ...setback, failures, error, untilMs: isFinal ? Infinity : nowMs + pauseMs };
  }
  const leastMs = Math.min(TOKEN.mostBackoffMs, TOKEN.baseMs * 2 ** setback.limits);
  const waitMs = Math.max(limitedUntilMs - nowMs, leastMs);
  const limitedMs = setback.limitedMs + waitMs;
  const at = new Date(Math.ceil((nowMs + waitMs) / 1000) * 1000).toISOString().replace('.000', '');
  const words =
    `${error.message} The next token may be asked for at ${at} (in ${inWords(waitMs)}). ` +
    'Runs that share a token cache share one token.';
  const untilMs = limitedMs > mostWaitMs ? Infinity : nowMs + waitMs;
  const limits = setback.limits + 1;
  return { ...setback, limits, limitedMs, error: transientError('TOKEN_LIMIT', words, error), untilMs };
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
