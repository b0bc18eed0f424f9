import { Refusal } from '../api/refusal.ts';
import { generalAudience, generalRules, moduleRules, type TokenRules } from './token-rules.ts';

/** The credentials that a world's integrator holds. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** A token request that is in order: what it asks for, and the rules of its variant. */
export interface TokenOrder {
  audience: string;
  /** The module audiences that the token opens. */
  modules: readonly string[];
  rules: TokenRules;
}

/**
 * Checks the body of a token request. `modules` are the known module audiences.
 * Throws a {@link Refusal}: `badRequest` for the form, an unknown audience or scopes that do not belong;
 * `badCredentials` for a wrong id or secret.
 */
export function readTokenRequest(
  body: unknown,
  credentials: Credentials,
  modules: readonly string[],
): TokenOrder {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('badRequest', 'the body must be a JSON object');
  const { clientId, clientSecret, audience, scopes } = body as Record<string, unknown>;
  for (const [name, value] of Object.entries({ clientId, clientSecret, audience }))
    if (typeof value !== 'string' || value === '')
      throw new Refusal('badRequest', `${name}: a string is required`);
  if (clientId !== credentials.clientId || clientSecret !== credentials.clientSecret)
    throw new Refusal('badCredentials', 'the client credentials are wrong');

  if (audience === generalAudience)
    return { audience, modules: readScopes(scopes, modules), rules: generalRules };
  if (typeof audience !== 'string' || !modules.includes(audience))
    throw new Refusal('badRequest', `audience: unknown audience ${String(audience)}`);
  if (scopes !== undefined) throw new Refusal('badRequest', `scopes: only with audience ${generalAudience}`);
  return { audience, modules: [audience], rules: moduleRules };
}

function readScopes(scopes: unknown, modules: readonly string[]): readonly string[] {
  if (scopes === undefined) return modules;
  if (!Array.isArray(scopes) || scopes.length === 0)
    throw new Refusal('badRequest', 'scopes: an array of at least one module audience is expected');
  for (const scope of scopes as unknown[])
    if (typeof scope !== 'string' || !modules.includes(scope))
      throw new Refusal('badRequest', `scopes: unknown module audience ${String(scope)}`);
  return scopes as string[];
}
