import { configError, transientError } from '../errors.ts';
import type { TokenScope } from './rules.ts';
import type { TokenOutcome } from './request.ts';
import { tokenRules } from './rules.ts';
import type { VirtualClock } from './virtual-clock.fake.ts';

/** What happens to a token request on its way. */
export type Outcome =
  'fine' | 'answer lost' | 'request lost' | 'unavailable' | 'unreadable' | 'refused' | 'limited';

export interface TokenEndpoint {
  /** Answers one token request after `latencyMs`, as the API does: limits kept, 429 beyond them. */
  readonly request: (
    scope: TokenScope,
    outcome: Outcome,
    latencyMs: number,
    signal: AbortSignal,
  ) => Promise<TokenOutcome>;
  /** True if the token is valid now. */
  readonly accepts: (token: string) => boolean;
  /** Makes a token invalid before its end. */
  readonly revoke: (token: string) => void;
  /** Times at which tokens of an audience were issued. */
  readonly issued: (audience: string) => readonly number[];
  /** Requests refused because of the limit. */
  readonly refusals: () => number;
  /** Requests that have arrived. */
  readonly requests: () => number;
}

function unavailable(mayHaveIssued: boolean): TokenOutcome {
  const error = transientError('API_UNAVAILABLE', 'auth_url: no answer.', null);
  return { kind: 'failed', error, mayHaveIssued };
}

function limited(retryAfterMs: number | undefined): TokenOutcome {
  return { kind: 'limited', error: transientError('TOKEN_LIMIT', 'auth_url: 429.', null), retryAfterMs };
}

/** A token endpoint on a virtual clock. */
export function createTokenEndpoint(clock: VirtualClock): TokenEndpoint {
  const issued = new Map<string, number[]>();
  const valid = new Map<string, number>();
  let refusals = 0;
  let requests = 0;
  const serve = async (scope: TokenScope, outcome: Outcome, latencyMs: number): Promise<TokenOutcome> => {
    const askedAtMs = clock.now();
    await clock.sleep(latencyMs / 2, new AbortController().signal);
    if (outcome === 'request lost') return unavailable(false);
    requests++;
    if (outcome === 'unavailable') return unavailable(false);
    if (outcome === 'refused')
      return { kind: 'failed', error: configError('TOKEN_REFUSED', 'auth_url: no.'), mayHaveIssued: false };
    if (outcome === 'limited') return limited(1000);
    const rules = tokenRules(scope);
    const times = issued.get(scope.audience) ?? [];
    const recent = times.filter((time) => time > clock.now() - rules.windowMs);
    if (recent.length >= rules.issuances) {
      refusals++;
      return limited(undefined);
    }
    issued.set(scope.audience, [...times, clock.now()]);
    const accessToken = `${scope.audience}-${times.length + 1}`;
    valid.set(accessToken, clock.now() + rules.validityMs);
    await clock.sleep(latencyMs / 2, new AbortController().signal);
    if (outcome === 'answer lost') return unavailable(true);
    if (outcome === 'unreadable') {
      const error = transientError('TOKEN_UNREADABLE', 'auth_url: no accessToken.', null);
      return { kind: 'failed', error, mayHaveIssued: true };
    }
    const token = {
      accessToken,
      tokenType: null,
      issuedAtMs: askedAtMs,
      endMs: askedAtMs + rules.validityMs,
    };
    return { kind: 'issued', token: { ...token, refusedAtMs: {} } };
  };
  return {
    // the endpoint goes on with its work when the one who asked is killed
    request: (scope, outcome, latencyMs, signal) =>
      new Promise((resolve, reject) => {
        const giveUp = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', giveUp, { once: true });
        serve(scope, outcome, latencyMs)
          .then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', giveUp));
      }),
    accepts: (token) => (valid.get(token) ?? 0) > clock.now(),
    revoke: (token) => valid.delete(token),
    issued: (audience) => issued.get(audience) ?? [],
    refusals: () => refusals,
    requests: () => requests,
  };
}
