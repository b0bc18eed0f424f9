import type { RequestContext } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import { NO_SETBACK, acquire, announce, createHolding } from './acquire.ts';
import type { Holding, TokenParts } from './acquire.ts';
import { tokenKey, withChanges } from './cache.ts';
import { isDue } from './rules.ts';
import type { TokenScope } from './rules.ts';

/** A 401 or 403 at a list: whether it gave a page for the same token before, and refused the same request with it before. */
export type Refusal = Readonly<{ token: string; wasAccepted: boolean; isRepeated: boolean }>;

/** Gives tokens for one list, and is told where one is refused. */
export type Authorization = Readonly<ReturnType<TokenProvider>>;
export type TokenProvider = ReturnType<typeof createTokenProvider>;

/** Tokens of one credential, shared by all its processes as far as the store reaches. */
export function createTokenProvider(parts: TokenParts) {
  const shared = { ...parts };
  const holdings = new Map<string, Holding>();
  /** What opens the list of a stream; those that need the same scope share a token. */
  return (stream: string, scope: TokenScope) => {
    const key = tokenKey(parts.credentials, scope);
    const holding = holdings.get(key) ?? createHolding(key, scope, shared);
    holdings.set(key, holding);
    return {
      /**
       * A token that is alive. Every request and every retry asks anew, so that it is renewed before its end, in the middle
       * of a read too; however many ask at once, one request is sent.
       *
       * @throws config_error TOKEN_REFUSED, transient_error TOKEN_LIMIT, API_UNAVAILABLE, TOKEN_UNREADABLE; then always
       */
      bearer: (context: RequestContext) => bearer(holding, context),
      /** What to do: send the same once more, send it with another token, which `bearer` then gives, or believe it. */
      refused: (refusal: Refusal, signal: AbortSignal) => refused(holding, stream, refusal, signal),
    };
  };
}

async function bearer(holding: Holding, { signal, onWait }: RequestContext): Promise<string> {
  const { now, sleep, mostWaitMs } = holding.parts;
  for (;;) {
    signal.throwIfAborted();
    const { token, setback } = holding;
    const { error } = setback;
    const waitMs = setback.untilMs - now();
    if (token !== null && now() < token.endMs && (waitMs > 0 || !isDue(token, now())))
      return token.accessToken;
    if (error === null || waitMs <= 0) {
      await holding.alone(async () => {
        if (holding.token === token && holding.setback === setback) await acquire(holding, signal);
      }, signal);
      continue;
    }
    const rateLimited = error.code === 'TOKEN_LIMIT';
    if (waitMs === Infinity || (rateLimited && waitMs > mostWaitMs)) throw error;
    // the clock may have been set back since
    const pauseMs = rateLimited ? waitMs : Math.min(waitMs, TOKEN.mostBackoffMs);
    await onWait({ reason: error.message, rateLimited, waitMs: pauseMs });
    await sleep(pauseMs, signal);
    if (!rateLimited && holding.setback === setback) holding.setback = { ...setback, untilMs: 0 };
  }
}

/**
 * Each new token burns an issuance, in every process anew; so one that was accepted before, or that another process has asked
 * for and nobody has seen refused, is sent once more first, since a gateway may have lost it for a moment. Refused again, it is
 * replaced once. One that is new and was never accepted shows that the fault lies elsewhere; that is remembered for a while.
 */
async function refused(holding: Holding, stream: string, refusal: Refusal, signal: AbortSignal) {
  const { token, wasAccepted, isRepeated } = refusal;
  const { key, dead, parts } = holding;
  const { store, now } = parts;
  // another process may have found out meanwhile
  const kept = wasAccepted ? undefined : (await store.read()).tokens[key];
  const { token: held, isOwn } = holding;
  if (held?.accessToken !== token) return 'renew';
  const refusedAtMs = { ...(kept?.accessToken === token ? kept.refusedAtMs : {}), ...held.refusedAtMs };
  const refusedBeforeMs = wasAccepted ? undefined : refusedAtMs[stream];
  const isUntried = isOwn && !wasAccepted;
  if (refusedBeforeMs === undefined && !isUntried && !isRepeated) return 'repeat';
  const isElsewhere =
    refusedBeforeMs === undefined
      ? isUntried || (dead.size > 0 && now() - held.issuedAtMs < TOKEN.freshMs)
      : now() - refusedBeforeMs < TOKEN.refusedMs;
  if (!isElsewhere) {
    dead.add(token);
    // a failure that was final stays so
    if (holding.setback.untilMs < Infinity) holding.setback = NO_SETBACK;
    holding.token = null;
    return 'renew';
  }
  if (!wasAccepted && refusedBeforeMs === undefined) {
    holding.token = { ...held, refusedAtMs: { ...refusedAtMs, [stream]: now() } };
    const tokens = { [key]: holding.token };
    // for later processes, which will find the token
    await store.exclusively(async (cache, save) => {
      if (cache.tokens[key]?.accessToken === token) await save(withChanges(cache, { tokens }));
    }, signal);
    await announce(withChanges(await store.read(), { tokens }), parts);
  }
  return 'believe';
}
