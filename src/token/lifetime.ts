import { TOKEN } from '../limits.ts';
import type { TokenRules } from './token-rules.ts';

/** A token as the endpoint gave it (API document 2.2), with what is needed to tell how long it lives. */
export interface TokenAnswer {
  readonly accessToken: string;
  /** The whole body: the member that says the validity may be misspelt or absent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Server time of the answer, ms since the epoch; undefined where the server does not say. */
  readonly serverTimeMs: number | undefined;
  /** Local time just before the request was sent, ms since the epoch. */
  readonly askedAtMs: number;
}

const UNITS_MS = [1000, 60_000, 3_600_000, 1];
const NAMES = ['expiresIn', 'expires_in', 'expriesIn'];

/**
 * The end of a token's life in local time, ms since the epoch. From the `exp` claim of a JWT, as a distance from the
 * server's own time, so that a wrong local clock does not matter; else from `expiresIn`, in the unit (seconds, minutes,
 * hours, milliseconds) under which it equals the documented validity, else in seconds. Never beyond the documented
 * validity (API document 5.4), which also holds where the answer says nothing that makes sense.
 */
export function endOfLife(answer: TokenAnswer, rules: TokenRules): number {
  const lifetimes = [jwtLifetimeMs(answer), statedLifetimeMs(answer.body, rules)];
  const lifetime = lifetimes.find((ms) => ms !== undefined && ms >= 1) ?? rules.validityMs;
  return answer.askedAtMs + Math.min(lifetime, rules.validityMs);
}

/** The time, ms since the epoch, from which a token is due for renewal: a tenth of its life before its end; of a very short life half is used. */
export function renewalTime(issuedAtMs: number, endMs: number): number {
  const life = endMs - issuedAtMs;
  return endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10);
}

/** From when to when, local time, ms since the epoch. */
export interface Life {
  readonly issuedAtMs: number;
  readonly endMs: number;
}

/** True if the token is not known to be dead. */
export function isAlive({ endMs }: Life, nowMs: number): boolean {
  return nowMs < endMs;
}

/** True if the token is due for renewal. */
export function isDue({ issuedAtMs, endMs }: Life, nowMs: number): boolean {
  return nowMs >= renewalTime(issuedAtMs, endMs);
}

function jwtLifetimeMs({ accessToken, serverTimeMs, askedAtMs }: TokenAnswer): number | undefined {
  const claims = claimsOf(accessToken);
  if (claims?.exp === undefined) return undefined;
  const issuedMs = claims.iat === undefined ? undefined : claims.iat * 1000;
  return claims.exp * 1000 - (serverTimeMs ?? issuedMs ?? askedAtMs);
}

/** `exp` and `iat` of a JWT, in seconds; its signature is none of a client's business. */
function claimsOf(token: string): { exp: number | undefined; iat: number | undefined } | undefined {
  const [, payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { exp, iat } = claims as { exp?: unknown; iat?: unknown };
    return { exp: positive(exp), iat: positive(iat) };
  } catch {
    return undefined;
  }
}

function statedLifetimeMs(body: TokenAnswer['body'], rules: TokenRules): number | undefined {
  const stated = NAMES.map((name) => positive(body[name])).find((value) => value !== undefined);
  if (stated === undefined) return undefined;
  const unit = UNITS_MS.find((ms) => stated * ms === rules.validityMs) ?? 1000;
  return stated * unit;
}

/** A number above 0, also as text. */
function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}
