import type { ListExchange } from '../api/list-client.ts';
import type { TokenScope } from '../token/rules.ts';
import type { TokenOutcome } from '../token/request.ts';
import type { HeldToken } from '../token/provider.ts';

/** Told of all that a command asks of the API, as it is answered. */
export interface Observer {
  readonly listAsked: (exchange: ListExchange) => void;
  readonly tokenAsked: (exchange: TokenExchange) => void;
  /** A token is used from now on. */
  readonly tokenHeld: (token: HeldToken) => void;
}

/** One request for a token, and what came of it. */
export interface TokenExchange {
  readonly url: string;
  readonly scope: TokenScope;
  /** Local time, ms since the epoch. */
  readonly sentAtMs: number;
  /** ms until the answer was there. */
  readonly ms: number;
  readonly outcome: TokenOutcome;
}
