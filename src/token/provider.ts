import type { Sleep } from '../clock.ts';
import type { RequestContext } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import { acquireToken } from './acquire.ts';
import type { AcquireParts, Setback } from './acquire.ts';
import { mergedCaches, tokenKey, withToken } from './cache.ts';
import type { CachedToken, Credentials, TokenCache } from './cache.ts';
import { isAlive, isDue } from './rules.ts';
import type { TokenScope } from './rules.ts';

export interface TokenProvider {
  /**
   * A token that is alive, for one request: every request and every retry asks anew, so that a token is renewed before its
   * end, in the middle of a read too. However many ask at once, one request is sent.
   *
   * @throws config_error TOKEN_REFUSED, transient_error TOKEN_LIMIT, API_UNAVAILABLE or TOKEN_UNREADABLE; from then on always
   */
  readonly bearer: (scope: TokenScope, context: RequestContext) => Promise<string>;
  /** Told that the API refuses a token; what to do about it. Where that is to renew it, `bearer` gives another one. */
  readonly refused: (scope: TokenScope, refusal: Refusal, signal: AbortSignal) => Promise<RefusalVerdict>;
}

/** A 401 or 403 at a list. */
export interface Refusal {
  readonly stream: string;
  readonly token: string;
  /** True if the same stream was given a page for the same token before. */
  readonly wasAccepted: boolean;
  /** True if the same request was refused with the same token before. */
  readonly isRepeated: boolean;
}

/** What to do about a refusal: send the same once more, send it with another token, or believe it. */
export type RefusalVerdict = 'repeat' | 'renew' | 'believe';

/** A token in use, without its text. */
export interface HeldToken {
  readonly scope: TokenScope;
  /** True if it was issued to this process; else an earlier one, or another, has kept it. */
  readonly isOwn: boolean;
  readonly endMs: number;
}

export interface TokenProviderParts extends Omit<
  AcquireParts,
  'key' | 'scope' | 'clientId' | 'before' | 'dead'
> {
  readonly credentials: Credentials;
  /** Hands what shall be kept to the platform, before the token is used; null where nobody asks for it. */
  readonly announce: ((cache: TokenCache) => Promise<void>) | null;
  /** Told of each token that is used from now on, if anybody wants to know; never of its text. */
  readonly onHeld?: (held: HeldToken) => void;
  /** Told of each token before it is used, so that it can be kept out of every output. */
  readonly onSecret: (token: string) => void;
  /** ms that the issuance limit is waited out at most. */
  readonly mostWaitMs: number;
  readonly sleep: Sleep;
}

/** What all kinds of tokens of one credential share. */
interface Shared extends Omit<TokenProviderParts, 'known'> {
  known: TokenCache;
  readonly dead: Set<string>;
}

/** What this process knows of one kind of token. */
interface Holding {
  readonly key: string;
  readonly scope: TokenScope;
  held: { readonly token: CachedToken; readonly isOwn: boolean } | null;
  /** True once the API has refused one: the one held stands in for it. */
  isReplacement: boolean;
  setback: Setback | null;
  flight: { readonly done: Promise<void>; readonly signal: AbortSignal } | null;
}

/** Tokens of one credential, shared by all its processes as far as the store reaches. */
export function createTokenProvider(parts: TokenProviderParts): TokenProvider {
  const shared: Shared = { ...parts, dead: new Set() };
  const holdings = new Map<string, Holding>();
  const holdingOf = (scope: TokenScope): Holding => {
    const key = tokenKey(parts.credentials, scope);
    const fresh = { key, scope, held: null, isReplacement: false, setback: null, flight: null };
    const holding = holdings.get(key) ?? fresh;
    holdings.set(key, holding);
    return holding;
  };
  return {
    bearer: (scope, context) => bearer(holdingOf(scope), shared, context),
    refused: (scope, refusal, signal) => refused(holdingOf(scope), shared, refusal, signal),
  };
}

