import { createValidator } from '../config/validator.ts';
import type { KeptToken, TokenCache as Kept } from '../generated/token-cache.generated.ts';
import { NONE_ISSUED, mergedIssuances } from './issuance-ledger.ts';
import type { Issuances } from './issuance-ledger.ts';
import { validate } from '../generated/validators/token-cache.generated.ts';
import schema from './token-cache.schema.json' with { type: 'json' };

export type CachedToken = Readonly<KeptToken>;

/** What is known of the tokens of one credential: those that live, and when they were issued. */
export interface TokenCache {
  readonly credential: string;
  readonly tokens: Readonly<Record<string, CachedToken>>;
  readonly issuances: Readonly<Record<string, Issuances>>;
}

/** Nothing known yet. */
export function emptyCache(credential: string): TokenCache {
  return { credential, tokens: {}, issuances: {} };
}

/** A kept text as a cache; empty if the text is damaged, of another version or of another credential. */
export function parseCache(text: string, credential: string): TokenCache {
  try {
    const document: unknown = JSON.parse(text);
    const isCache = createValidator(schema, validate)(document).length === 0;
    return isCache && (document as Kept).credential === credential
      ? (document as Kept)
      : emptyCache(credential);
  } catch {
    return emptyCache(credential);
  }
}

/** The text to keep: without tokens whose life has ended. */
export function cacheText({ credential, tokens, issuances }: TokenCache, nowMs: number): string {
  const alive = Object.entries(tokens).filter(([, { endMs }]) => endMs > nowMs);
  return JSON.stringify({ version: 1, credential, tokens: Object.fromEntries(alive), issuances });
}

/** What two caches of one credential know together; of two tokens for the same the newer one stays. */
export function mergedCaches(a: TokenCache, b: TokenCache): TokenCache {
  const tokens: Record<string, CachedToken> = { ...a.tokens };
  for (const [key, token] of Object.entries(b.tokens))
    if (!((tokens[key]?.issuedAtMs ?? -Infinity) > token.issuedAtMs)) tokens[key] = token;
  const audiences = new Set([...Object.keys(a.issuances), ...Object.keys(b.issuances)]);
  const issuances = [...audiences].map((audience) => [
    audience,
    mergedIssuances(issuancesOf(a, audience), issuancesOf(b, audience)),
  ]);
  return {
    credential: a.credential,
    tokens,
    issuances: Object.fromEntries(issuances) as Record<string, Issuances>,
  };
}

export function issuancesOf(cache: TokenCache, audience: string): Issuances {
  return cache.issuances[audience] ?? NONE_ISSUED;
}

export function withToken(cache: TokenCache, key: string, token: CachedToken): TokenCache {
  return { ...cache, tokens: { ...cache.tokens, [key]: token } };
}

export function withIssuances(cache: TokenCache, audience: string, issuances: Issuances): TokenCache {
  return { ...cache, issuances: { ...cache.issuances, [audience]: issuances } };
}
