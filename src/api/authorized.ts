import type { Waiting } from './retry.ts';
import { StatusError } from './status-error.ts';

/** Gives tokens, and is told where one is refused. */
export interface Authorization {
  /** A token for one attempt; asked anew for every attempt, so that a token is renewed in the middle of a read. */
  readonly bearer: (signal: AbortSignal, onWait: (waiting: Waiting) => Promise<void>) => Promise<string>;
  /** True if another token may help: then `bearer` gives it. */
  readonly refused: (refused: RefusedToken, signal: AbortSignal) => Promise<boolean>;
}

export interface RefusedToken {
  readonly token: string;
  /** True if the list has given an answer for this token before. */
  readonly wasAccepted: boolean;
}

/** Sends what `send` sends with a token. */
export type SendAuthorized = <T>(
  send: (token: string) => Promise<T>,
  signal: AbortSignal,
  onWait: (waiting: Waiting) => Promise<void>,
) => Promise<T>;

/**
 * Sends requests of one list with tokens. A 401 on a token that should be valid gets another token and is sent again; so
 * is a 403 on one that this list has never accepted, since a token may lack what was granted after it was issued. Other
 * requests in flight are not disturbed.
 *
 * @throws (from each call) what `send`, `bearer` and `refused` throw
 */
export function createAuthorizedSend({ bearer, refused }: Authorization): SendAuthorized {
  let accepted: string | null = null;
  return async (send, signal, onWait) => {
    for (;;) {
      const token = await bearer(signal, onWait);
      try {
        const answer = await send(token);
        accepted = token;
        return answer;
      } catch (error) {
        const wasAccepted = accepted === token;
        const isDoubtful =
          error instanceof StatusError && (error.status === 401 || (error.status === 403 && !wasAccepted));
        if (!isDoubtful || !(await refused({ token, wasAccepted }, signal))) throw error;
      }
    }
  };
}
