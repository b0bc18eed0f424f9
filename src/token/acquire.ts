import type { Clock, Sleep } from '../clock.ts';
import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import { NONE_ISSUED, mergedCaches, nextIssuance, withChanges, withIssuance, withRefusal } from './cache.ts';
import type { CachedToken, Credentials, IssuanceLog, TokenCache } from './cache.ts';
import type { TokenOutcome } from './request.ts';
import { isDue, limitWords, tokenRules } from './rules.ts';
import type { TokenScope } from './rules.ts';
import type { TokenStore } from './store.ts';

/** Since the last token that was had: requests that failed and ms that the limit was waited out while none lived. */
const UNTRIED = { failures: 0, limits: 0, limitedMs: 0 };

/** Why no new token was to be had the last time, and what follows from that. */
export interface Setback extends Readonly<typeof UNTRIED> {
  readonly error: ConnectorError;
  readonly rateLimited: boolean;
  /** None is asked for before that local time, ms since the epoch; Infinity where it could only burn another issuance. */
  readonly untilMs: number;
}

/** What this process knows of one kind of token, which is bound to `key` (see `tokenKey`). */
export interface Holding {
  readonly key: string;
  readonly scope: TokenScope;
  token: CachedToken | null;
  /** True if that one was issued to this process; else it was kept. */
  isOwn: boolean;
  /** Those that the API has refused: they are never used again. */
  readonly dead: Set<string>;
  setback: Setback | null;
  flight: { readonly done: Promise<void>; readonly signal: AbortSignal } | null;
}

/** A token in use, without its text. */
export interface HeldToken extends Readonly<Pick<Holding, 'scope' | 'isOwn'>>, Pick<CachedToken, 'endMs'> {}

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
  readonly announce: ((cache: TokenCache) => Promise<void>) | null;
  /** Told of each token before it is used, so that it can be kept out of every output. */
  readonly onSecret: (token: string) => void;
  /** Told of each token that is used from now on; never of its text. */
  readonly onHeld?: (held: HeldToken) => void;
}

/** A token that is good for a while; where there is a setback, a kept one that is due but still lives, if there is one. */
interface Acquired extends Readonly<Pick<Holding, 'token' | 'isOwn' | 'setback'>> {
  readonly cache: TokenCache;
}

/**
 * A kept token that is good for a while, else a new one, asked for while every other process waits. The request is in the
 * issuance log before it is sent, so that a process that dies on the way has counted it, and taken out again if the answer
 * shows that nothing was issued. A request that would exceed the documented limit is not sent.
 */
export async function acquireToken(
  wanted: Holding,
  parts: TokenParts,
  signal: AbortSignal,
): Promise<Acquired> {
  const { key, scope, dead, setback: before } = wanted;
  const { store, now } = parts;
  const { audience } = scope;
  const rules = tokenRules(scope);
  const look = (found: TokenCache): { readonly isGood: boolean; readonly kept: Acquired } => {
    const cache = mergedCaches(parts.known, found);
    const { [key]: token = null } = cache.tokens;
    const lives = token !== null && !dead.has(token.accessToken) && now() < token.endMs;
    // a kept end is believed as far as it is documented
    const isGood = lives && !isDue(token, now()) && token.endMs <= now() + rules.validityMs;
    return { isGood, kept: { token: lives ? token : null, isOwn: false, cache, setback: null } };
  };

  const early = look(await store.read());
  if (early.isGood) return early.kept;
  await parts.turn(signal);
  return store.exclusively(async (found, save) => {
    const { isGood, kept } = look(found);
    if (isGood) return kept;
    const { token, cache } = kept;
    const log = cache.issuances[audience] ?? NONE_ISSUED;
    const saveLog = (changed: IssuanceLog): Promise<void> =>
      save(withChanges(cache, { issuances: { [audience]: changed } }));
    const limited = (error: ConnectorError, full: IssuanceLog): Acquired => {
      const untilMs = nextIssuance(full, rules, now());
      return { ...kept, setback: afterLimit(error, untilMs, before ?? UNTRIED, token, now()) };
    };

    const askedAtMs = now();
    if (nextIssuance(log, rules, askedAtMs) > askedAtMs) {
      const words = limitWords(parts.credentials.clientId, scope, '');
      return limited(transientError('TOKEN_LIMIT', words, null), log);
    }
    const noted = withIssuance(log, rules, askedAtMs);
    await saveLog(noted);
    const outcome = await parts.request(scope, signal);
    if (outcome.kind === 'issued') {
      const changes = { tokens: { [key]: outcome.token }, issuances: { [audience]: noted } };
      const after = withChanges(cache, changes);
      await save(after);
      return { token: outcome.token, isOwn: true, cache: after, setback: null };
    }
    if (outcome.kind === 'limited') {
      const full = withRefusal(log, rules, outcome.retryAfterMs, now());
      await saveLog(full);
      return limited(outcome.error, full);
    }
    if (!outcome.mayHaveIssued) await saveLog(log);
    return { ...kept, setback: afterFailure(outcome, before ?? UNTRIED, token, parts) };
  }, signal);
}

/** The issuance limit is waited out; an endpoint that asks for a short wait again and again is no licence to hammer. */
function afterLimit(
  error: ConnectorError,
  limitedUntilMs: number,
  { failures, limits, limitedMs }: typeof UNTRIED,
  living: CachedToken | null,
  nowMs: number,
): Setback {
  const untilMs = Math.max(limitedUntilMs, nowMs + Math.min(TOKEN.mostBackoffMs, TOKEN.baseMs * 2 ** limits));
  const waitMs = untilMs - nowMs;
  const at = new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().replace('.000', '');
  const words =
    `${error.message} The next token may be asked for at ${at} (in ${inWords(waitMs)}). ` +
    'Runs that share a token cache share one token.';
  const waited = { limits: limits + 1, limitedMs: living === null ? limitedMs + waitMs : limitedMs };
  return {
    ...waited,
    failures,
    error: transientError('TOKEN_LIMIT', words, error),
    rateLimited: true,
    untilMs,
  };
}

/** Another attempt follows, fewer where each may cost an issuance. While a token lives nothing is urgent, and nothing final. */
function afterFailure(
  { error, mayHaveIssued }: Extract<TokenOutcome, { kind: 'failed' }>,
  tried: typeof UNTRIED,
  living: CachedToken | null,
  { now, random }: Pick<Clock, 'now' | 'random'>,
): Setback {
  // each such answer costs an issuance, and the next one would be no better
  const isUnreadable = error.code === 'TOKEN_UNREADABLE';
  const common = { ...tried, error, rateLimited: false };
  if (living !== null)
    return { ...common, untilMs: isUnreadable ? living.endMs : now() + TOKEN.renewAgainMs };
  const failures = tried.failures + 1;
  const isLast = failures >= (mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts);
  const pauseMs = random() * TOKEN.baseMs * 2 ** failures;
  const isFinal = isUnreadable || isLast || error.failureType === 'config_error';
  return { ...common, failures, untilMs: isFinal ? Infinity : now() + pauseMs };
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
