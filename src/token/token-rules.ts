import type { TokenScope } from './audience.ts';

/** What the API documents of a kind of token (API document 5.4 and 8). */
export interface TokenRules {
  /** ms for which a token is valid. */
  readonly validityMs: number;
  /** Tokens that may be issued within any `windowMs`. */
  readonly issuances: number;
  /** ms */
  readonly windowMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The audience that stands for every module of the integrator (API document 2.1). */
export const GENERAL = 'API';

const GENERAL_RULES: TokenRules = { validityMs: DAY_MS, issuances: 15, windowMs: DAY_MS };
const MODULE_RULES: TokenRules = { validityMs: HOUR_MS, issuances: 3, windowMs: HOUR_MS };

/** The rules for a token: those of `API`, with or without scopes, or those of a module. */
export function tokenRules({ audience }: TokenScope): TokenRules {
  return audience === GENERAL ? GENERAL_RULES : MODULE_RULES;
}

/** The documented limit in words, for messages. */
export function describeLimit(scope: TokenScope): string {
  return scope.audience === GENERAL
    ? `15 tokens a day for ${GENERAL}`
    : `3 tokens an hour for a module audience`;
}
