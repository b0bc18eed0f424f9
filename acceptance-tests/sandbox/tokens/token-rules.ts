/** How long tokens of a variant live, and how many may be issued in a rolling window. */
export interface TokenRules {
  validitySeconds: number;
  issuances: number;
  windowSeconds: number;
}

/** The audience that stands for every module of the integrator. */
export const generalAudience = 'API';

/** Token per module: valid for 1 hour, 3 an hour per audience. */
export const moduleRules: TokenRules = { validitySeconds: 3600, issuances: 3, windowSeconds: 3600 };

/** General and scoped tokens: valid for 24 hours, 15 a day. */
export const generalRules: TokenRules = { validitySeconds: 86_400, issuances: 15, windowSeconds: 86_400 };

/** The rules of the tokens that are asked for with an audience. */
export function rulesOf(audience: string): TokenRules {
  return audience === generalAudience ? generalRules : moduleRules;
}
