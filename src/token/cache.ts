import { hash } from 'node:crypto';

import type { Issuances, KeptToken, TokenCache as Kept } from '../generated/token-cache.generated.ts';
import { validate } from '../generated/validators/token-cache.generated.ts';
import { membersOf } from './rules.ts';
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

/** What two caches of one credential know together; of two tokens for the same the newer one stays. */
export function mergedCaches(a: TokenCache, b: TokenCache): TokenCache {
  const tokens = { ...a.tokens };
  for (const [key, token] of Object.entries(b.tokens))
    if ((tokens[key]?.issuedAtMs ?? -Infinity) <= token.issuedAtMs) tokens[key] = token;
  const issuances = { ...a.issuances };
  for (const [audience, log] of Object.entries(b.issuances))
    issuances[audience] = mergedLogs(issuances[audience] ?? NONE_ISSUED, log);
  return { ...a, tokens, issuances };
}

export const NONE_ISSUED: IssuanceLog = { times: [], refusedUntilMs: 0 };

/** From when, ms since the epoch, a token may be asked for: within a window from now, whatever a wrong clock has noted. */
export function nextIssuance(log: IssuanceLog, rules: TokenRules, nowMs: number): number {
  const { times, refusedUntilMs } = current(log, rules, nowMs);
  const oldest = times.at(-rules.issuances) ?? -Infinity;
  return Math.max(nowMs, refusedUntilMs, oldest + rules.countsMs);
}

/** The log with one issuance more; what has left the window is forgotten. */
export function withIssuance(log: IssuanceLog, rules: TokenRules, nowMs: number): IssuanceLog {
  const counting = current(log, rules, nowMs);
  return { ...counting, times: [...counting.times, nowMs] };
}

/** The log after a 429, which knows of issuances that we do not: without `Retry-After` the oldest known leaves first. */
export function withRefusal(log: IssuanceLog, rules: TokenRules, waitMs: number | undefined, nowMs: number) {
  const { times } = current(log, rules, nowMs);
  const leavesMs = (times[0] ?? nowMs) + rules.countsMs;
  return { times, refusedUntilMs: waitMs === undefined ? leavesMs : nowMs + waitMs };
}

/** What two logs of the same audience know together: a time stands as often as in the one where it stands most often. */
export function mergedLogs(a: IssuanceLog, b: IssuanceLog): IssuanceLog {
  const others = a.times.reduce((left, time) => {
    const same = left.indexOf(time);
    return left.filter((_, at) => at !== same);
  }, b.times);
  const times = [...a.times, ...others].toSorted((one, other) => one - other);
  return { times, refusedUntilMs: Math.max(a.refusedUntilMs, b.refusedUntilMs) };
}

/** What still counts; times ahead of the clock, which was set back since, count as now. */
function current(
  { times, refusedUntilMs }: IssuanceLog,
  { countsMs }: TokenRules,
  nowMs: number,
): IssuanceLog {
  return {
    times: times.filter((time) => time > nowMs - countsMs).map((time) => Math.min(time, nowMs)),
    refusedUntilMs: Math.min(refusedUntilMs, nowMs + countsMs),
  };
}
