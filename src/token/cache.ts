import { hash } from 'node:crypto';

import type { Issuances, KeptToken, TokenCache as Kept } from '../generated/token-cache.generated.ts';
import { validate } from '../generated/validators/token-cache.generated.ts';
import { TOKEN } from '../limits.ts';
import { membersOf, tokenRules } from './rules.ts';
import type { TokenRules, TokenScope } from './rules.ts';

export type CachedToken = Readonly<KeptToken>;
/** When tokens of one audience were asked for, ascending, and until when the endpoint refuses them because of its limit. */
export type IssuanceLog = Readonly<Issuances>;
/** What is known of the tokens of one credential: those that live, and when they were issued. */
export type TokenCache = Readonly<Kept>;

export type Credentials = Readonly<Record<'authUrl' | 'clientId' | 'clientSecret', string>>;

/** What the issuance limits count by, as far as one credential goes: where and by whom, never what for. */
export function credentialKey({ authUrl, clientId }: Credentials): string {
  return digest([authUrl, clientId]);
}

/** What a kept token is bound to; without the secret, a wrong one would seem right for as long as the token lives. */
export function tokenKey(credentials: Credentials, { audience, scopes }: TokenScope): string {
  const { authUrl, clientId, clientSecret } = credentials;
  return digest([authUrl, clientId, clientSecret, audience, ...(scopes ?? []).toSorted()]);
}

/** From a digest of high-entropy parts nothing can be read; 128 bits of it tell any two apart. */
function digest(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(['source-trailer-data token', ...parts]), 'hex').slice(0, 32);
}

export function emptyCache(credential: string): TokenCache {
  return { version: 1, credential, tokens: {}, issuances: {} };
}

/** A kept text as a cache; empty if the text is damaged, of another version or of another credential. */
export function parseCache(text: string, credential: string): TokenCache {
  const document = membersOf(text) as object as Kept;
  return validate(document) && document.credential === credential ? document : emptyCache(credential);
}

/** The text to keep: without tokens whose life has ended. */
export function cacheText(cache: TokenCache, nowMs: number): string {
  const alive = Object.entries(cache.tokens).filter(([, { endMs }]) => endMs > nowMs);
  return JSON.stringify({ ...cache, tokens: Object.fromEntries(alive) });
}

/** A cache with these tokens and logs besides its own, or in their place. */
export function withChanges(kept: TokenCache, { tokens, issuances }: Partial<TokenCache>): TokenCache {
  return { ...kept, tokens: { ...kept.tokens, ...tokens }, issuances: { ...kept.issuances, ...issuances } };
}

/**
 * What two caches of one credential know together. Of two tokens for the same the newer one stays; one that was issued ahead
 * of the clock stems from a wrong clock, and gives way to any other.
 */
export function mergedCaches(a: TokenCache, b: TokenCache, nowMs: number): TokenCache {
  const age = (token: CachedToken): number => (token.issuedAtMs > nowMs ? -Infinity : token.issuedAtMs);
  const tokens = new Map(Object.entries(a.tokens));
  for (const [key, token] of Object.entries(b.tokens)) {
    const other = tokens.get(key);
    if (other === undefined || age(other) <= age(token)) tokens.set(key, token);
  }
  const issuances = new Map(Object.entries(a.issuances));
  for (const [audience, log] of Object.entries(b.issuances)) {
    const latestMs = nowMs + tokenRules({ audience, scopes: null }).countsMs;
    issuances.set(audience, mergedLogs(issuances.get(audience) ?? NONE_ISSUED, log, latestMs));
  }
  return { ...a, tokens: Object.fromEntries(tokens), issuances: Object.fromEntries(issuances) };
}

/** The token bound to a key, or the issuances of an audience, whatever it is called. */
export function ofKey<T>(all: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(all, key) ? all[key] : undefined;
}

export const NONE_ISSUED: IssuanceLog = { times: [], refusedUntilMs: 0 };

/** From when, ms since the epoch, a token may be asked for: within a window from now, whatever a wrong clock has noted. */
export function nextIssuance(
  { times, refusedUntilMs }: IssuanceLog,
  rules: TokenRules,
  nowMs: number,
): number {
  // an issuance further ahead than two clocks differ was noted by a wrong one, and nobody knows when it was
  const counting = times.filter(
    (time) => isRecent(time, rules, nowMs) && time <= nowMs + TOKEN.latestIssueMs,
  );
  const oldest = counting.at(-rules.issuances) ?? -Infinity;
  const refusedUntil = refusedUntilMs > nowMs + rules.countsMs ? 0 : refusedUntilMs;
  return Math.max(nowMs, refusedUntil, oldest + rules.countsMs);
}

/** The log with one issuance more; what has left the window is forgotten. */
export function withIssuance(log: IssuanceLog, rules: TokenRules, nowMs: number): IssuanceLog {
  const times = [...log.times.filter((time) => isRecent(time, rules, nowMs)), nowMs];
  return { ...log, times: times.toSorted((one, other) => one - other) };
}

/** The log after a 429, which knows of issuances that we do not: without `Retry-After` the oldest known leaves first. */
export function withRefusal(log: IssuanceLog, rules: TokenRules, waitMs: number | undefined, nowMs: number) {
  const times = log.times.filter((time) => isRecent(time, rules, nowMs));
  const known = times.filter((time) => time <= nowMs);
  const leavesMs = (known[0] ?? nowMs) + rules.countsMs;
  const refusedUntilMs = waitMs === undefined ? leavesMs : nowMs + Math.min(waitMs, rules.countsMs);
  return { times, refusedUntilMs };
}

/**
 * What two logs of the same audience know together: a time stands as often as in the one where it stands most often, and a
 * refusal until after `latestMs`, which no right clock can have noted, counts for nothing.
 */
export function mergedLogs(a: IssuanceLog, b: IssuanceLog, latestMs: number): IssuanceLog {
  const extra = new Map<number, number>();
  for (const time of a.times) extra.set(time, (extra.get(time) ?? 0) - 1);
  const others = b.times.filter((time) => {
    const count = (extra.get(time) ?? 0) + 1;
    extra.set(time, count);
    return count > 0;
  });
  const times = [...a.times, ...others].toSorted((one, other) => one - other);
  const refusals = [a.refusedUntilMs, b.refusedUntilMs].filter((ms) => ms <= latestMs);
  return { times, refusedUntilMs: Math.max(0, ...refusals) };
}

function isRecent(timeMs: number, { countsMs }: TokenRules, nowMs: number): boolean {
  return timeMs > nowMs - countsMs;
}
