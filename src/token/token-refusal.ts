import { TOKEN } from '../limits.ts';
import type { CachedToken } from './token-cache.ts';

/** A 401 or 403 at a list. */
export interface Refusal {
  readonly stream: string;
  readonly token: string;
  /** True if the same stream was given a page for the same token before. */
  readonly wasAccepted: boolean;
  /** True if the same request was refused with the same token before. */
  readonly isRepeated: boolean;
}

/** What to do about a refusal: send the same once more, send it with another token, or believe it. */
export type RefusalVerdict = 'repeat' | 'renew' | 'believe';

/** Whence the token in hand came. */
export interface Origin {
  readonly isOwn: boolean;
  readonly isReplacement: boolean;
}

/**
 * What to do when the API refuses a token. Each new one burns an issuance, in every process anew; so one that was accepted
 * before, or that another process has asked for and nobody has seen refused, is sent once more first, since a gateway may have
 * lost it for a moment. Refused again, it is replaced by one new one. One that is new and was never accepted shows that
 * the fault lies elsewhere; that is remembered for a while.
 */
export function judgeRefusal(
  { issuedAtMs, refusedAtMs }: CachedToken,
  { isOwn, isReplacement }: Origin,
  { stream, wasAccepted, isRepeated }: Omit<Refusal, 'token'>,
  nowMs: number,
): RefusalVerdict {
  const marked = wasAccepted ? undefined : refusedAtMs[stream];
  if (marked !== undefined) return nowMs - marked < TOKEN.refusedMs ? 'believe' : 'renew';
  if (isOwn && !wasAccepted) return 'believe';
  if (!isRepeated) return 'repeat';
  return isReplacement && nowMs - issuedAtMs < TOKEN.freshMs ? 'believe' : 'renew';
}
