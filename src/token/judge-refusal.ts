import { TOKEN } from '../limits.ts';

/** A 401 or 403 from a list, and how the list responded before. */
export interface Refusal {
  readonly token: string;
  readonly status: number;
  readonly hasReturnedPage: boolean; // the list has returned a page to this process, with any token
  readonly wasAccepted: boolean; // the list has returned a page with this token
  readonly isRepeated: boolean; // the same request was refused with this token before
}

/** What is known about the refused token. */
export interface RefusedToken {
  readonly isCurrent: boolean; // false if another token has replaced it in the meantime
  readonly isOwn: boolean; // it was issued to this process, not to an earlier one
  readonly ageMs: number; // since it was requested
  readonly replacedAgoMs: number | null; // since it was issued, if it replaced a rejected token; otherwise null
  readonly recordedAgoMs: number | null; // since a refusal of it by this list was recorded; null if none was
}

/** What follows a refusal. */
export type Verdict =
  | 'resend' // at once, with the token that has replaced the refused one
  | 'retry' // later, with the same token, because a gateway may have refused it only briefly
  | 'settle' // soon, with the same token, because the clock of the service may be slow
  | 'replace' // with a new token, which costs an issuance
  | 'record' // the request fails, and the refusal is recorded for later processes
  | 'fail'; // the request fails; the refusal was recorded earlier

/** Decides whether a refusal costs a token. Tokens are scarce, and one that was just issued and never accepted is not the problem. */
export function judgeRefusal(refusal: Refusal, token: RefusedToken): Verdict {
  const { status, hasReturnedPage, wasAccepted, isRepeated } = refusal;
  // permissions rarely change within a read, and another token would have the same ones
  if (hasReturnedPage && status === 403) return 'retry';
  if (!token.isCurrent) return 'resend';
  const isUnproven = token.isOwn && !wasAccepted;
  if (hasReturnedPage && (isUnproven || !isRepeated)) return 'retry';
  if (!hasReturnedPage && token.recordedAgoMs !== null)
    return token.recordedAgoMs < TOKEN.refusedMs ? 'fail' : 'replace';
  if (status === 401 && !wasAccepted && token.ageMs < TOKEN.settleMs) return 'settle';
  if (isUnproven) return 'record';
  if (!isRepeated) return 'retry';
  if (token.replacedAgoMs === null || token.replacedAgoMs >= TOKEN.freshMs) return 'replace';
  return hasReturnedPage ? 'retry' : 'record';
}
