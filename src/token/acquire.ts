import type { Clock } from '../clock.ts';
import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import {
  NONE_ISSUED,
  mergedCaches,
  nextIssuance,
  withIssuance,
  withLog,
  withRefusal,
  withToken,
  withoutIssuance,
} from './cache.ts';
import type { CachedToken, IssuanceLog, TokenCache } from './cache.ts';
import type { TokenOutcome } from './request.ts';
import { isAlive, isDue, limitWords, tokenRules } from './rules.ts';
import type { TokenScope } from './rules.ts';
import type { TokenStore } from './store.ts';

/** Why no new token was to be had the last time, and what follows from that. */
export interface Setback {
  readonly error: ConnectorError;
  /** True if asking again could only burn another issuance. */
  readonly isFinal: boolean;
  readonly rateLimited: boolean;
  /** None is asked for before that local time, ms since the epoch. */
  readonly untilMs: number;
  /** Requests that failed while no token lived, since the last one that was had. */
  readonly failures: number;
  /** Refusals by the issuance limit since then, and ms that they were waited out while no token lived. */
  readonly limits: number;
  readonly limitedMs: number;
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

export interface AcquireParts extends Pick<Clock, 'now' | 'random'> {
  readonly store: TokenStore;
  /** What is known from elsewhere: the config. */
  readonly known: TokenCache;
  /** What the token is bound to (see `tokenKey`). */
  readonly key: string;
  readonly scope: TokenScope;
  readonly clientId: string;
  /** Why none was to be had the last time, if so. */
  readonly before: Setback | null;
  /** Tokens that the API has refused: they are never used again. */
  readonly dead: ReadonlySet<string>;
  readonly request: (scope: TokenScope, signal: AbortSignal) => Promise<TokenOutcome>;
  readonly turn: (signal: AbortSignal) => Promise<void>;
}

/**
 * A token that is good for a while: a kept one if there is one, else a new one, asked for while every other process waits.
 * The request is in the issuance log before it is sent, so that a process that dies on the way has counted it, and taken out
 * again if the answer shows that nothing was issued. A request that would exceed the documented limit is not sent.
 */
export async function acquireToken(parts: AcquireParts, signal: AbortSignal): Promise<Acquired> {
  const { store, known, key, scope, now } = parts;
  const { audience } = scope;
  const rules = tokenRules(scope);
  const livingIn = ({ tokens: { [key]: token } }: TokenCache): CachedToken | null =>
    token !== undefined && !parts.dead.has(token.accessToken) && isAlive(token, now()) ? token : null;
  const goodIn = (cache: TokenCache): Acquired | null => {
    const token = livingIn(cache);
    // a kept end is believed as far as it is documented
    const isGood = token !== null && !isDue(token, now()) && token.endMs <= now() + rules.validityMs;
    return isGood ? { token, isOwn: false, cache, setback: null } : null;
  };

  const kept = goodIn(mergedCaches(known, await store.read()));
  if (kept !== null) return kept;
  await parts.turn(signal);
  return store.exclusively(async (before, save) => {
    const cache = mergedCaches(known, before);
    const found = goodIn(cache);
    if (found !== null) return found;

    const log = cache.issuances[audience] ?? NONE_ISSUED;
    const saveLog = (changed: IssuanceLog): Promise<void> => save(withLog(cache, audience, changed));
    const token = livingIn(cache);
    const askedAtMs = now();
    const without = (setback: Setback): Acquired => ({ token, isOwn: false, cache, setback });
    const circumstances = () => ({ ...parts, living: token, nowMs: now() });

    const untilMs = nextIssuance(log, rules, askedAtMs);
    if (untilMs > askedAtMs) return without(afterLimit(untilMs, null, circumstances()));
    const noted = withIssuance(log, rules, askedAtMs);
    await saveLog(noted);
    const outcome = await parts.request(scope, signal);
    if (outcome.kind === 'issued') {
      const after = withToken(withLog(cache, audience, noted), key, outcome.token);
      await save(after);
      return { token: outcome.token, isOwn: true, cache: after, setback: null };
    }
    const { error } = outcome;
    if (outcome.kind === 'limited') {
      const full = withRefusal(withoutIssuance(noted, askedAtMs), rules, outcome.retryAfterMs, now());
      await saveLog(full);
      return without(afterLimit(nextIssuance(full, rules, now()), error, circumstances()));
    }
    if (!outcome.mayHaveIssued) await saveLog(withoutIssuance(noted, askedAtMs));
    return without(afterFailure(error, outcome.mayHaveIssued, circumstances()));
  }, signal);
}

const NOTHING = { failures: 0, limits: 0, limitedMs: 0 };

/** What decides how to go on. */
interface Circumstances extends Pick<AcquireParts, 'scope' | 'clientId' | 'before' | 'random'> {
  /** The token in use, if it still lives: then nothing is urgent, and nothing final. */
  readonly living: CachedToken | null;
  readonly nowMs: number;
}

/**
 * The issuance limit is waited out; an endpoint that asks for a short wait again and again is no licence to hammer. `said` is
 * the endpoint's error, null where it was not asked.
 */
function afterLimit(
  limitedUntilMs: number,
  said: ConnectorError | null,
  { scope, clientId, before, living, nowMs }: Circumstances,
): Setback {
  const { failures, limits, limitedMs } = before ?? NOTHING;
  const untilMs = Math.max(limitedUntilMs, nowMs + Math.min(TOKEN.mostBackoffMs, TOKEN.baseMs * 2 ** limits));
  const waitedMs = living === null ? untilMs - nowMs : 0;
  const at = new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().replace('.000', '');
  const words =
    `${said?.message ?? limitWords(clientId, scope, '')} The next token may be asked for at ${at} ` +
    `(in ${inWords(untilMs - nowMs)}). Runs that share a token cache share one token.`;
  return {
    error: transientError('TOKEN_LIMIT', words, said),
    isFinal: false,
    rateLimited: true,
    untilMs,
    failures,
    limits: limits + 1,
    limitedMs: limitedMs + waitedMs,
  };
}

/** Another attempt follows, fewer where each may cost an issuance. */
function afterFailure(
  error: ConnectorError,
  mayHaveIssued: boolean,
  { before, living, nowMs, random }: Circumstances,
): Setback {
  const { failures: earlier, limits, limitedMs } = before ?? NOTHING;
  const failures = living === null ? earlier + 1 : earlier;
  // each such answer costs an issuance, and the next one would be no better
  const isUnreadable = error.code === 'TOKEN_UNREADABLE';
  const common = { error, rateLimited: false, failures, limits, limitedMs };
  if (living !== null) {
    const untilMs = isUnreadable ? living.endMs : nowMs + TOKEN.renewAgainMs;
    return { ...common, isFinal: false, untilMs };
  }
  const attempts = mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts;
  return {
    ...common,
    isFinal: isUnreadable || error.failureType === 'config_error' || failures >= attempts,
    untilMs: nowMs + random() * TOKEN.baseMs * 2 ** failures,
  };
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