async function bearer(holding: Holding, shared: Shared, { signal, onWait }: RequestContext): Promise<string> {
  const { now, sleep, mostWaitMs } = shared;
  for (;;) {
    signal.throwIfAborted();
    const { held, setback } = holding;
    if (setback?.isFinal === true) throw setback.error;
    const waitMs = (setback?.untilMs ?? 0) - now();
    if (held !== null && isAlive(held.token, now()) && (waitMs > 0 || !isDue(held.token, now())))
      return held.token.accessToken;
    if (setback === null || waitMs <= 0) {
      await fly(holding, shared, signal);
      continue;
    }
    const { error, rateLimited, limitedMs } = setback;
    if (rateLimited && Math.max(waitMs, limitedMs) > mostWaitMs) {
      holding.setback = { ...setback, isFinal: true };
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
async function fly(holding: Holding, shared: Shared, signal: AbortSignal): Promise<void> {
  const flight = holding.flight ?? { done: acquire(holding, shared, signal), signal };
  holding.flight = flight;
  try {
    await flight.done;
  } catch (error) {
    if (!flight.signal.aborted || signal.aborted) throw error;
  } finally {
    if (holding.flight === flight) holding.flight = null;
  }
}

async function acquire(holding: Holding, shared: Shared, signal: AbortSignal): Promise<void> {
  const { key, scope, setback: before } = holding;
  const { clientId } = shared.credentials;
  const acquired = await acquireToken({ ...shared, key, scope, clientId, before }, signal);
  const { token, isOwn, cache, setback } = acquired;
  if (token !== null && token.accessToken !== holding.held?.token.accessToken) {
    shared.onSecret(token.accessToken);
    if (shared.known.tokens[key]?.accessToken !== token.accessToken) await announce(cache, shared);
    holding.held = { token, isOwn };
    shared.onHeld?.({ scope, isOwn, endMs: token.endMs });
  }
  holding.setback = setback;
}

async function announce(cache: TokenCache, shared: Shared): Promise<void> {
  shared.known = mergedCaches(shared.known, cache);
  await shared.announce?.(shared.known);
}

async function refused(
  holding: Holding,
  shared: Shared,
  refusal: Refusal,
  signal: AbortSignal,
): Promise<RefusalVerdict> {
  const { store, now } = shared;
  const { stream, token, wasAccepted } = refusal;
  const { key } = holding;
  // another process may have found out meanwhile
  const kept = wasAccepted ? undefined : (await store.read()).tokens[key];
  const { held, isReplacement } = holding;
  if (held?.token.accessToken !== token) return 'renew';
  const others = kept?.accessToken === token ? kept.refusedAtMs : {};
  const refusedAtMs = { ...others, ...held.token.refusedAtMs };
  const verdict = judgeRefusal({ ...held.token, refusedAtMs }, held.isOwn, isReplacement, refusal, now());
  if (verdict === 'renew') {
    shared.dead.add(token);
    holding.held = null;
    holding.isReplacement = true;
  }
  if (verdict === 'believe' && !wasAccepted && refusedAtMs[stream] === undefined) {
    const marked = { ...held.token, refusedAtMs: { ...refusedAtMs, [stream]: now() } };
    holding.held = { ...held, token: marked };
    // for later processes, which will find the token
    await store.exclusively(async (cache, save) => {
      if (cache.tokens[key]?.accessToken === token) await save(withToken(cache, key, marked));
    }, signal);
    await announce(withToken(await store.read(), key, marked), shared);
  }
  return verdict;
}

/**
 * Each new token burns an issuance, in every process anew; so one that was accepted before, or that another process has asked
 * for and nobody has seen refused, is sent once more first, since a gateway may have lost it for a moment. Refused again, it is
 * replaced once. One that is new and was never accepted shows that the fault lies elsewhere; that is remembered for a while.
 */
function judgeRefusal(
  { issuedAtMs, refusedAtMs }: CachedToken,
  isOwn: boolean,
  isReplacement: boolean,
  { stream, wasAccepted, isRepeated }: Refusal,
  nowMs: number,
): RefusalVerdict {
  const marked = wasAccepted ? undefined : refusedAtMs[stream];
  if (marked !== undefined) return nowMs - marked < TOKEN.refusedMs ? 'believe' : 'renew';
  if (isOwn && !wasAccepted) return 'believe';
  if (!isRepeated) return 'repeat';
  return isReplacement && nowMs - issuedAtMs < TOKEN.freshMs ? 'believe' : 'renew';
}
