import { wholeSecond } from '../clock.ts';
import type { ConnectorError } from '../errors.ts';
import type { RequestContext } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import { NO_BACKOFF, acquireToken, createTokenSlot, type TokenSlot, type TokenDeps } from './acquire.ts';
import { mergedCaches, getOwn, tokenKey, withChanges, type CachedToken, type TokenCache } from './cache.ts';
import { judgeRefusal, type Refusal } from './judge-refusal.ts';
import { describeScope, isDue, type TokenScope } from './rules.ts';

/** Provides the tokens of one list, and handles their refusals. */
export type Authorization = Readonly<ReturnType<TokenProvider>>;
export type TokenProvider = ReturnType<typeof createTokenProvider>;

/** Provides the tokens of one credential, shared by all processes with the same store. */
export function createTokenProvider(deps: TokenDeps) {
  const shared = { ...deps };
  const slots = new Map<string, TokenSlot>();
  /** Authorizes the requests of a stream; streams with the same scope share a token. */
  return (stream: string, scope: TokenScope) => {
    const key = tokenKey(deps.credentials, scope);
    const slot = slots.get(key) ?? createTokenSlot(key, scope, shared);
    slots.set(key, slot);
    return {
      getToken: (context: RequestContext) => getToken(slot, context),
      onRefusal: (refusal: Refusal, signal: AbortSignal) => onRefusal(slot, stream, refusal, signal),
    };
  };
}

/** Returns a valid token, for one request or retry. Concurrent calls share one token request, and its error if that is final. */
async function getToken(slot: TokenSlot, { signal, onWait }: RequestContext): Promise<string> {
  const { now, ticks, sleep } = slot.deps;
  for (;;) {
    signal.throwIfAborted();
    const { token, backoff } = slot;
    const { error } = backoff;
    const waitMs = Math.ceil(backoff.untilTicks - ticks());
    if (token !== null && now() < token.endMs && (waitMs > 0 || !isDue(token, now())))
      return token.accessToken;
    if (error === null || waitMs <= 0) {
      await slot.lock(async () => {
        if (slot.token === token && slot.backoff === backoff) await renew(slot, signal);
      }, signal);
      continue;
    }
    if (waitMs === Infinity) throw error;
    await onWait({ reason: error.message, isRateLimited: error.code === 'TOKEN_LIMIT', waitMs });
    await sleep(waitMs, signal);
    // a timer may fire a moment too early
    if (slot.backoff === backoff) slot.backoff = { ...backoff, untilTicks: 0 };
  }
}

async function renew(slot: TokenSlot, signal: AbortSignal): Promise<void> {
  const { key, scope, deps } = slot;
  const { token, isOwn, cache, backoff } = await acquireToken(slot, signal);
  if (token !== null && !isSameIssue(token, slot.token)) {
    deps.onSecret(token.accessToken);
    if (!isSameIssue(token, getOwn(deps.known.tokens, key))) await announce(cache, slot, token);
    slot.isOwn = isOwn;
    const source = isOwn ? 'newly issued' : 'cached';
    const end = new Date(token.endMs).toISOString();
    deps.log?.(`token for audience ${describeScope(scope)}: ${source}, valid until ${end}`);
  }
  // by the documentation it may live longer
  slot.token = token ?? slot.token;
  slot.backoff = backoff;
  if (token !== null && backoff.error !== null) await warnOnce(slot, token, backoff.error);
}

/** Says why a token could not be renewed, once for each code: the read goes on, and fails only when the token ends. */
async function warnOnce({ warned, scope, deps }: TokenSlot, { endMs }: CachedToken, error: ConnectorError) {
  if (warned.has(error.code)) return;
  warned.add(error.code);
  const end = wholeSecond(endMs);
  const lead = `the token for audience ${describeScope(scope)} could not be renewed, and is used until it ends at ${end}`;
  await deps.warn(`${lead}: ${error.message}`);
}

/** False also if an endpoint has issued the same token again: its dates are new, and by the old ones it would stay due. */
function isSameIssue(token: CachedToken, other: CachedToken | null | undefined): boolean {
  return token.accessToken === other?.accessToken && token.issuedAtMs === other.issuedAtMs;
}

/** Passes the tokens to the platform, for later processes. `token` wins even over one that a wrong clock dated a moment later. */
async function announce(cache: TokenCache, { key, deps }: TokenSlot, token: CachedToken): Promise<void> {
  deps.known = withChanges(mergedCaches(deps.known, cache, deps.now()), { tokens: { [key]: token } });
  await deps.announce?.(deps.known);
}

/** Returns how long ago something was, in ms; Infinity if it seems to lie ahead, because the local clock has been set back since. */
function agoMs(nowMs: number, atMs: number): number {
  // clocks of other machines differ a little
  return atMs > nowMs + TOKEN.settleMs ? Infinity : Math.max(0, nowMs - atMs);
}

/** Carries out what `judgeRefusal` decides. After `resend`, `getToken` returns another token. */
async function onRefusal(slot: TokenSlot, stream: string, refusal: Refusal, signal: AbortSignal) {
  const { key, rejected, deps } = slot;
  const nowMs = deps.now();
  // another process may have recorded a refusal in the meantime
  const cached = (await deps.store.read()).tokens[key];
  const { token: current, isOwn } = slot;
  const isCached = cached?.accessToken === refusal.token;
  const records = { ...(isCached ? cached.refusedAtMs : {}), ...current?.refusedAtMs };
  const recordedAtMs = getOwn(records, stream);
  const ageMs = current === null ? Infinity : agoMs(nowMs, current.issuedAtMs);
  const verdict = judgeRefusal(refusal, {
    isCurrent: current?.accessToken === refusal.token,
    isOwn,
    ageMs,
    replacedAgoMs: current === null || rejected.size === 0 ? null : ageMs,
    recordedAgoMs: recordedAtMs === undefined ? null : agoMs(nowMs, recordedAtMs),
  });
  if (verdict === 'replace') {
    rejected.add(refusal.token);
    // a final failure stays final
    if (slot.backoff.untilTicks < Infinity) slot.backoff = NO_BACKOFF;
    slot.token = null;
    return 'resend';
  }
  if (verdict !== 'record') return verdict;
  if (current !== null)
    await record(slot, { ...current, refusedAtMs: { ...records, [stream]: nowMs } }, signal);
  return 'fail';
}

async function record(slot: TokenSlot, token: CachedToken, signal: AbortSignal): Promise<void> {
  const { key, deps } = slot;
  const tokens = { [key]: token };
  slot.token = token;
  await deps.store.exclusively(async (cache, save) => {
    if (cache.tokens[key]?.accessToken === token.accessToken) await save(withChanges(cache, { tokens }));
  }, signal);
  await announce(await deps.store.read(), slot, token);
}
