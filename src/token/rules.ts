import { wholeSecond } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { membersOf, type JsonObject } from '../config/files.ts';
import type { KeptToken } from '../generated/token-cache.generated.ts';
import { TOKEN } from '../limits.ts';
import { listed, quoted } from '../protocol/messages.ts';

/** What a token is requested for. */
export type Audience = Readonly<{ audience: string; scopes: readonly string[] | null }>;
/** `key` is the config key that decides it, for messages. */
export type TokenScope = Audience & Readonly<{ key: string }>;

const GENERAL = 'API'; // the audience for all modules of the integrator
const HOUR_MS = 3_600_000;
const GENERAL_RULES = {
  validityMs: 24 * HOUR_MS,
  issuances: 15,
  limit: '15 tokens a day for audience "API"',
};
const MODULE_RULES = { validityMs: HOUR_MS, issuances: 3, limit: '3 tokens an hour for a module audience' };

/** The documented validity of a kind of token, and how many may be issued within any period of that length. */
export type TokenRules = Readonly<ReturnType<typeof tokenRules>>;

export function tokenRules({ audience }: Pick<Audience, 'audience'>) {
  const rules = audience === GENERAL ? GENERAL_RULES : MODULE_RULES;
  // a request is logged before it is sent, and the token may be issued later, even if there is no response
  return { ...rules, windowMs: rules.validityMs + TOKEN.latestIssueMs };
}

/** The token for streams of this audience, by `token.kind` of the config; streams with the same audience and scopes share a token. */
export function tokenScope(token: Config['token'], audience: string | undefined, place: string): TokenScope {
  if (token.kind === 'module')
    return { audience: audience ?? GENERAL, scopes: null, key: `${place}.audience` };
  if (token.kind === 'scoped') return { audience: GENERAL, scopes: token.scopes, key: 'token.scopes' };
  return { audience: GENERAL, scopes: null, key: 'token.kind' };
}

/** For messages: `"API"`, `"API" with the scopes "AMAPI", "UMAPI"` or `"AMAPI"`. */
export function describeScope({ audience, scopes }: Audience): string {
  return scopes === null ? quoted(audience) : `${quoted(audience)} with the scopes ${listed(scopes, quoted)}`;
}

/** For messages: who requests which token. */
export function describeRequest(clientId: string, scope: TokenScope): string {
  return `client_id ${quoted(clientId)}, audience ${describeScope(scope)} (${scope.key})`;
}

/** The message when the issuance limit is reached according to our own log; what the endpoint limits, only it knows. */
export function describeLimit(clientId: string, scope: TokenScope): string {
  const request = describeRequest(clientId, scope);
  return `auth_url: the token request limit has been reached for ${request}: ${tokenRules(scope).limit}.`;
}

const UNITS_MS = [1000, 60_000, HOUR_MS, 1];
/** By which part a stated validity may differ from the documented one: endpoints round it, or count from an earlier moment. */
const NEARLY = 0.05;
const NAMES = ['expiresIn', 'expires_in', 'expriesIn'];

const MIN_DATE_MS = 1e12; // in 2001; an `exp` before it is no time, but a duration or a flag

/** The claims of a JWT; verifying its signature is up to the API. */
function claimsOf(accessToken: string): JsonObject {
  const [, payload = ''] = /^[^.]*\.([^.]*)\.[^.]*$/.exec(accessToken) ?? [];
  return membersOf(Buffer.from(payload, 'base64url').toString());
}

/** The end that a JWT states, in ms since the epoch; NaN if it states none. */
function claimedEndMs({ exp }: JsonObject): number {
  const ms = amount(exp) * 1000;
  return ms >= MIN_DATE_MS ? ms : NaN;
}

/** For messages: what says that this token has ended. */
export function describeEnd(accessToken: string): string {
  const ms = claimedEndMs(claimsOf(accessToken));
  return Number.isNaN(ms) ? 'expiresIn 0' : `its exp is ${wholeSecond(ms)}`;
}

/**
 * The local expiry of a token requested at `localMs`: from the `exp` of a JWT, relative to the server's time, else from `expiresIn`
 * in the unit in which it is about the documented validity, or else in seconds. Never later than that validity allows; 0 is the end, and
 * so is an `exp` that has passed by the server's time. By the local clock alone nothing has passed: it may be wrong.
 */
export function expiresAt(
  body: JsonObject,
  accessToken: string,
  { validityMs }: TokenRules,
  localMs: number,
  serverMs?: number,
) {
  const claims = claimsOf(accessToken);
  const nowMs = serverMs ?? (amount(claims['iat']) * 1000 || localMs);
  const claimedMs = claimedEndMs(claims) - nowMs;
  const hasPassed = serverMs !== undefined && claimedMs < 1;
  const stated = NAMES.map((name) => amount(body[name])).find((value) => value >= 0) ?? NaN;
  const unitMs = UNITS_MS.find((ms) => Math.abs((stated * ms) / validityMs - 1) <= NEARLY) ?? 1000;
  const statedMs = stated === 0 ? 0 : [stated * unitMs].find((ms) => ms >= 1);
  const claimed = hasPassed ? 0 : [claimedMs].find((ms) => ms >= 1);
  const lifetime = claimed ?? statedMs ?? validityMs;
  return localMs + Math.min(lifetime, validityMs);
}

/**
 * True in the last tenth of a token's lifetime or its last minute, but not before half of it has passed. Never for a token that the
 * endpoint has returned again: it issues no other before this one ends.
 */
export function isDue(
  { issuedAtMs, endMs, isReissued = false }: Pick<KeptToken, 'issuedAtMs' | 'endMs' | 'isReissued'>,
  nowMs: number,
): boolean {
  if (isReissued) return nowMs >= endMs;
  const life = endMs - issuedAtMs;
  return nowMs >= endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10);
}

/** A number that is not negative, or one in a string; NaN otherwise. */
function amount(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number < Infinity ? number : NaN;
}
