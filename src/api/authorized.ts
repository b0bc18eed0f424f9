import type { RequestContext } from '../http/request-context.ts';
import type { Refusal, RefusalVerdict } from '../token/provider.ts';
import { DoubtfulStatusError, StatusError } from './status-error.ts';

/** Gives tokens for one list, and is told where one is refused. */
export interface Authorization {
  /** A token for one attempt; asked anew for every attempt, so that a token is renewed in the middle of a read. */
  readonly bearer: (context: RequestContext) => Promise<string>;
  readonly refused: (refusal: Omit<Refusal, 'stream'>, signal: AbortSignal) => Promise<RefusalVerdict>;
}

/** Sends what `send` sends with a token; `refusedBefore` holds the tokens that the same request was refused with. */
export type SendAuthorized = <T>(
  send: (token: string) => Promise<T>,
  context: RequestContext,
  refusedBefore: Set<string>,
) => Promise<T>;

/**
 * Sends requests of one list with tokens. A 401 is for whoever gives tokens to judge; so is a 403 on one that this list has
 * never accepted, since a token may lack what was granted after it was issued. A token that this list has accepted is never
 * refused for good: where no other one helps, its refusal may pass. Other requests in flight are not disturbed.
 *
 * @throws (from each call) DoubtfulStatusError where the same shall be sent once more, and what `send`, `bearer` and `refused` throw
 */
export function createAuthorizedSend({ bearer, refused }: Authorization): SendAuthorized {
  // answers to an older token may still come in behind the first one to a newer
  const accepted = new Set<string>();
  return async (send, context, refusedBefore) => {
    for (;;) {
      const token = await bearer(context);
      try {
        const answer = await send(token);
        accepted.add(token);
        return answer;
      } catch (error) {
        const wasAccepted = accepted.has(token);
        const status = error instanceof StatusError ? error.status : null;
        const isAboutToken = status === 401 || (status === 403 && !wasAccepted);
        if (!(error instanceof StatusError) || !isAboutToken) throw error;
        const isRepeated = refusedBefore.has(token);
        const verdict = await refused({ token, wasAccepted, isRepeated }, context.signal);
        if (verdict === 'renew') continue;
        if (verdict === 'believe' && !wasAccepted) throw error;
        refusedBefore.add(token);
        throw new DoubtfulStatusError(error.answer);
      }
    }
  };
}
