// Generated from src/token/token-cache.schema.json by `npm run generate`. Do not edit.

/**
 * Tokens of one credential and when they were issued, kept for later processes. All times are ms since the epoch in local time.
 */
export interface TokenCache {
  version: 1;
  /**
   * To whom all of this belongs.
   */
  credential: string;
  /**
   * By what they are bound to.
   */
  tokens: {
    [k: string]: KeptToken;
  };
  /**
   * By audience.
   */
  issuances: {
    [k: string]: Issuances;
  };
}
export interface KeptToken {
  accessToken: string;
  /**
   * As the endpoint named it; recorded, never used.
   */
  tokenType: string | null;
  issuedAtMs: number;
  /**
   * The end of its life.
   */
  endMs: number;
  /**
   * By stream: when the API refused it though it was fresh.
   */
  refusedAtMs: {
    [k: string]: number;
  };
}
export interface Issuances {
  times: number[];
  /**
   * Until when the endpoint will issue none, since it said that its limit is reached; 0 if it did not.
   */
  refusedUntilMs: number;
}
