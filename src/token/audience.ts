import type { Config } from '../config/config.ts';
import { GENERAL } from './token-rules.ts';

/** What a token is asked for: the body's `audience` and `scopes` (API document 2.1 and 5.4). */
export interface TokenScope {
  readonly audience: string;
  readonly scopes: readonly string[] | null;
}

/** Which token opens a stream of this audience, by the kind of tokens: two streams that need the same one share it. */
export function tokenScope(token: Config['token'], audience: string | undefined): TokenScope {
  if (token.kind === 'module') return { audience: audience ?? GENERAL, scopes: null };
  return { audience: GENERAL, scopes: token.kind === 'scoped' ? token.scopes : null };
}

/** For people: `API`, `API limited to AMAPI, UMAPI` or `AMAPI`. */
export function describeScope(scope: TokenScope): string {
  return scope.scopes === null ? scope.audience : `${scope.audience} limited to ${scope.scopes.join(', ')}`;
}
