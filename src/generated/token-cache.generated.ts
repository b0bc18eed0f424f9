// Generated from src/token/token-cache.schema.json by `npm run generate`. Do not edit.

/**
 * Cached tokens of one credential, and when they were issued. All times are ms since the epoch on the local clock.
 */
export interface TokenCache {
  version: 1;
  /**
   * Identifies the owner of the tokens.
   */
  credential: string;
  /**
   * By a hash of everything that a token is bound to.
   */
  tokens: {
    [k: string]: KeptToken;
  };
  /**
   * Issuance logs, by audience.
   */
  issuances: {
    [k: string]: Issuances;
  };
}
export interface KeptToken {
  accessToken: string;
  /**
   * As sent by the endpoint; not used.
   */
  tokenType: string | null;
  issuedAtMs: number;
  /**
   * When the token expires.
   */
  endMs: number;
  /**
   * The endpoint returned this token again when another one was requested, so it is used until it expires.
   */
  isReissued?: boolean;
  /**
   * When each stream's list refused the fresh token.
   */
  refusedAtMs: {
    [k: string]: number;
  };
}
export interface Issuances {
  times: number[];
  /**
   * Until when the endpoint issues no more tokens, after a 429; otherwise 0.
   */
  refusedUntilMs: number;
}
