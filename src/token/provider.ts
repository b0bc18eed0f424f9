import type { RequestContext } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import { NO_SETBACK, acquire, announce, createHolding } from './acquire.ts';
import type { Holding, TokenParts } from './acquire.ts';
import { ofKey, tokenKey, withChanges } from './cache.ts';
import type { CachedToken } from './cache.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { Refusal } from './judge-refusal.ts';
import { isDue } from './rules.ts';
import type { TokenScope } from './rules.ts';

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
      /** What a refused request does next; `judgeRefusal` decides. */
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

/** What a refused request does next; `renew`: it is sent at once, with the token that `bearer` then returns. */
const NEXT = {
  renewed: 'renew',
  repeat: 'retry',
  replace: 'renew',
  record: 'fail',
  believe: 'fail',
} as const;

/** Judges a refusal and acts on it. */
async function refused(holding: Holding, stream: string, refusal: Refusal, signal: AbortSignal) {
  const { token, wasAccepted } = refusal;
  const { key, dead, parts } = holding;
  const nowMs = parts.now();
  // another process may have recorded a refusal meanwhile
  const kept = wasAccepted ? undefined : (await parts.store.read()).tokens[key];
  const { token: held, isOwn } = holding;
  const isHeld = held?.accessToken === token;
  const records = { ...(kept?.accessToken === token ? kept.refusedAtMs : {}), ...held?.refusedAtMs };
  const recordedAtMs = wasAccepted ? undefined : ofKey(records, stream);
  const verdict = judgeRefusal(refusal, {
    isHeld,
    isOwn,
    replacedAgoMs: held === null || dead.size === 0 ? null : nowMs - held.issuedAtMs,
    recordedAgoMs: recordedAtMs === undefined ? null : nowMs - recordedAtMs,
  });
  switch (verdict) {
    case 'renewed':
    case 'repeat':
    case 'believe':
      break;
    case 'replace':
      dead.add(token);
      // a failure that was final stays so
      if (holding.setback.untilMs < Infinity) holding.setback = NO_SETBACK;
      holding.token = null;
      break;
    case 'record':
      if (held === null) break;
      await record({ ...held, refusedAtMs: { ...records, [stream]: nowMs } }, holding, signal);
  }
  return NEXT[verdict];
}

/** Keeps a token with its refusals, for later processes that will find it. */
async function record(token: CachedToken, holding: Holding, signal: AbortSignal): Promise<void> {
  const { key, parts } = holding;
  const { store } = parts;
  const tokens = { [key]: token };
  holding.token = token;
  await store.exclusively(async (cache, save) => {
    if (cache.tokens[key]?.accessToken === token.accessToken) await save(withChanges(cache, { tokens }));
  }, signal);
  await announce(withChanges(await store.read(), { tokens }), parts);
}
