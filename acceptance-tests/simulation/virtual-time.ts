export type VirtualTime = ReturnType<typeof createVirtualTime>;

/** A clock that jumps to the next timer when nothing else can run. `startMs` is in ms since the epoch. */
export function createVirtualTime(startMs: number) {
  let nowMs = startMs;
  /** In descending order of time; a canceled timer has no callback. */
  const timers: { readonly atMs: number; callback: (() => void) | null }[] = [];
  /** Calls `callback` after `ms`. Timers of the same time run in the order of their creation. Returns a function that cancels. */
  const after = (ms: number, callback: () => void): (() => void) => {
    const timer: (typeof timers)[number] = { atMs: nowMs + Math.max(0, Math.ceil(ms)), callback };
    timers.splice(timers.findLastIndex(({ atMs }) => atMs > timer.atMs) + 1, 0, timer);
    return () => {
      timer.callback = null;
    };
  };
  /** Resolves after `ms`; rejects with the signal's reason. */
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      signal.throwIfAborted();
      const abort = (): void => {
        cancel();
        reject(signal.reason as Error);
      };
      const cancel = after(ms, () => {
        signal.removeEventListener('abort', abort);
        resolve();
      });
      signal.addEventListener('abort', abort, { once: true });
    });
  /** Advances the clock until `isOver()`, until no timer is left (`stuck`), or for `maxEvents` timers (`endless`). */
  const run = async (isOver: () => boolean, maxEvents: number): Promise<'over' | 'stuck' | 'endless'> => {
    for (let events = 0; events < maxEvents; events++) {
      // promises and ticks of Node.js come first
      await new Promise(setImmediate);
      if (isOver()) return 'over';
      let next = timers.pop();
      while (next?.callback === null) next = timers.pop();
      if (next === undefined) return 'stuck';
      nowMs = Math.max(nowMs, next.atMs);
      next.callback?.();
    }
    return 'endless';
  };
  return { now: () => nowMs, after, wait, run };
}
