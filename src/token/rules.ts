import type { Config } from '../config/config.ts';
import { TOKEN } from '../limits.ts';

/** What a token is asked for. */
export type TokenScope = Readonly<{ audience: string; scopes: readonly string[] | null }>;

/** The audience that stands for every module of the integrator. */
const GENERAL = 'API';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GENERAL_RULES = rulesOf(DAY_MS, 15, '15 tokens a day for API');
const MODULE_RULES = rulesOf(HOUR_MS, 3, '3 tokens an hour for a module audience');

/** What the API documents of a kind of token: how long it is valid, and how many may be issued within any `windowMs`. */
export type TokenRules = Readonly<ReturnType<typeof rulesOf>>;

function rulesOf(periodMs: number, issuances: number, limit: string) {
  // a request counts so long: it is noted before it is sent, and may issue a token, even unseen, some time later
  const countsMs = periodMs + TOKEN.latestIssueMs;
  return { validityMs: periodMs, windowMs: periodMs, issuances, limit, countsMs };
}

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
  const words = `the limit of token requests is reached${answered} for ${describeRequest(clientId, scope)}`;
  return `auth_url: ${words}: ${tokenRules(scope).limit}.`;
}

const UNITS_MS = [1000, 60_000, HOUR_MS, 1];
const NAMES = ['expiresIn', 'expires_in', 'expriesIn'];

/**
 * The local end of the life of the token in an answer that was asked for at `askedAtMs`: from the `exp` claim of a JWT, as a
 * distance from the server's own time; else from `expiresIn`, whose name may be misspelt, in the unit under which it equals
 * the documented validity, else in seconds. Never beyond that validity. All times are ms since the epoch.
 */
export function endOfLife(body: Members, rules: TokenRules, askedAtMs: number, serverMs: number | undefined) {
  const { validityMs } = rules;
  // the claims of a JWT; its signature is none of a client's business
  const [, payload = ''] = /^[^.]*\.([^.]*)\.[^.]*$/.exec(String(body['accessToken'])) ?? [];
  const { exp, iat } = membersOf(Buffer.from(payload, 'base64url').toString());
  const nowMs = serverMs ?? (amount(iat) * 1000 || askedAtMs);
  const stated = NAMES.map((name) => amount(body[name])).find((value) => value > 0) ?? NaN;
  const unitMs = UNITS_MS.find((ms) => stated * ms === validityMs) ?? 1000;
  const lifetime = [amount(exp) * 1000 - nowMs, stated * unitMs].find((ms) => ms >= 1) ?? validityMs;
  return askedAtMs + Math.min(lifetime, validityMs);
}

/** True if the token is due for renewal: a tenth of its life before its end; of a very short life half is used. */
export function isDue({ issuedAtMs, endMs }: Record<'issuedAtMs' | 'endMs', number>, nowMs: number): boolean {
  const life = endMs - issuedAtMs;
  return nowMs >= endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10);
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; none of anything else. */
export function membersOf(text: string): Members {
  try {
    return Object(JSON.parse(text)) as Members;
  } catch {
    return {};
  }
}

/** A number above 0, also as text; NaN for anything else. */
function amount(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && number < Infinity ? number : NaN;
}
