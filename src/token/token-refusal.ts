import type { CachedToken } from './token-cache.ts';

/** ms for which a token counts as fresh: one that is refused so soon was not outlived. */
const FRESH_MS = 20_000;
/** ms after which a token that was refused when fresh may be replaced all the same: something may have been granted since. */
const REFUSED_MS = 3 * 3_600_000;

/** Whence the token in hand came. */
export interface Origin {
  readonly isOwn: boolean;
  readonly isReplacement: boolean;
}

/**
 * True if the API refuses a token that should be valid, so that a new one may help: it was accepted before, or it was
 * kept by another process and has aged. A fresh one that is refused shows that the fault lies elsewhere; each further
 * request would burn an issuance, in every process anew, so the refusal of a fresh token is remembered for three hours.
 */
export function isWorthAnother(
  { issuedAtMs, refusedAtMs }: CachedToken,
  { isOwn, isReplacement }: Origin,
  stream: string,
  wasAccepted: boolean,
  nowMs: number,
): boolean {
  const isYoung = nowMs - issuedAtMs < FRESH_MS;
  if (wasAccepted) return !(isReplacement && isYoung);
  const marked = refusedAtMs[stream];
  if (marked !== undefined) return nowMs - marked >= REFUSED_MS;
  return !isOwn && !isYoung;
}
