import { TOKEN } from '../limits.ts';

/** A 401 or 403 that a list answered, and what the list did with the same token before. */
export interface Refusal {
  readonly token: string;
  readonly status: number;
  /** The list has returned a page to this process, with this token or another one. */
  readonly hasAnswered: boolean;
  /** The list has returned a page for this token. */
  readonly wasAccepted: boolean;
  /** The same request was refused with this token before. */
  readonly isRepeated: boolean;
}

/** What is known of the refused token when its refusal is judged. */
export interface RefusedToken {
  /** False if another token has taken its place meanwhile. */
  readonly isHeld: boolean;
  /** It was issued to this process; otherwise it was kept by an earlier one. */
  readonly isOwn: boolean;
  /** ms since it was issued, if it replaced a refused one; otherwise null. */
  readonly replacedAgoMs: number | null;
  /** ms since its first refusal at this list was recorded; null if none was. */
  readonly recordedAgoMs: number | null;
}

/**
 * What a refusal leads to:
 *
 * - `renewed`: another token is in use by now; the request is sent with that one
 * - `repeat`: the request is retried with the same token, since a gateway may have refused it for a moment
 * - `replace`: the token is dropped and a new one is requested, which costs an issuance
 * - `believe`: the refusal is final, and has been recorded
 * - `record`: the refusal is final, and is recorded for later processes
 */
export type Verdict = 'renewed' | 'repeat' | 'replace' | 'believe' | 'record';

/**
 * The one place that decides whether a refusal costs a token: tokens are scarce, so a new one is requested only where it can
 * help. A token that was issued a moment ago and never accepted shows that the fault lies elsewhere.
 */
export function judgeRefusal(refusal: Refusal, token: RefusedToken): Verdict {
  const { status, hasAnswered, wasAccepted, isRepeated } = refusal;
  // what was allowed a minute ago is rarely forbidden now, and no other token is allowed more
  if (hasAnswered && status === 403) return 'repeat';
  if (!token.isHeld) return 'renewed';
  const isUntried = token.isOwn && !wasAccepted;
  if (hasAnswered && (isUntried || !isRepeated)) return 'repeat';
  if (!hasAnswered && token.recordedAgoMs !== null)
    return token.recordedAgoMs < TOKEN.refusedMs ? 'believe' : 'replace';
  if (isUntried) return 'record';
  if (!isRepeated) return 'repeat';
  if (token.replacedAgoMs === null || token.replacedAgoMs >= TOKEN.freshMs) return 'replace';
  return hasAnswered ? 'repeat' : 'record';
}
