import { configError, transientError } from '../errors.ts';
import type { Failure, TokenOutcome } from './request.ts';
import { tokenRules, type TokenScope } from './rules.ts';
import type { VirtualClock } from './virtual-clock.fake.ts';

/** What happens to a token request. */
export type Outcome =
  | 'fine'
  | 'same token' // the latest one again, with the validity that is left
  | 'response lost'
  | 'request lost'
  | 'unavailable'
  | 'busy'
  | 'busy for an hour'
  | 'unreadable'
  | 'refused'
  | 'limited';

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>;

/** A token endpoint on a virtual clock, which keeps the issuance limits of the API. */
export function createTokenEndpoint(clock: VirtualClock) {
  const issued = new Map<string, number[]>();
  const valid = new Map<string, number>();
  let refusals = 0;
  let requests = 0;
  /** Issues a token, or the latest one again; null if the limit is reached. */
  const issue = (scope: TokenScope, isAgain: boolean) => {
    const { validityMs, issuances } = tokenRules(scope);
    const times = issued.get(scope.audience) ?? [];
    if (times.filter((time) => time > clock.now() - validityMs).length >= issuances) return null;
    issued.set(scope.audience, isAgain ? times : [...times, clock.now()]);
    const accessToken = `${scope.audience}-${times.length + (isAgain ? 0 : 1)}`;
    valid.set(accessToken, valid.get(accessToken) ?? clock.now() + validityMs);
    return { accessToken, tokenType: null, refusedAtMs: {} };
  };
  const serve = async (scope: TokenScope, outcome: Outcome, latencyMs: number): Promise<TokenOutcome> => {
    const issuedAtMs = clock.now();
    await clock.sleep(latencyMs / 2, new AbortController().signal);
    if (outcome !== 'request lost') requests++;
    const failure = failureBefore(outcome);
    if (failure !== null) return failure;
    const token = issue(scope, outcome === 'same token');
    if (token === null) {
      refusals++;
      return limited(undefined);
    }
    await clock.sleep(latencyMs / 2, new AbortController().signal);
    if (outcome === 'response lost') return unavailable(true);
    if (outcome === 'unreadable') return unreadable;
    const end = issuedAtMs + tokenRules(scope).validityMs;
    const endMs = Math.min(end, valid.get(token.accessToken) ?? end);
    return { kind: 'issued', token: { ...token, issuedAtMs, endMs }, hasEnded: endMs <= clock.now() };
  };
  return {
    /** Serves one token request after `latencyMs`, even if the client is killed in the meantime. */
    request: (scope: TokenScope, outcome: Outcome, latencyMs: number, signal: AbortSignal) =>
      untilAborted(serve(scope, outcome, latencyMs), signal),
    accepts: (token: string) => (valid.get(token) ?? 0) > clock.now(),
    issued: (audience: string): readonly number[] => issued.get(audience) ?? [],
    /** Refusals because of the limit. */
    refusals: () => refusals,
    requests: () => requests,
  };
}

/** The failure of a request that issues no token; null if it may issue one. */
function failureBefore(outcome: Outcome): TokenOutcome | null {
  if (outcome === 'request lost' || outcome === 'unavailable') return unavailable(false);
  if (outcome === 'busy') return { ...unavailable(false), retryAfterMs: 90_000 };
  if (outcome === 'busy for an hour') return { ...unavailable(false), retryAfterMs: 3_600_000 };
  if (outcome === 'limited') return limited(1000);
  if (outcome !== 'refused') return null;
  return {
    kind: 'failed',
    error: configError('TOKEN_REFUSED', 'auth_url: no.'),
    mayHaveIssued: false,
    retryAfterMs: undefined,
  };
}

function unavailable(mayHaveIssued: boolean): Failure {
  const error = transientError('API_UNAVAILABLE', 'auth_url: no answer.', null);
  return { kind: 'failed', error, mayHaveIssued, retryAfterMs: undefined };
}

const unreadable: TokenOutcome = {
  kind: 'failed',
  error: transientError('TOKEN_UNREADABLE', 'auth_url: no accessToken.', null),
  mayHaveIssued: true,
  retryAfterMs: undefined,
};

function limited(retryAfterMs: number | undefined): TokenOutcome {
  return { kind: 'limited', error: transientError('TOKEN_LIMIT', 'auth_url: 429.', null), retryAfterMs };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
