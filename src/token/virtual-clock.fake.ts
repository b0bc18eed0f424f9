/** A clock that stops while anything runs, and then jumps to the end of the next sleep. */
export interface VirtualClock {
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Lets time pass until `work` has ended. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock that starts at `startMs`, ms since the epoch. */
export function createVirtualClock(startMs: number): VirtualClock {
  let nowMs = startMs;
  let sleepers: Sleeper[] = [];
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const giveUp = (): void => {
          sleepers = sleepers.filter((one) => one !== sleeper);
          reject(signal.reason as Error);
        };
        const sleeper = {
          atMs: nowMs + Math.max(0, ms),
          wake: () => {
            signal.removeEventListener('abort', giveUp);
            resolve();
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        sleepers.push(sleeper);
      }),
    run: async (work) => {
      const state = { isOver: false };
      const end = (): void => {
        state.isOver = true;
      };
      work.then(end, end);
      while (!state.isOver) {
        // let everything run that does not need time to pass
        await new Promise((resolve) => setImmediate(resolve));
        if (state.isOver) break;
        const next = sleepers.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) continue;
        sleepers = sleepers.filter((one) => one !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
      }
      return work;
    },
  };
}
