import type { Config } from '../config/config.ts';
import type { KeptToken } from '../generated/token-cache.generated.ts';
import { TOKEN } from '../limits.ts';

/** What a token is asked for. */
export interface TokenScope {
  readonly audience: string;
  readonly scopes: readonly string[] | null;
}

/** The audience that stands for every module of the integrator. */
const GENERAL = 'API';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GENERAL_RULES = { validityMs: DAY_MS, issuances: 15, windowMs: DAY_MS };
const MODULE_RULES = { validityMs: HOUR_MS, issuances: 3, windowMs: HOUR_MS };

/** What the API documents of a kind of token: how long it is valid, and how many may be issued within any `windowMs`. */
export type TokenRules = Readonly<typeof GENERAL_RULES>;

/** The rules for a token: those of `API`, with or without scopes, or those of a module. */
export function tokenRules({ audience }: TokenScope): TokenRules {
  return audience === GENERAL ? GENERAL_RULES : MODULE_RULES;
}

/** The token that opens a stream of this audience, by the config's `token.kind`; streams that need the same one share it. */
export function tokenScope(token: Config['token'], audience: string | undefined): TokenScope {
  if (token.kind === 'module') return { audience: audience ?? GENERAL, scopes: null };
  return { audience: GENERAL, scopes: token.kind === 'scoped' ? token.scopes : null };
}

/** For people: `API`, `API limited to AMAPI, UMAPI` or `AMAPI`. */
export function describeScope({ audience, scopes }: TokenScope): string {
  return scopes === null ? audience : `${audience} limited to ${scopes.join(', ')}`;
}

/** For people: who asks for what. */
export function describeRequest(clientId: string, scope: TokenScope): string {
  return `client_id ${clientId}, audience ${describeScope(scope)}`;
}

/** For people: the documented limit is reached, as the endpoint has `answered` or as we know. */
export function limitWords(clientId: string, scope: TokenScope, answered: '' | ' (429)'): string {
  const isGeneral = scope.audience === GENERAL;
  const limit = isGeneral ? '15 tokens a day for API' : '3 tokens an hour for a module audience';
  return `auth_url: the limit of token requests is reached${answered} for ${describeRequest(clientId, scope)}: ${limit}.`;
}

/** What is needed to tell how long a token lives; `askedAtMs` is local time, and times are ms since the epoch. */
export interface TokenAnswer {
  readonly accessToken: string;
  /** The whole: the member that says the validity may be misspelt or absent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly serverTimeMs: number | undefined;
  readonly askedAtMs: number;
}

const UNITS_MS = [1000, 60_000, HOUR_MS, 1];
const NAMES = ['expiresIn', 'expires_in', 'expriesIn'];

/**
 * The local end of a token's life: from the `exp` claim of a JWT, as a distance from the server's own time; else from
 * `expiresIn`, in the unit under which it equals the documented validity, else in seconds. Never beyond that validity.
 */
export function endOfLife(answer: TokenAnswer, { validityMs }: TokenRules): number {
  const { accessToken, body, serverTimeMs, askedAtMs } = answer;
  const { exp, iat } = claimsOf(accessToken);
  const nowMs = serverTimeMs ?? (iat > 0 ? iat * 1000 : askedAtMs);
  const stated = NAMES.map((name) => amount(body[name])).find((value) => value > 0) ?? NaN;
  const unitMs = UNITS_MS.find((ms) => stated * ms === validityMs) ?? 1000;
  const lifetime = [exp * 1000 - nowMs, stated * unitMs].find((ms) => ms >= 1) ?? validityMs;
  return askedAtMs + Math.min(lifetime, validityMs);
}

/** True if the token is due for renewal: a tenth of its life before its end; of a very short life half is used. */
export function isDue(token: Pick<KeptToken, 'issuedAtMs' | 'endMs'>, nowMs: number): boolean {
  const { issuedAtMs, endMs } = token;
  const life = endMs - issuedAtMs;
  return nowMs >= endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10);
}

/** `exp` and `iat` of a JWT, in seconds, NaN where it has none; its signature is none of a client's business. */
function claimsOf(token: string): { readonly exp: number; readonly iat: number } {
  const [, payload = '', ...rest] = token.split('.');
  try {
    const text = rest.length === 1 ? Buffer.from(payload, 'base64url').toString('utf8') : '{}';
    const { exp, iat } = JSON.parse(text) as { exp?: unknown; iat?: unknown };
    return { exp: amount(exp), iat: amount(iat) };
  } catch {
    return { exp: NaN, iat: NaN };
  }
}

/** A number above 0, also as text; NaN for anything else. */
function amount(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && number < Infinity ? number : NaN;
}
