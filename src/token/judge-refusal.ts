import { TOKEN } from '../limits.ts';

/** A 401 or 403 of a list, and what the list did before. */
export interface Refusal {
  readonly token: string;
  readonly status: number;
  /** The list has returned a page to this process, with any token. */
  readonly hasAnswered: boolean;
  /** The list has returned a page for this token. */
  readonly wasAccepted: boolean;
  /** The same request was refused with this token before. */
  readonly isRepeated: boolean;
}

/** What is known of the refused token. */
export interface RefusedToken {
  /** False if another token has replaced it in the meantime. */
  readonly isCurrent: boolean;
  /** It was issued to this process, not to an earlier one. */
  readonly isOwn: boolean;
  /** ms since it was issued, if it replaced a rejected token; otherwise null. */
  readonly replacedAgoMs: number | null;
  /** ms since its refusal by this list was recorded; null if none was. */
  readonly recordedAgoMs: number | null;
}

/**
 * What follows a refusal:
 *
 * - `resend`: with the token that has replaced the refused one
 * - `retry`: with the same token, since a gateway may have refused it only for a moment
 * - `replace`: the token is dropped and a new one requested, which costs an issuance
 * - `record`: the request fails, and the refusal is recorded for later processes
 * - `fail`: the request fails; the refusal has been recorded before
 */
export type Verdict = 'resend' | 'retry' | 'replace' | 'record' | 'fail';

/**
 * Decides, and nothing else does, whether a refusal costs a token. Tokens are scarce, so a new one is requested only where
 * it can help: if a token is rejected that was just issued and never accepted, the fault lies elsewhere.
 */
export function judgeRefusal(refusal: Refusal, token: RefusedToken): Verdict {
  const { status, hasAnswered, wasAccepted, isRepeated } = refusal;
  // what was allowed a minute ago is rarely forbidden now, and no other token would be allowed more
  if (hasAnswered && status === 403) return 'retry';
  if (!token.isCurrent) return 'resend';
  const isUnproven = token.isOwn && !wasAccepted;
  if (hasAnswered && (isUnproven || !isRepeated)) return 'retry';
  if (!hasAnswered && token.recordedAgoMs !== null)
    return token.recordedAgoMs < TOKEN.refusedMs ? 'fail' : 'replace';
  if (isUnproven) return 'record';
  if (!isRepeated) return 'retry';
  if (token.replacedAgoMs === null || token.replacedAgoMs >= TOKEN.freshMs) return 'replace';
  return hasAnswered ? 'retry' : 'record';
}
