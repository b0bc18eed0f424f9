import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { membersOf } from '../config/files.ts';
import { validatorOf } from '../config/validator.ts';
import type { Issuances, KeptToken, TokenCache as Document } from '../generated/token-cache.generated.ts';
import { TOKEN } from '../limits.ts';
import schema from './token-cache.schema.json' with { type: 'json' };
import { tokenRules, type Audience, type TokenRules } from './rules.ts';

export type CachedToken = Readonly<KeptToken>;
/** When tokens of one audience were requested, in ascending order, and until when the endpoint refuses to issue more. */
export type IssuanceLog = Readonly<Issuances>;
/** The valid tokens of one credential, and its issuance logs by audience. */
export type TokenCache = Readonly<Document>;

export type Credentials = Readonly<Record<'authUrl' | 'clientId' | 'clientSecret', string>>;

/** Identifies the owner of a cache, without the secret: issuance limits do not depend on it. */
export function credentialKey({ authUrl, clientId }: Credentials): string {
  return digest([authUrl, clientId]);
}

/** Identifies the file of a cache. A wrong secret has a file of its own, and cannot replace the tokens of the right one. */
export function fileKey({ authUrl, clientId, clientSecret }: Credentials): string {
  return digest([authUrl, clientId, clientSecret]);
}

/** Adds the HMAC of a JSON object under the secret as its first member, so that nobody else can write such a text. */
export function signed(text: string, secret: string): string {
  return `{"hmac":"${hmac(text, secret)}",${text.slice(1)}`;
}

/** The text that was signed; null if it has no valid HMAC under the secret. */
export function verified(text: string, secret: string): string | null {
  const [whole, found = ''] = /^\{"hmac":"([\da-f]{64})",/.exec(text) ?? [''];
  const unsigned = `{${text.slice(whole.length)}`;
  const expected = Buffer.from(hmac(unsigned, secret));
  return whole !== '' && timingSafeEqual(Buffer.from(found), expected) ? unsigned : null;
}

function hmac(text: string, secret: string): string {
  return createHmac('sha256', secret).update(`source-trailer-data cache ${text}`).digest('hex');
}

/** What a cached token is bound to, including the secret: otherwise a wrong secret would go unnoticed while a token is cached. */
export function tokenKey(credentials: Credentials, { audience, scopes }: Audience): string {
  const { authUrl, clientId, clientSecret } = credentials;
  return digest([authUrl, clientId, clientSecret, audience, ...(scopes ?? []).toSorted()]);
}

/** Returns 128 bits of a hash, enough to be unique. The secret cannot be recovered from it, because its entropy is high. */
function digest(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(['source-trailer-data token', ...parts]), 'hex').slice(0, 32);
}

export function emptyCache(credential: string): TokenCache {
  return { version: 1, credential, tokens: {}, issuances: {} };
}

/** Parses a stored cache; null if the text is damaged, or of another version or credential. */
export function parseCache(text: string, credential: string): TokenCache | null {
  const document = membersOf(text) as object as Document;
  return validatorOf(schema)(document) && document.credential === credential ? document : null;
}

/** Serializes a cache without expired tokens. */
export function cacheText(cache: TokenCache, nowMs: number): string {
  const tokens = Object.entries(cache.tokens).filter(([, { endMs }]) => endMs > nowMs);
  return JSON.stringify({ ...cache, tokens: Object.fromEntries(tokens) });
}

/** Adds tokens and logs to a cache, or replaces them. */
export function withChanges(cache: TokenCache, { tokens, issuances }: Partial<TokenCache>): TokenCache {
  return {
    ...cache,
    tokens: { ...cache.tokens, ...tokens },
    issuances: { ...cache.issuances, ...issuances },
  };
}

/** Merges two caches of one credential. The newer token wins, unless it is from the future: then the clock was wrong. */
export function mergedCaches(a: TokenCache, b: TokenCache, nowMs: number): TokenCache {
  const issuedAt = (token: CachedToken | undefined): number =>
    token === undefined || token.issuedAtMs > nowMs ? -Infinity : token.issuedAtMs;
  const newer = Object.entries(b.tokens).filter(
    ([key, token]) => issuedAt(getOwn(a.tokens, key)) <= issuedAt(token),
  );
  const logs = Object.entries(b.issuances).map(([audience, log]) => {
    const latestMs = nowMs + tokenRules({ audience }).windowMs;
    return [audience, mergedLogs(getOwn(a.issuances, audience) ?? NONE_ISSUED, log, latestMs)] as const;
  });
  return withChanges(a, { tokens: Object.fromEntries(newer), issuances: Object.fromEntries(logs) });
}

/** The value of an own property, whatever its name. */
export function getOwn<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

export const NONE_ISSUED: IssuanceLog = { times: [], refusedUntilMs: 0 };

/** When the next token may be requested, in ms since the epoch: at most one window from now, even if the clock was wrong. */
export function nextIssuance({ times, refusedUntilMs }: IssuanceLog, rules: TokenRules, nowMs: number) {
  // times far ahead come from a wrong clock and say nothing about when the token was issued
  const known = times.filter((time) => time <= nowMs + TOKEN.latestIssueMs);
  const oldest = known.at(-rules.issuances) ?? -Infinity;
  const refusedUntil = refusedUntilMs > nowMs + rules.windowMs ? 0 : refusedUntilMs;
  return Math.max(nowMs, refusedUntil, oldest + rules.windowMs);
}

/** Adds an issuance to a log, at a time that the log does not contain, and removes those that no longer count. */
export function withIssuance({ times, refusedUntilMs }: IssuanceLog, rules: TokenRules, nowMs: number) {
  let issuedAtMs = nowMs;
  while (times.includes(issuedAtMs)) issuedAtMs++;
  const counting = times.filter((time) => time > nowMs - rules.windowMs);
  return { times: [...counting, issuedAtMs].toSorted((one, other) => one - other), refusedUntilMs };
}

/** Adds a 429 to a log: for `waitMs` (its `Retry-After`), or else for an hour, because others may have used the tokens. */
export function withRefusal(log: IssuanceLog, rules: TokenRules, waitMs: number | undefined, nowMs: number) {
  const times = log.times.filter((time) => time > nowMs - rules.windowMs);
  const untilMs = nowMs + Math.min(waitMs ?? TOKEN.limitMs, rules.windowMs);
  return { times, refusedUntilMs: untilMs };
}

/** Merges two logs of one audience. Refusals beyond `latestMs` are ignored, because they come from a wrong clock. */
export function mergedLogs(a: IssuanceLog, b: IssuanceLog, latestMs: number): IssuanceLog {
  const times = [...new Set([...a.times, ...b.times])].toSorted((one, other) => one - other);
  const refusals = [a.refusedUntilMs, b.refusedUntilMs].filter((ms) => ms <= latestMs);
  return { times, refusedUntilMs: Math.max(0, ...refusals) };
}
