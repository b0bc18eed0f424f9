import type { ConnectorError } from '../errors.ts';
import type { TokenScope } from './audience.ts';
import { nextIssuance, withIssuance, withRefusal, withoutIssuance } from './issuance-ledger.ts';
import { endOfLife, isAlive, isDue } from './lifetime.ts';
import type { TokenAnswer } from './lifetime.ts';
import type { TokenOutcome } from './request-token.ts';
import { issuancesOf, mergedCaches, withIssuances, withToken } from './token-cache.ts';
import type { CachedToken, TokenCache } from './token-cache.ts';
import { tokenRules } from './token-rules.ts';
import type { TokenRules } from './token-rules.ts';
import type { TokenStore } from './token-store.ts';

export type Acquired =
  | {
      readonly kind: 'token';
      readonly token: CachedToken;
      /** True if it was issued to this process just now; else it was kept. */
      readonly isOwn: boolean;
      /** All that is known now, for whoever keeps it elsewhere. */
      readonly cache: TokenCache;
    }
  /** None may be asked for before that local time, ms since the epoch; with the endpoint's words if it said so. */
  | {
      readonly kind: 'limited';
      readonly untilMs: number;
      readonly error: ConnectorError | null;
      readonly rest: Rest;
    }
  | {
      readonly kind: 'failed';
      readonly error: ConnectorError;
      readonly mayHaveIssued: boolean;
      readonly rest: Rest;
    };

/** A kept token that is due for renewal but still lives, and all that is known. */
export interface Rest {
  readonly token: CachedToken | null;
  readonly cache: TokenCache;
}

export interface AcquireParts {
  readonly store: TokenStore;
  /** What is known from elsewhere: the config. */
  readonly known: TokenCache;
  /** What the token is bound to (see `tokenKey`). */
  readonly key: string;
  readonly scope: TokenScope;
  /** Tokens that the API has refused: they are never used again. */
  readonly dead: ReadonlySet<string>;
  /** Sends one token request. */
  readonly request: (signal: AbortSignal) => Promise<TokenOutcome>;
  /** Resolves when a request may be sent. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

/**
 * A token that is good for a while: a kept one if there is one, else a new one, asked for while every other process waits.
 * The request is in the ledger before it is sent, so that a process that dies on the way has counted it, and taken out
 * of it again if the answer shows that nothing was issued. A request that would exceed the documented limit is not sent.
 *
 * @throws the signal's reason
 */
export async function acquireToken(parts: AcquireParts, signal: AbortSignal): Promise<Acquired> {
  const { store, known, key, scope, now } = parts;
  const rules = tokenRules(scope);
  const aliveIn = (cache: TokenCache): CachedToken | null => {
    const token = cache.tokens[key];
    return token !== undefined && !parts.dead.has(token.accessToken) && isAlive(token, now()) ? token : null;
  };
  const keptIn = (cache: TokenCache): CachedToken | null => {
    const token = aliveIn(cache);
    return token !== null && isGood(token, rules, now()) ? token : null;
  };

  const seen = mergedCaches(known, await store.read());
  const kept = keptIn(seen);
  if (kept !== null) return { kind: 'token', token: kept, isOwn: false, cache: seen };
  await parts.turn(signal);
  return store.exclusively(async (before, save) => {
    const cache = mergedCaches(known, before);
    const found = keptIn(cache);
    if (found !== null) return { kind: 'token', token: found, isOwn: false, cache };

    const { audience } = scope;
    const issued = issuancesOf(cache, audience);
    const askedAtMs = now();
    const untilMs = nextIssuance(issued, rules, askedAtMs);
    const rest = { token: aliveIn(cache), cache };
    if (untilMs > askedAtMs) return { kind: 'limited', untilMs, error: null, rest };
    const noted = withIssuance(issued, rules, askedAtMs);
    await save(withIssuances(cache, audience, noted));
    const outcome = await parts.request(signal);
    if (outcome.kind === 'issued') {
      const token = keptToken(outcome.answer, rules);
      const after = withToken(withIssuances(cache, audience, noted), key, token);
      await save(after);
      return { kind: 'token', token, isOwn: true, cache: after };
    }
    if (outcome.kind === 'limited') {
      const full = withRefusal(withoutIssuance(noted, askedAtMs), rules, outcome.retryAfterMs, now());
      await save(withIssuances(cache, audience, full));
      return { kind: 'limited', untilMs: nextIssuance(full, rules, now()), error: outcome.error, rest };
    }
    if (!outcome.mayHaveIssued) await save(withIssuances(cache, audience, withoutIssuance(noted, askedAtMs)));
    return { ...outcome, rest };
  }, signal);
}

/** True if the token can be used and is not due for renewal yet. A kept end is believed as far as it is documented. */
function isGood(token: CachedToken, rules: TokenRules, nowMs: number): boolean {
  return !isDue(token, nowMs) && token.endMs <= nowMs + rules.validityMs;
}

function keptToken(answer: TokenAnswer, rules: TokenRules): CachedToken {
  const type = answer.body['tokenType'];
  return {
    accessToken: answer.accessToken,
    tokenType: typeof type === 'string' ? type : null,
    issuedAtMs: answer.askedAtMs,
    endMs: endOfLife(answer, rules),
    refusedAtMs: {},
  };
}
