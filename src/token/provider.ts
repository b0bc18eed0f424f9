import type { RequestContext } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import { acquireToken } from './acquire.ts';
import type { Holding, TokenParts } from './acquire.ts';
import { mergedCaches, tokenKey, withChanges } from './cache.ts';
import type { TokenCache } from './cache.ts';
import { isDue } from './rules.ts';
import type { TokenScope } from './rules.ts';

/** Gives tokens for one list, and is told where one is refused. */
export interface Authorization {
  /**
   * A token that is alive. Every request and every retry asks anew, so that it is renewed before its end, in the middle of a
   * read too; however many ask at once, one request is sent.
   *
   * @throws config_error TOKEN_REFUSED, transient_error TOKEN_LIMIT, API_UNAVAILABLE or TOKEN_UNREADABLE; from then on always
   */
  readonly bearer: (context: RequestContext) => Promise<string>;
  /** Told that the API refuses a token; what to do about it. Where that is to renew it, `bearer` gives another one. */
  readonly refused: (refusal: Refusal, signal: AbortSignal) => Promise<RefusalVerdict>;
}

/** A 401 or 403 at a list. */
export interface Refusal {
  readonly token: string;
  /** True if the same list was given a page for the same token before. */
  readonly wasAccepted: boolean;
  /** True if the same request was refused with the same token before. */
  readonly isRepeated: boolean;
}

/** What to do about a refusal: send the same once more, send it with another token, or believe it. */
export type RefusalVerdict = 'repeat' | 'renew' | 'believe';

/** What opens the list of a stream; those that need the same scope share a token. */
export type TokenProvider = (stream: string, scope: TokenScope) => Authorization;

/** Tokens of one credential, shared by all its processes as far as the store reaches. */
export function createTokenProvider(parts: TokenParts): TokenProvider {
  const shared = { ...parts };
  const holdings = new Map<string, Holding>();
  return (stream, scope) => {
    const key = tokenKey(parts.credentials, scope);
    const none = { token: null, isOwn: false, dead: new Set<string>(), setback: null, flight: null };
    const holding: Holding = holdings.get(key) ?? { key, scope, ...none };
    holdings.set(key, holding);
    return {
      bearer: (context) => bearer(holding, shared, context),
      refused: (refusal, signal) => refused(holding, shared, stream, refusal, signal),
    };
  };
}

async function bearer(holding: Holding, shared: TokenParts, context: RequestContext): Promise<string> {
  const { now, sleep, mostWaitMs } = shared;
  const { signal, onWait } = context;
  for (;;) {
    signal.throwIfAborted();
    const { token, setback } = holding;
    const waitMs = (setback?.untilMs ?? 0) - now();
    if (token !== null && now() < token.endMs && (waitMs > 0 || !isDue(token, now())))
      return token.accessToken;
    if (setback === null || waitMs <= 0) {
      await fly(holding, shared, signal);
      continue;
    }
    const { error, rateLimited, limitedMs } = setback;
    if (waitMs === Infinity || (rateLimited && Math.max(waitMs, limitedMs) > mostWaitMs)) {
      holding.setback = { ...setback, untilMs: Infinity };
      throw error;
    }
    // the clock may have been set back since
    const pauseMs = rateLimited ? waitMs : Math.min(waitMs, TOKEN.mostBackoffMs);
    await onWait({ reason: error.message, rateLimited, waitMs: pauseMs });
    await sleep(pauseMs, signal);
    if (!rateLimited && holding.setback === setback) holding.setback = { ...setback, untilMs: 0 };
  }
}

/** One request at a time, whoever asks; if the one who asked first gives up, that is no answer for the others. */
async function fly(holding: Holding, shared: TokenParts, signal: AbortSignal): Promise<void> {
  const flight = (holding.flight ??= { done: acquire(holding, shared, signal), signal });
  try {
    await flight.done;
  } catch (error) {
    if (!flight.signal.aborted || signal.aborted) throw error;
  } finally {
    if (holding.flight === flight) holding.flight = null;
  }
}

async function acquire(holding: Holding, shared: TokenParts, signal: AbortSignal): Promise<void> {
  const { key, scope } = holding;
  const { token, isOwn, cache, setback } = await acquireToken(holding, shared, signal);
  if (token !== null && token.accessToken !== holding.token?.accessToken) {
    shared.onSecret(token.accessToken);
    if (shared.known.tokens[key]?.accessToken !== token.accessToken) await announce(cache, shared);
    holding.token = token;
    holding.isOwn = isOwn;
    shared.onHeld?.({ scope, isOwn, endMs: token.endMs });
  }
  holding.setback = setback;
}

async function announce(cache: TokenCache, shared: TokenParts): Promise<void> {
  shared.known = mergedCaches(shared.known, cache);
  await shared.announce?.(shared.known);
}

/**
 * Each new token burns an issuance, in every process anew; so one that was accepted before, or that another process has asked
 * for and nobody has seen refused, is sent once more first, since a gateway may have lost it for a moment. Refused again, it is
 * replaced once. One that is new and was never accepted shows that the fault lies elsewhere; that is remembered for a while.
 */
async function refused(
  holding: Holding,
  shared: TokenParts,
  stream: string,
  { token, wasAccepted, isRepeated }: Refusal,
  signal: AbortSignal,
): Promise<RefusalVerdict> {
  const { key, dead } = holding;
  const { store, now } = shared;
  // another process may have found out meanwhile
  const kept = wasAccepted ? undefined : (await store.read()).tokens[key];
  const { token: held, isOwn } = holding;
  if (held?.accessToken !== token) return 'renew';
  const refusedAtMs = { ...(kept?.accessToken === token ? kept.refusedAtMs : {}), ...held.refusedAtMs };
  const refusedBeforeMs = wasAccepted ? undefined : refusedAtMs[stream];
  const judge = (): RefusalVerdict => {
    if (refusedBeforeMs !== undefined) return now() - refusedBeforeMs < TOKEN.refusedMs ? 'believe' : 'renew';
    if (isOwn && !wasAccepted) return 'believe';
    if (!isRepeated) return 'repeat';
    return dead.size > 0 && now() - held.issuedAtMs < TOKEN.freshMs ? 'believe' : 'renew';
  };
  const verdict = judge();
  if (verdict === 'renew') {
    dead.add(token);
    holding.token = null;
  }
  if (verdict === 'believe' && !wasAccepted && refusedBeforeMs === undefined) {
    holding.token = { ...held, refusedAtMs: { ...refusedAtMs, [stream]: now() } };
    const tokens = { [key]: holding.token };
    // for later processes, which will find the token
    await store.exclusively(async (cache, save) => {
      if (cache.tokens[key]?.accessToken === token) await save(withChanges(cache, { tokens }));
    }, signal);
    await announce(withChanges(await store.read(), { tokens }), shared);
  }
  return verdict;
}
