import type { Clock } from '../clock.ts';
import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import {
  NONE_ISSUED,
  mergedCaches,
  nextIssuance,
  withChanges,
  withIssuance,
  withRefusal,
  withoutIssuance,
} from './cache.ts';
import type { CachedToken, Credentials, IssuanceLog, TokenCache } from './cache.ts';
import type { TokenOutcome } from './request.ts';
import { isDue, limitWords, tokenRules } from './rules.ts';
import type { TokenScope } from './rules.ts';
import type { TokenStore } from './store.ts';

/** Why no new token was to be had the last time, and what follows from that. */
export interface Setback {
  readonly error: ConnectorError;
  readonly rateLimited: boolean;
  /** None is asked for before that local time, ms since the epoch; Infinity where it could only burn another issuance. */
  readonly untilMs: number;
  /** Requests that failed while no token lived, since the last one that was had. */
  readonly failures: number;
  /** Refusals by the issuance limit since then, and ms that they were waited out while no token lived. */
  readonly limits: number;
  readonly limitedMs: number;
}

export interface AcquireParts extends Pick<Clock, 'now' | 'random'> {
  readonly credentials: Credentials;
  readonly store: TokenStore;
  /** What is known from elsewhere: the config. */
  readonly known: TokenCache;
  /** Tokens that the API has refused: they are never used again. */
  readonly dead: ReadonlySet<string>;
  readonly request: (scope: TokenScope, signal: AbortSignal) => Promise<TokenOutcome>;
  readonly turn: (signal: AbortSignal) => Promise<void>;
}

/** What is asked for: its key (see `tokenKey`), its scope, and why none was to be had the last time, if so. */
interface Wanted {
  readonly key: string;
  readonly scope: TokenScope;
  readonly setback: Setback | null;
}

export interface Acquired {
  /** Where there is a setback: a kept token that is due for renewal but still lives, if there is one. */
  readonly token: CachedToken | null;
  /** True if it was issued to this process just now; else it was kept. */
  readonly isOwn: boolean;
  readonly cache: TokenCache;
  /** Null where the token is good for a while. */
  readonly setback: Setback | null;
}

/**
 * A token that is good for a while: a kept one if there is one, else a new one, asked for while every other process waits.
 * The request is in the issuance log before it is sent, so that a process that dies on the way has counted it, and taken out
 * again if the answer shows that nothing was issued. A request that would exceed the documented limit is not sent.
 */
export async function acquireToken(
  wanted: Wanted,
  parts: AcquireParts,
  signal: AbortSignal,
): Promise<Acquired> {
  const { key, scope, setback: before } = wanted;
  const { store, now } = parts;
  const { audience } = scope;
  const rules = tokenRules(scope);
  const look = (found: TokenCache): { readonly isGood: boolean; readonly kept: Acquired } => {
    const cache = mergedCaches(parts.known, found);
    const { [key]: token = null } = cache.tokens;
    const lives = token !== null && !parts.dead.has(token.accessToken) && now() < token.endMs;
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
    const tried = { ...UNTRIED, ...before, livesUntilMs: token?.endMs ?? null };
    const log = cache.issuances[audience] ?? NONE_ISSUED;
    const saveLog = (changed: IssuanceLog): Promise<void> =>
      save(withChanges(cache, { issuances: { [audience]: changed } }));

    const askedAtMs = now();
    const untilMs = nextIssuance(log, rules, askedAtMs);
    if (untilMs > askedAtMs) {
      const limited = transientError('TOKEN_LIMIT', limitWords(parts.credentials.clientId, scope, ''), null);
      return { ...kept, setback: afterLimit(limited, untilMs, tried, now()) };
    }
    const noted = withIssuance(log, rules, askedAtMs);
    await saveLog(noted);
    const outcome = await parts.request(scope, signal);
    if (outcome.kind === 'issued') {
      const issued = { tokens: { [key]: outcome.token }, issuances: { [audience]: noted } };
      const after = withChanges(cache, issued);
      await save(after);
      return { token: outcome.token, isOwn: true, cache: after, setback: null };
    }
    if (outcome.kind === 'limited') {
      const full = withRefusal(withoutIssuance(noted, askedAtMs), rules, outcome.retryAfterMs, now());
      await saveLog(full);
      return { ...kept, setback: afterLimit(outcome.error, nextIssuance(full, rules, now()), tried, now()) };
    }
    if (!outcome.mayHaveIssued) await saveLog(withoutIssuance(noted, askedAtMs));
    return { ...kept, setback: afterFailure(outcome, tried, parts) };
  }, signal);
}

const UNTRIED = { failures: 0, limits: 0, limitedMs: 0 };

/** What has come of it so far. */
interface Tried extends Pick<Setback, 'failures' | 'limits' | 'limitedMs'> {
  /** The end of the token in use; while it lives nothing is urgent, and nothing final. Null where none lives. */
  readonly livesUntilMs: number | null;
}

/** The issuance limit is waited out; an endpoint that asks for a short wait again and again is no licence to hammer. */
function afterLimit(error: ConnectorError, limitedUntilMs: number, tried: Tried, nowMs: number): Setback {
  const { failures, limits, limitedMs, livesUntilMs } = tried;
  const untilMs = Math.max(limitedUntilMs, nowMs + Math.min(TOKEN.mostBackoffMs, TOKEN.baseMs * 2 ** limits));
  const waitMs = untilMs - nowMs;
  const at = new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().replace('.000', '');
  const words =
    `${error.message} The next token may be asked for at ${at} (in ${inWords(waitMs)}). ` +
    'Runs that share a token cache share one token.';
  return {
    error: transientError('TOKEN_LIMIT', words, error),
    rateLimited: true,
    untilMs,
    failures,
    limits: limits + 1,
    limitedMs: livesUntilMs === null ? limitedMs + waitMs : limitedMs,
  };
}

/** Another attempt follows, fewer where each may cost an issuance. */
function afterFailure(
  { error, mayHaveIssued }: Extract<TokenOutcome, { kind: 'failed' }>,
  { livesUntilMs, failures, limits, limitedMs }: Tried,
  { now, random }: Pick<Clock, 'now' | 'random'>,
): Setback {
  // each such answer costs an issuance, and the next one would be no better
  const isUnreadable = error.code === 'TOKEN_UNREADABLE';
  const common = { error, rateLimited: false, limits, limitedMs };
  if (livesUntilMs !== null)
    return { ...common, failures, untilMs: isUnreadable ? livesUntilMs : now() + TOKEN.renewAgainMs };
  const isLast = failures + 1 >= (mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts);
  const isFinal = isUnreadable || isLast || error.failureType === 'config_error';
  const pauseMs = random() * TOKEN.baseMs * 2 ** (failures + 1);
  return { ...common, failures: failures + 1, untilMs: isFinal ? Infinity : now() + pauseMs };
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
