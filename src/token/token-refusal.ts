import type { CachedToken } from './token-cache.ts';

/** ms for which a token counts as fresh: one that is refused so soon was not outlived. */
const FRESH_MS = 20_000;
/** ms after which a token that was refused when fresh may be replaced all the same: something may have been granted since. */
const REFUSED_MS = 3 * 3_600_000;

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
 * the fault lies elsewhere; that is remembered for three hours.
 */
export function judgeRefusal(
  { issuedAtMs, refusedAtMs }: CachedToken,
  { isOwn, isReplacement }: Origin,
  { stream, wasAccepted, isRepeated }: Omit<Refusal, 'token'>,
  nowMs: number,
): RefusalVerdict {
  const marked = wasAccepted ? undefined : refusedAtMs[stream];
  if (marked !== undefined) return nowMs - marked < REFUSED_MS ? 'believe' : 'renew';
  if (isOwn && !wasAccepted) return 'believe';
  if (!isRepeated) return 'repeat';
  return isReplacement && nowMs - issuedAtMs < FRESH_MS ? 'believe' : 'renew';
}
