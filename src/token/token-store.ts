import { createMemoryLock } from './memory-lock.ts';
import { emptyCache } from './token-cache.ts';
import type { TokenCache } from './token-cache.ts';

/** Where the tokens of one credential are kept: a file that processes share, or the memory of this one. */
export interface TokenStore {
  /** What is kept now. Never fails: what cannot be read is as if nothing were kept. */
  readonly read: () => Promise<TokenCache>;
  /**
   * Runs `work` while nobody else, in this process or another, does the same. It gets what is kept and may save what
   * shall be kept instead, as often as it likes.
   *
   * @throws the signal's reason while waiting, and what `work` throws
   */
  readonly exclusively: <T>(
    work: (kept: TokenCache, save: (cache: TokenCache) => Promise<void>) => Promise<T>,
    signal: AbortSignal,
  ) => Promise<T>;
}

/** Keeps tokens for this process only. */
export function createMemoryStore(credential: string): TokenStore {
  let kept = emptyCache(credential);
  const lock = createMemoryLock();
  return {
    read: async () => kept,
    exclusively: (work, signal) =>
      lock(
        () =>
          work(kept, async (cache) => {
            kept = cache;
          }),
        signal,
      ),
  };
}
