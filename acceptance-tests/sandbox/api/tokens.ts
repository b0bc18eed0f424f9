import { randomBytes } from 'node:crypto';
import type { Options } from '../options.ts';
import { ApiError } from './answer.ts';

const generalAudience = 'API'; // the audience of all modules of the integrator
/** The lifetime of a token, and the number of tokens per audience that may be issued in that time. */
const moduleRules = { windowSeconds: 3600, limit: 3 };
const generalRules = { windowSeconds: 86_400, limit: 15 };
const unitSeconds = { seconds: 1, minutes: 60, hours: 3600, milliseconds: 0.001 } as const;

type Credentials = { clientId: string; clientSecret: string };

/** Issues and validates the tokens of a scenario. */
export function createTokens(credentials: Credentials) {
  const issuedAt = new Map<string, number[]>();
  const grants = new Map<string, { modules: readonly string[]; endMicros: number }>();

  /** Tokens issued in the rolling window that ends now; `waitSeconds` is the time until another may be issued. */
  function useOf(audience: string, nowMicros: number) {
    const { limit, windowSeconds } = audience === generalAudience ? generalRules : moduleRules;
    const window = windowSeconds * 1_000_000;
    const times = (issuedAt.get(audience) ?? []).filter((time) => time > nowMicros - window);
    const oldest = times.at(-limit);
    const waitSeconds = oldest === undefined ? 0 : Math.ceil((oldest + window - nowMicros) / 1_000_000);
    return { audience, issued: times.length, limit, windowSeconds, waitSeconds };
  }

  return {
    /** Returns the body of a token response. Throws an {@link ApiError}. */
    issue: (body: string, options: Options, nowMicros: number) => {
      const known = Object.values(options.audiences);
      const { audience, modules } = readRequest(JSON.parse(body), credentials, known);
      const { windowSeconds: lifetime, waitSeconds } = useOf(audience, nowMicros);
      const limit = `the issuance limit of audience ${audience} is reached`;
      if (options.tokenLimits && waitSeconds > 0) throw new ApiError('overTokenLimit', limit, waitSeconds);
      issuedAt.set(audience, [...(issuedAt.get(audience) ?? []), nowMicros].slice(-100));

      // whole seconds, as in the exp claim of a JWT
      const iat = Math.floor(nowMicros / 1_000_000);
      const exp = iat + lifetime;
      const claims = { iss: 'sandbox', sub: credentials.clientId, aud: audience, scope: modules.join(' ') };
      const accessToken = options.tokenFormat === 'jwt' ? jwt({ ...claims, iat, exp }) : opaque(32);
      grants.set(accessToken, { modules, endMicros: exp * 1_000_000 });
      return { audience, response: responseBody(accessToken, lifetime, options) };
    },
    /** Returns the module audiences of a token. Throws an {@link ApiError} (`badToken`) if it is unknown or has expired. */
    modulesOf: (token: string, nowMicros: number): readonly string[] => {
      const grant = grants.get(token);
      if (grant === undefined || grant.endMicros <= nowMicros)
        throw new ApiError('badToken', 'the token is unknown or has expired');
      return grant.modules;
    },
    uses: (modules: readonly string[], nowMicros: number) =>
      [...new Set([generalAudience, ...modules])].map((name) => useOf(name, nowMicros)),
  };
}

function responseBody(accessToken: string, lifetime: number, options: Options) {
  const { expiresInUnit: unit, expiresInField: field, tokenType } = options;
  const expires = unit === 'absent' ? {} : { [field]: lifetime / unitSeconds[unit] };
  return { accessToken, ...expires, tokenType };
}

/**
 * Returns the audience of a token request and the module audiences that its token is valid for. Throws an {@link ApiError}:
 * `badCredentials` for a wrong id or secret, otherwise `badRequest`.
 */
function readRequest(body: unknown, credentials: Credentials, modules: readonly string[]) {
  const { clientId, clientSecret, audience, scopes } = (body ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries({ clientId, clientSecret, audience }))
    if (typeof value !== 'string' || value === '')
      throw new ApiError('badRequest', `${name}: a string is required`);
  if (clientId !== credentials.clientId || clientSecret !== credentials.clientSecret)
    throw new ApiError('badCredentials', 'the client credentials are wrong');

  const isGeneral = audience === generalAudience;
  if (!isGeneral && scopes !== undefined) throw new ApiError('badRequest', 'scopes: requires audience API');
  const opened: unknown = isGeneral ? (scopes ?? modules) : [audience];
  const isKnown = (module: unknown): boolean => modules.includes(String(module));
  const where = isGeneral ? 'scopes' : 'audience';
  if (!Array.isArray(opened) || opened.length === 0 || !opened.every(isKnown))
    throw new ApiError('badRequest', `${where}: unknown audience ${String(opened)}`);
  return { audience: String(audience), modules: opened as string[] };
}

function jwt(claims: object): string {
  const parts = [{ alg: 'RS256' }, { ...claims, jti: opaque(8) }].map((part) => JSON.stringify(part));
  return [...parts.map((part) => Buffer.from(part).toString('base64url')), opaque(32)].join('.');
}

const opaque = (bytes: number): string => randomBytes(bytes).toString('base64url');
