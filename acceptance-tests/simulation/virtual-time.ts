export type VirtualTime = ReturnType<typeof createVirtualTime>;

/**
 * Time that stands still while anything can run, and then jumps to the next moment that somebody waits for. It starts at
 * `startMs`, ms since the epoch.
 */
export function createVirtualTime(startMs: number) {
  let nowMs = startMs;
  /** The next one last; null in the place of what was taken back. */
  const dues: { atMs: number; call: (() => void) | null }[] = [];
  /** Calls `call` after `ms`, in the order of asking what is due at once; what is returned takes that back. */
  const after = (ms: number, call: () => void): (() => void) => {
    const due: (typeof dues)[number] = { atMs: nowMs + Math.max(0, Math.ceil(ms)), call };
    const place = dues.findLastIndex(({ atMs }) => atMs > due.atMs) + 1;
    dues.splice(place, 0, due);
    return () => {
      due.call = null;
    };
  };
  return {
    now: () => nowMs,
    after,
    /** Resolves after `ms`; rejects with the signal's reason. */
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal.throwIfAborted();
        const giveUp = (): void => {
          takeBack();
          reject(signal.reason as Error);
        };
        const takeBack = after(ms, () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        });
        signal.addEventListener('abort', giveUp, { once: true });
      }),
    /** Lets time pass until `isOver` says so, nothing is left to wait for, or more than `mostEvents` have come. */
    pass: async (isOver: () => boolean, mostEvents: number): Promise<'over' | 'stuck' | 'endless'> => {
      for (let events = 0; events < mostEvents; events++) {
        // what runs is made of promises and of ticks of Node.js: all of it comes before this
        await new Promise(setImmediate);
        if (isOver()) return 'over';
        let next = dues.pop();
        while (next?.call === null) next = dues.pop();
        if (next === undefined) return 'stuck';
        nowMs = Math.max(nowMs, next.atMs);
        next.call?.();
      }
      return 'endless';
    },
  };
}
