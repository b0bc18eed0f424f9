import type { RequestContext } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import { NO_BACKOFF, acquireToken, createHolding } from './acquire.ts';
import type { OwnHolding, TokenParts } from './acquire.ts';
import { mergedCaches, getOwn, tokenKey, withChanges } from './cache.ts';
import type { CachedToken, TokenCache } from './cache.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { Refusal } from './judge-refusal.ts';
import { isDue } from './rules.ts';
import type { TokenScope } from './rules.ts';

/** Provides the tokens of one list, and handles their refusals. */
export type Authorization = Readonly<ReturnType<TokenProvider>>;
export type TokenProvider = ReturnType<typeof createTokenProvider>;

/** Provides the tokens of one credential, which every process shares that uses the same store. */
export function createTokenProvider(parts: TokenParts) {
  const shared = { ...parts };
  const holdings = new Map<string, OwnHolding>();
  /** Authorizes the requests of a stream; streams with the same scope share a token. */
  return (stream: string, scope: TokenScope) => {
    const key = tokenKey(parts.credentials, scope);
    const holding = holdings.get(key) ?? createHolding(key, scope, shared);
    holdings.set(key, holding);
    return {
      /**
       * Returns a token that is alive. Call it for every request and retry, so that tokens are renewed in time; concurrent
       * calls share one token request.
       *
       * @throws config_error TOKEN_REFUSED, transient_error TOKEN_LIMIT, API_UNAVAILABLE or TOKEN_UNREADABLE, from then on always
       */
      getToken: (context: RequestContext) => getToken(holding, context),
      /** Does what `judgeRefusal` decides. On `resend`, `getToken` returns another token. */
      onRefusal: (refusal: Refusal, signal: AbortSignal) => onRefusal(holding, stream, refusal, signal),
    };
  };
}

async function getToken(holding: OwnHolding, { signal, onWait }: RequestContext): Promise<string> {
  const { now, sleep, maxWaitMs } = holding.parts;
  for (;;) {
    signal.throwIfAborted();
    const { token, backoff } = holding;
    const { error } = backoff;
    const waitMs = backoff.untilMs - now();
    if (token !== null && now() < token.endMs && (waitMs > 0 || !isDue(token, now())))
      return token.accessToken;
    if (error === null || waitMs <= 0) {
      await holding.lock(async () => {
        if (holding.token === token && holding.backoff === backoff) await renew(holding, signal);
      }, signal);
      continue;
    }
    const rateLimited = error.code === 'TOKEN_LIMIT';
    if (waitMs === Infinity || (rateLimited && waitMs > maxWaitMs)) throw error;
    // the clock may have been set back in the meantime
    const pauseMs = rateLimited ? waitMs : Math.min(waitMs, TOKEN.maxBackoffMs);
    await onWait({ reason: error.message, rateLimited, waitMs: pauseMs });
    await sleep(pauseMs, signal);
    if (!rateLimited && holding.backoff === backoff) holding.backoff = { ...backoff, untilMs: 0 };
  }
}

async function renew(holding: OwnHolding, signal: AbortSignal): Promise<void> {
  const { key, scope, parts } = holding;
  const { token, isOwn, cache, backoff } = await acquireToken(holding, signal);
  if (token !== null && token.accessToken !== holding.token?.accessToken) {
    parts.onSecret(token.accessToken);
    if (getOwn(parts.known.tokens, key)?.accessToken !== token.accessToken) await announce(cache, parts);
    holding.token = token;
    holding.isOwn = isOwn;
    parts.onHeld?.({ scope, isOwn, endMs: token.endMs });
  }
  holding.backoff = backoff;
}

/** Hands the tokens to the platform for later processes. */
async function announce(cache: TokenCache, parts: TokenParts): Promise<void> {
  parts.known = mergedCaches(parts.known, cache, parts.now());
  await parts.announce?.(parts.known);
}

async function onRefusal(holding: OwnHolding, stream: string, refusal: Refusal, signal: AbortSignal) {
  const { token } = refusal;
  const { key, rejected, parts } = holding;
  const nowMs = parts.now();
  // another process may have recorded a refusal in the meantime
  const cached = (await parts.store.read()).tokens[key];
  const { token: current, isOwn } = holding;
  const isCurrent = current?.accessToken === token;
  const records = { ...(cached?.accessToken === token ? cached.refusedAtMs : {}), ...current?.refusedAtMs };
  const recordedAtMs = getOwn(records, stream);
  const verdict = judgeRefusal(refusal, {
    isCurrent,
    isOwn,
    replacedAgoMs: current === null || rejected.size === 0 ? null : nowMs - current.issuedAtMs,
    recordedAgoMs: recordedAtMs === undefined ? null : nowMs - recordedAtMs,
  });
  switch (verdict) {
    case 'replace':
      rejected.add(token);
      // a failure that was final stays final
      if (holding.backoff.untilMs < Infinity) holding.backoff = NO_BACKOFF;
      holding.token = null;
      return 'resend';
    case 'record':
      if (current !== null)
        await record(holding, { ...current, refusedAtMs: { ...records, [stream]: nowMs } }, signal);
      return 'fail';
    case 'resend':
    case 'retry':
    case 'fail':
      break;
  }
  return verdict;
}

/** Stores a token with its refusals for later processes. */
async function record(holding: OwnHolding, token: CachedToken, signal: AbortSignal): Promise<void> {
  const { key, parts } = holding;
  const { store } = parts;
  const tokens = { [key]: token };
  holding.token = token;
  await store.exclusively(async (cache, save) => {
    if (cache.tokens[key]?.accessToken === token.accessToken) await save(withChanges(cache, { tokens }));
  }, signal);
  await announce(withChanges(await store.read(), { tokens }), parts);
}
